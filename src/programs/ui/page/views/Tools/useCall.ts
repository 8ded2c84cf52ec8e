/** One call of a tool from its beginning to its result: progress, the question whether it may be made, and cancelling. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { ApprovalAnswer } from "../../../../../schemas/call/Approval.ts"
import type { Look } from "../../../../../schemas/call/Look.ts"
import type { JsonObject } from "../../../../../schemas/data/Json.ts"
import { useStore } from "../../store/context.ts"
import { AnswerLost, wordsOf, type Item } from "../../store/Gateway.ts"

export type CallEvent = Item<"Call">
export type Asked = Extract<CallEvent, { readonly _tag: "Asked" }>
export type Progress = Extract<CallEvent, { readonly _tag: "Progress" }>["progress"]
export type CallResult = Extract<CallEvent, { readonly _tag: "Result" }>["result"]

export type CallState =
  | { readonly state: "idle" }
  | { readonly state: "running"; readonly progress?: Progress | undefined; readonly asked?: Asked | undefined }
  | { readonly state: "done"; readonly result: CallResult; readonly ms: number }
  | { readonly state: "failed"; readonly words: string }
  | { readonly state: "cancelled" }

export interface CallOf {
  readonly agent: string | undefined
  readonly name: string
  readonly arguments: JsonObject
  readonly look: Look
}

export interface Call {
  readonly call: CallState
  readonly start: (of: CallOf) => void
  readonly cancel: () => void
  readonly answer: (answer: ApprovalAnswer) => void
}

const IDLE: CallState = { state: "idle" }
const BROKEN = "The call ended without a result. The tool may have done its work."

/** Without an error, or with a lost answer, nobody knows what the tool has done. */
const endOf = (error: unknown): CallState => ({
  state: "failed",
  words: error === undefined || error instanceof AnswerLost ? BROKEN : wordsOf(error)
})

export const useCall = (): Call => {
  const { gateway } = useStore()
  const [call, setCall] = useState<CallState>(IDLE)
  const running = useRef<{ readonly end: () => void } | undefined>(undefined)
  const stop = () => {
    running.current?.end()
    running.current = undefined
  }
  // Whoever leaves the view gives up its call.
  useEffect(() => stop, [])

  const start = ({ agent, ...of }: CallOf) => {
    stop()
    const begun = performance.now()
    let isOver = false
    const finish = (next: CallState) => {
      if (isOver) return
      isOver = true
      setCall(next)
    }
    setCall({ state: "running" })
    const end = gateway.follow(
      "Call",
      { ...of, asks: true, ...(agent !== undefined && { agent }) },
      {
        each: (event) => {
          if (isOver) return
          if (event._tag === "Result") finish({ state: "done", result: event.result, ms: performance.now() - begun })
          else {
            const more = event._tag === "Asked" ? { asked: event } : { progress: event.progress, asked: undefined }
            setCall((before) => ({ ...(before.state === "running" ? before : {}), state: "running", ...more }))
          }
        },
        end: (error) => finish(endOf(error))
      }
    )
    running.current = {
      end: () => {
        isOver = true
        end()
      }
    }
  }

  return {
    call,
    start,
    cancel: () => {
      stop()
      setCall({ state: "cancelled" })
    },
    answer: (answer) => {
      const id = call.state === "running" ? call.asked?.id : undefined
      if (id === undefined) return
      setCall((before) => (before.state === "running" ? { ...before, asked: undefined } : before))
      gateway.ask("Answer", { id, answer }).catch((error: unknown) => {
        stop()
        setCall(endOf(error))
      })
    }
  }
}
