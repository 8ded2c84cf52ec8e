/** The open questions of a gateway. They are asked here and by the program's own means, and withdrawn where they were not answered first. */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { randomUUID } from "node:crypto"
import type { ApprovalAbout, ApprovalAnswer } from "../../schemas/call/Approval.ts"
import { mayApprove } from "../../schemas/call/MayApprove.ts"
import type { Caller } from "../../schemas/call/Caller.ts"
import type { ElicitationRequest, ElicitationResult } from "../../schemas/content/HostRequest.ts"
import type { PendingQuestion, QuestionAnswer } from "../../schemas/control/Question.ts"
import { type Approve, GivenBy } from "../../services/call/Approvals.ts"
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

/** An answer of somebody who has logged in, or of the operator. */
interface Given {
  readonly answer: QuestionAnswer
  readonly by: Caller | undefined
}

/** Whether somebody who attends answers such questions; of a question of a server, nobody but the operator does. */
type Attendant = (about: ApprovalAbout | undefined) => boolean

interface Open {
  readonly question: PendingQuestion
  /** Of the question about a call. */
  readonly about: ApprovalAbout | undefined
  readonly answered: Deferred.Deferred<Given, Unattended>
  /** It is asked nowhere else. */
  readonly only: boolean
}

/** Programs without Effect return promises. */
const ofProgram = (own: Approve, question: Parameters<Approve>[0]): Effect.Effect<ApprovalAnswer | GivenBy, unknown> =>
  Effect.scoped(
    Effect.flatMap(Effect.abortSignal, (signal) =>
      Effect.suspend(() => {
        const given = own(question, signal)
        return Effect.isEffect(given) ? given : Effect.promise(async () => given)
      })
    )
  )

const operator: Attendant = () => true

const personWho =
  (caller: () => Caller | undefined): Attendant =>
  (about) => {
    const now = caller()
    return now !== undefined && about !== undefined && mayApprove(now, about)
  }

/** What a program without people calls with: nobody but the operator may answer. */
const UNKNOWN: ApprovalAbout = {}

const isSame = (one: ReadonlyArray<PendingQuestion>, other: ReadonlyArray<PendingQuestion>): boolean =>
  one.length === other.length && one.every(({ id }, i) => id === other[i]!.id)

export const makeDesk = Effect.gen(function* () {
  const shown = yield* SubscriptionRef.make<ReadonlyArray<Open>>([])
  const open = new Map<string, Open>()
  const attendants = new Set<Attendant>()
  const show = Effect.suspend(() => SubscriptionRef.set(shown, [...open.values()]))

  const isAttended = (about: ApprovalAbout | undefined): boolean => [...attendants].some((answers) => answers(about))

  const ask = (
    make: (id: string) => PendingQuestion,
    only: boolean,
    about?: ApprovalAbout
  ): Effect.Effect<Given, Unattended> =>
    Effect.acquireUseRelease(
      Effect.suspend(() => {
        const id = randomUUID()
        const one: Open = { question: make(id), about, answered: Deferred.makeUnsafe(), only }
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
  const leave = (attendant: Attendant) =>
    Effect.suspend(() => {
      attendants.delete(attendant)
      const left = [...open.values()].filter(({ about, only }) => only && !isAttended(about))
      return Effect.forEach(left, ({ answered }) => Deferred.fail(answered, new Unattended()), { discard: true })
    })

  const attended = <A>(attendant: Attendant, see: (all: ReadonlyArray<Open>) => A): Stream.Stream<A> =>
    Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(
          Effect.sync(() => void attendants.add(attendant)),
          () => leave(attendant)
        ),
        Stream.map(SubscriptionRef.changes(shown), see)
      )
    )

  const approving: Desks["approving"] = (own) => {
    const approve: Approve = (question, _signal, about = UNKNOWN) => {
      const here = Effect.flatMap(
        ask((id) => ({ _tag: "Approval", id, question }), own === undefined, about),
        ({ answer, by }): Effect.Effect<ApprovalAnswer | GivenBy> => {
          if (answer._tag !== "Approval") return Effect.never
          return Effect.succeed(by?.person === undefined ? answer.answer : new GivenBy(answer.answer, by.person))
        }
      )
      if (own === undefined) return here
      // The program's own terminal may be gone while somebody attends.
      const there = ofProgram(own, question).pipe(
        Effect.catch((error) => (isAttended(about) ? Effect.never : Effect.fail(error)))
      )
      return Effect.raceFirst(there, here)
    }
    return Object.assign(approve, { canAsk: (about = UNKNOWN) => own !== undefined || isAttended(about) })
  }

  const eliciting: Desks["eliciting"] = (own) => (request) => {
    const here = ask((id) => ({ _tag: "Elicitation", id, request }), own === undefined).pipe(
      Effect.flatMap(({ answer }) => (answer._tag === "Elicitation" ? Effect.succeed(answer.result) : Effect.never)),
      Effect.catch(() => Effect.succeed(NO_ANSWER))
    )
    if (own !== undefined) return Effect.raceFirst(own(request), here)
    return Effect.suspend(() => (isAttended(undefined) ? here : Effect.succeed(NO_ANSWER)))
  }

  const questionsIn = (all: ReadonlyArray<Open>): ReadonlyArray<PendingQuestion> => all.map(({ question }) => question)

  const answered = (id: string, given: Given, answers: Attendant): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const one = open.get(id)
      return one === undefined || !answers(one.about) || one.question._tag !== given.answer._tag
        ? Effect.succeed(false)
        : Deferred.succeed(one.answered, given)
    })

  const service: Desk["Service"] = {
    shown: Stream.map(SubscriptionRef.changes(shown), questionsIn),
    questions: Stream.suspend(() => attended((about) => operator(about), questionsIn)),
    answer: (id, answer) => answered(id, { answer, by: undefined }, operator),
    questionsOf: (caller) =>
      Stream.suspend(() => {
        const person = personWho(caller)
        // What others are asked is not told either, not even that something has changed.
        return attended(person, (all) => questionsIn(all.filter(({ about }) => person(about)))).pipe(
          Stream.changesWith(isSame)
        )
      }),
    answerOf: (caller, id, answer) =>
      answered(
        id,
        { answer, by: caller },
        personWho(() => caller)
      )
  }
  return { service, approving, eliciting } satisfies Desks
})
