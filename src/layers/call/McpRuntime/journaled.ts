/**
 * A call in the journal of a fleet: others learn that it leaves before it does, and then how it ended. Its row is written while the call is
 * still on its way through the last stages; the call waits for it only when it is about to leave.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { CallError } from "../../../schemas/call/CallError.ts"
import type { ToolResult } from "../../../schemas/call/Tool.ts"
import {
  CallOrigin,
  type Journal,
  type Journaling,
  type JournalOutcome,
  type OpenEntry
} from "../../../services/call/CallJournal.ts"
import type { Call } from "./record.ts"
import type { Route, ServerRoute } from "./Route.ts"

type Outcome = ToolResult | Route

/** Asked before the call is sent once more: see `OpenEntry`. */
type MayRunAgain = OpenEntry["mayRunAgain"]

/** Sends the call, as soon as its row is safe. Writing takes a moment, so `send` checks again what was checked before. */
export type Leave = (
  send: (again: MayRunAgain) => Effect.Effect<Outcome, CallError>
) => Effect.Effect<Outcome, CallError>

/** Runs the stages after which the call leaves. */
export type Journaled = (
  call: Call<ServerRoute>,
  stages: (leave: Leave) => Effect.Effect<Outcome, CallError>
) => Effect.Effect<Outcome, CallError>

/** The call has left, and its answer is not known. */
const MAYBE_EXECUTED: ReadonlySet<string> = new Set(["CallTimeout", "CallCancelled", "MessageTooLarge", "HttpFailed"])

/** Of a call that may have left: what is known of it when it is over here. Another route means that it has not left. */
const outcomeOf = (exit: Exit.Exit<Outcome, CallError>): JournalOutcome => {
  if (Exit.isSuccess(exit)) return "_tag" in exit.value ? "failed" : "done"
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  // It was canceled, or something went wrong here: it may have left.
  if (error === undefined) return "unknown"
  if (MAYBE_EXECUTED.has(error._tag)) return "unknown"
  return "maybeExecuted" in error && error.maybeExecuted === true ? "unknown" : "failed"
}

const AT_ONCE: Leave = (send) => send(undefined)

export const makeJournaled = (agent: string, journaling: Journaling): Journaled => {
  /** While calls are refused, by limits for example, their rows are begun only when they leave: so refused calls do not fill the journal. */
  let hasLastLeft = true

  const inJournal = (
    { open }: Journal,
    { options, route: { agentTool, server, tool } }: Call<ServerRoute>,
    stages: (leave: Leave) => Effect.Effect<Outcome, CallError>
  ): Effect.Effect<Outcome, CallError> =>
    Effect.withFiber((fiber) => {
      const origin = fiber.getRef(CallOrigin)
      const { close, mayRunAgain, written } = open(
        {
          agent,
          client: options.caller?.client,
          server: agentTool.server,
          toolPrefix: server.config.toolPrefix,
          tool: agentTool.tool,
          ownName: tool
        },
        origin
      )
      let hasLeft = false
      const leave: Leave = (send) =>
        Effect.flatMap(written, () => {
          hasLeft = true
          origin?.leaves?.()
          return send(mayRunAgain)
        })
      return Effect.onExitPrimitive(
        Effect.suspend(() => stages(leave)),
        (exit) => {
          hasLastLeft = hasLeft
          close(hasLeft ? outcomeOf(exit) : "failed")
          return undefined
        }
      )
    })

  /** Nobody says `unknown` of a call that waited for its server while its node died: its row is begun when the server is there. */
  const mayBegin = ({ route: { server } }: Call<ServerRoute>) =>
    hasLastLeft && server.supervised.snapshot().state._tag === "Ready"

  return (call, stages) => {
    const { current } = journaling
    if (current === undefined) return stages(AT_ONCE)
    if (mayBegin(call)) return inJournal(current, call, stages)
    return stages((send) => inJournal(current, call, (leave) => leave(send)))
  }
}
