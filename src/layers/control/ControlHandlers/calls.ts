/** Calls over the contract, and the questions of calls that wait for an answer over it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { callerAtTerminal } from "../../../schemas/call/Caller.ts"
import type { ApprovalAnswer } from "../../../schemas/call/Approval.ts"
import type { Look } from "../../../schemas/call/Look.ts"
import type { CallEvent } from "../../../schemas/control/Control.ts"
import { CONTROL_PROGRESS_WAITING_MAX } from "../../../schemas/defaults/Control.ts"
import { Approvals, type Approver } from "../../../services/call/Approvals.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { HostFeatures } from "../../../services/content/HostFeatures.ts"
import { terminalUser } from "../../../system/terminalUser.ts"

/** The client of all calls that come over the contract. */
const OPERATOR = "operator"

const makeQuestions = () => {
  const open = new Map<string, Deferred.Deferred<ApprovalAnswer>>()
  return {
    /** `told` shows the question to whoever can answer it. */
    ask: (told: (id: string) => void) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const id = randomUUID()
          const answered = Deferred.makeUnsafe<ApprovalAnswer>()
          open.set(id, answered)
          return { id, answered }
        }),
        ({ answered, id }) =>
          Effect.andThen(
            Effect.sync(() => told(id)),
            Deferred.await(answered)
          ),
        ({ id }) => Effect.sync(() => void open.delete(id))
      ),
    answer: (id: string, answer: ApprovalAnswer) =>
      Effect.suspend(() => {
        const answered = open.get(id)
        return answered === undefined ? Effect.succeed(false) : Deferred.succeed(answered, answer)
      })
  }
}

export interface CallRequest {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly look: Look
  readonly asks: boolean
}

/** The servers that a call of this tool may reach: all of them, if the tool is none of a server. */
const reachedBy = Effect.fnUntraced(function* (runtime: McpRuntimeShape, name: string) {
  const tool = (yield* runtime.allTools).find((one) => one.name === name)
  const servers = tool === undefined ? Object.keys(yield* runtime.status) : [tool.server]
  const found = yield* Effect.forEach(servers, runtime.inspect)
  return found.flatMap((one) => one?.config ?? [])
})

export const makeCalls = Effect.gen(function* () {
  const { endSession } = yield* Approvals
  const { unasked } = yield* HostFeatures
  const questions = makeQuestions()
  // Only the user who runs the gateway reaches it.
  const caller = callerAtTerminal(terminalUser(), OPERATOR)
  return {
    answer: questions.answer,
    call: (runtime: McpRuntimeShape, { arguments: args, asks, look, name }: CallRequest) =>
      Stream.callback<CallEvent>((queue) =>
        Effect.gen(function* () {
          const session = `${OPERATOR}:${randomUUID()}`
          const tell = (event: CallEvent) => Queue.offerUnsafe(queue, event)
          const approver: Approver = {
            session,
            isOperator: true,
            approve: (question) => questions.ask((id) => tell({ _tag: "Asked", id, question }))
          }
          const call = runtime
            .call(name, args, {
              caller,
              look,
              ...(asks ? { approver } : {}),
              // Whoever reads slowly gets fewer reports.
              onProgress: (progress) => {
                if (Queue.sizeUnsafe(queue) < CONTROL_PROGRESS_WAITING_MAX) tell({ _tag: "Progress", progress })
              }
            })
            .pipe(Effect.ensuring(endSession(session)))
          const result = yield* unasked === undefined ? call : unasked(yield* reachedBy(runtime, name), call)
          tell({ _tag: "Result", result })
          Queue.endUnsafe(queue)
        })
      )
  }
})
