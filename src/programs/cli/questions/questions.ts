/**
 * The questions that people are asked: by servers, and by the runtime before a call that needs approval. They may come before
 * there is a prompt and after it is gone. One at a time; other output waits until the question is answered. Questions of a
 * muted server are declined at once, including those already in the queue.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { ApprovalAnswer, ApprovalQuestion } from "../../../schemas/call/Approval.ts"
import type { ElicitationRequest, ElicitationResult } from "../../../schemas/content/HostRequest.ts"
import { askApproval } from "./approve.ts"
import { elicit, type Dialogue } from "./elicit.ts"

/** Gives the terminal to one question for as long as that takes. */
export type Floor = <A, E, R>(use: (dialogue: Dialogue) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export interface Questions {
  /** For `McpLive`'s host. Answers `cancel` when nobody can be asked, since nobody has refused. */
  readonly elicit: (request: ElicitationRequest) => Effect.Effect<ElicitationResult>
  /** For `McpLive`'s `approve`. Fails when nobody can be asked: nothing is called then. */
  readonly approve: (question: ApprovalQuestion) => Effect.Effect<ApprovalAnswer, string>
  /** Asks questions here from now on, until the Scope closes. */
  readonly askOn: (floor: Floor) => Effect.Effect<void, never, Scope.Scope>
  /** Runs an effect while no question is open. */
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
    /** Checked twice: before waiting for the questions of other servers, and after it. */
    elicit: (request) =>
      unlessMuted(
        request,
        unlessMuted(
          request,
          Effect.suspend((): Effect.Effect<ElicitationResult> =>
            open === undefined
              ? Effect.succeed({ action: "cancel" })
              : open((dialogue) => elicit(dialogue, request, () => muted.add(request.server)))
          )
        ).pipe(turn.withPermit)
      ),
    approve: (question) =>
      turn.withPermit(
        Effect.suspend(() =>
          open === undefined
            ? Effect.fail("there is no prompt to ask at")
            : open((dialogue) => askApproval(dialogue, question))
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
