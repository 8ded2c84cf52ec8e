/** The open questions of a gateway. They are asked here and by the program's own means, and withdrawn where they were not answered first. */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { randomUUID } from "node:crypto"
import type { ApprovalAnswer } from "../../schemas/call/Approval.ts"
import type { ElicitationRequest, ElicitationResult } from "../../schemas/content/HostRequest.ts"
import type { PendingQuestion, QuestionAnswer } from "../../schemas/control/Question.ts"
import type { Approve } from "../../services/call/Approvals.ts"
import type { Desk } from "../../services/control/Desk.ts"

type Elicit = (request: ElicitationRequest) => Effect.Effect<ElicitationResult>

export interface Desks {
  readonly service: Desk["Service"]
  /** Asks here, and by the program's own means if there are any. */
  readonly approving: (own: Approve | undefined) => Approve
  readonly eliciting: (own: Elicit | undefined) => Elicit
}

/** What a server gets when nobody is there to be asked. */
const NO_ANSWER: ElicitationResult = { action: "cancel" }

/** Nobody attends any more. */
class Unattended extends Data.TaggedError("Unattended") {}

interface Open {
  readonly question: PendingQuestion
  readonly answered: Deferred.Deferred<QuestionAnswer, Unattended>
  /** It is asked nowhere else. */
  readonly only: boolean
}

/** Programs without Effect return promises. */
const ofProgram = (own: Approve, question: Parameters<Approve>[0]): Effect.Effect<ApprovalAnswer, unknown> =>
  Effect.scoped(
    Effect.flatMap(Effect.abortSignal, (signal) =>
      Effect.suspend(() => {
        const given = own(question, signal)
        return Effect.isEffect(given) ? given : Effect.promise(async () => given)
      })
    )
  )

export const makeDesk = Effect.gen(function* () {
  const shown = yield* SubscriptionRef.make<ReadonlyArray<PendingQuestion>>([])
  const open = new Map<string, Open>()
  let attending = 0
  const show = Effect.suspend(() =>
    SubscriptionRef.set(
      shown,
      [...open.values()].map(({ question }) => question)
    )
  )

  const ask = (make: (id: string) => PendingQuestion, only: boolean): Effect.Effect<QuestionAnswer, Unattended> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const id = randomUUID()
        const one: Open = { question: make(id), answered: Deferred.makeUnsafe(), only }
        open.set(id, one)
        return Effect.as(show, one)
      }),
      ({ answered }) => Deferred.await(answered),
      ({ question }) =>
        Effect.andThen(
          Effect.sync(() => void open.delete(question.id)),
          show
        )
    )

  /** Calls that wait for nobody are denied, as without a desk. */
  const leave = Effect.suspend(() => {
    if (--attending > 0) return Effect.void
    const left = [...open.values()].filter(({ only }) => only)
    return Effect.forEach(left, ({ answered }) => Deferred.fail(answered, new Unattended()), { discard: true })
  })

  const approving: Desks["approving"] = (own) => {
    const approve: Approve = (question) => {
      const here = Effect.flatMap(
        ask((id) => ({ _tag: "Approval", id, question }), own === undefined),
        (given) => (given._tag === "Approval" ? Effect.succeed(given.answer) : Effect.never)
      )
      if (own === undefined) return here
      // The program's own terminal may be gone while somebody attends.
      const there = ofProgram(own, question).pipe(
        Effect.catch((error) => (attending > 0 ? Effect.never : Effect.fail(error)))
      )
      return Effect.raceFirst(there, here)
    }
    return Object.assign(approve, { canAsk: () => own !== undefined || attending > 0 })
  }

  const eliciting: Desks["eliciting"] = (own) => (request) => {
    const here = ask((id) => ({ _tag: "Elicitation", id, request }), own === undefined).pipe(
      Effect.flatMap((given) => (given._tag === "Elicitation" ? Effect.succeed(given.result) : Effect.never)),
      Effect.catch(() => Effect.succeed(NO_ANSWER))
    )
    if (own !== undefined) return Effect.raceFirst(own(request), here)
    return Effect.suspend(() => (attending > 0 ? here : Effect.succeed(NO_ANSWER)))
  }

  const service: Desk["Service"] = {
    shown: SubscriptionRef.changes(shown),
    questions: Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => void attending++),
          () => leave
        ),
        SubscriptionRef.changes(shown)
      )
    ),
    answer: (id, answer) =>
      Effect.suspend(() => {
        const one = open.get(id)
        return one === undefined || one.question._tag !== answer._tag
          ? Effect.succeed(false)
          : Deferred.succeed(one.answered, answer)
      })
  }
  return { service, approving, eliciting } satisfies Desks
})
