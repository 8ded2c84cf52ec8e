/**
 * The questions of servers, and of the runtime before it makes a call that needs approval, from before there is a prompt to
 * ask them at until after it is gone. One at a time; what else would be written to the terminal waits until the question is
 * answered. A server that was muted is declined unheard, also with what it has in the queue.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { ApprovalAnswer, ApprovalQuestion } from "../../../schemas/call/Approval.ts"
import type { ElicitationRequest, ElicitationResult } from "../../../schemas/content/HostRequest.ts"
import { askApproval } from "./approve.ts"
import { elicit, type Dialogue } from "./elicit.ts"

/** Gives the terminal to whoever asks, for as long as it takes. */
export type Floor = <A, E, R>(use: (exchange: Dialogue) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export interface Questions {
  /** For `McpLive`'s host. Where nobody can be asked the answer is `cancel`: nobody has said no. */
  readonly elicit: (request: ElicitationRequest) => Effect.Effect<ElicitationResult>
  /** For `McpLive`'s `approve`. Fails where nobody can be asked: nothing is called then. */
  readonly approve: (question: ApprovalQuestion) => Effect.Effect<ApprovalAnswer, string>
  /** From now on, until the Scope closes, questions are asked here. */
  readonly askOn: (floor: Floor) => Effect.Effect<void, never, Scope.Scope>
  /** Runs while no question is open. */
  readonly betweenQuestions: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const makeQuestions = (): Questions => {
  const turn = Semaphore.makeUnsafe(1)
  const muted = new Set<string>()
  let open: Floor | undefined
  const unlessMuted = ({ server }: ElicitationRequest, ask: Effect.Effect<ElicitationResult>) =>
    Effect.suspend((): Effect.Effect<ElicitationResult> =>
      muted.has(server) ? Effect.succeed({ action: "decline" }) : ask
    )
  return {
    /** Looked at twice: before there is a wait for other servers' questions, and after it. */
    elicit: (request) =>
      unlessMuted(
        request,
        unlessMuted(
          request,
          Effect.suspend((): Effect.Effect<ElicitationResult> =>
            open === undefined
              ? Effect.succeed({ action: "cancel" })
              : open((exchange) => elicit(exchange, request, () => muted.add(request.server)))
          )
        ).pipe(turn.withPermit)
      ),
    approve: (question) =>
      turn.withPermit(
        Effect.suspend(() =>
          open === undefined
            ? Effect.fail("there is no prompt to ask at")
            : open((exchange) => askApproval(exchange, question))
        )
      ),
    askOn: (floor) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          open = floor
        }),
        () =>
          Effect.sync(() => {
            open = undefined
          })
      ),
    betweenQuestions: (effect) => turn.withPermit(effect)
  }
}
