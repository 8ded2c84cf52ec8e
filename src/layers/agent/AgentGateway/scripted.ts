/** An agent that follows a test's script: each message is answered with the next list of steps. */
import * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import { textOf } from "../../../schemas/agent/UserMessage.ts"
import type { Respond } from "./gateway.ts"
import { toolCall } from "./toolCall.ts"

/** One step of the script. */
export type Step =
  | { readonly say: string }
  | { readonly think: string }
  | { readonly notice: string }
  /** Calls a tool by its exposed name, as a model would. */
  | { readonly call: string; readonly args?: Readonly<Record<string, unknown>> | undefined }
  /** Runs before the next step: a test's signal, or `Effect.never`. */
  | { readonly wait: Effect.Effect<unknown> }
  /** The answer fails with this sentence. */
  | { readonly fail: string }
  | { readonly end: Extract<AgentEvent, { _tag: "Done" }>["reason"] }

/** Steps by message: the n-th list for the n-th message, the last one for all further ones; or a function of the message's text. */
export type Script = ReadonlyArray<ReadonlyArray<Step>> | ((message: string) => ReadonlyArray<Step>)

const usage = { inputTokens: undefined, outputTokens: undefined }

export const makeScripted = (script: Script): Respond => {
  let messages = 0
  let calls = 0
  return Effect.fnUntraced(function* (message, talk) {
    const text = textOf(message)
    const index = messages++
    const steps = typeof script === "function" ? script(text) : (script[Math.min(index, script.length - 1)] ?? [])
    let reason: Extract<AgentEvent, { _tag: "Done" }>["reason"] = "stop"
    for (const step of steps) {
      if ("say" in step) yield* talk.emit({ _tag: "Text", delta: step.say })
      else if ("think" in step) yield* talk.emit({ _tag: "Thought", delta: step.think })
      else if ("notice" in step) yield* talk.emit({ _tag: "Notice", text: step.notice })
      else if ("wait" in step) yield* step.wait
      else if ("fail" in step) return yield* new GatewayError({ detail: step.fail })
      else if ("end" in step) reason = step.end
      else {
        const { args = {}, call: name } = step
        const id = `call-${++calls}`
        const tool = (yield* talk.runtime.tools).find((one) => one.name === name)
        yield* talk.emit(toolCall(id, name, args, tool))
        const result = yield* talk.calls({ id, name }, args)
        yield* talk.emit({ _tag: "ToolResult", id, name, result })
      }
    }
    return yield* talk.emit({ _tag: "Done", reason, ...usage })
  })
}
