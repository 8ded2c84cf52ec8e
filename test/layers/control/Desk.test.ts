import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeDesk, type Desks } from "../../../src/layers/control/Desk.ts"
import type { ApprovalAbout, ApprovalAnswer, ApprovalQuestion } from "../../../src/schemas/call/Approval.ts"
import type { ElicitationRequest, ElicitationResult } from "../../../src/schemas/content/HostRequest.ts"
import { type Caller, loggedInId } from "../../../src/schemas/call/Caller.ts"
import { type Approve, GivenBy } from "../../../src/services/call/Approvals.ts"

const question: ApprovalQuestion = {
  agent: "main",
  server: "fs",
  tool: "write",
  exposed: "mcp_fs_write",
  rule: "ask: fs/*",
  arguments: "",
  changed: false
}

const asked = (approve: Approve) =>
  approve(question, new AbortController().signal) as Effect.Effect<ApprovalAnswer, unknown>

/** Attends, and takes what is shown. */
const attending = ({ service }: Desks) => Stream.toQueue(service.questions, { capacity: 16 })

const shown = (queue: Queue.Dequeue<ReadonlyArray<{ readonly id: string }>, unknown>, count: number) =>
  Queue.take(queue).pipe(Effect.repeat({ until: (now) => now.length === count }))

describe("the desk of a gateway", () => {
  it.effect("asks no one while no operator attends", () =>
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const approve = desk.approving(undefined)
      assert.isFalse(approve.canAsk!())
      assert.isTrue(desk.approving(() => Effect.never).canAsk!())
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* shown(yield* attending(desk), 0)
          assert.isTrue(approve.canAsk!())
        })
      )
      assert.isFalse(approve.canAsk!())
    })
  )

  it.effect("takes the first answer of the right kind, once", () =>
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const list = yield* attending(desk)
      const fiber = yield* Effect.forkChild(asked(desk.approving(undefined)))
      const [one] = yield* shown(list, 1)
      assert.deepStrictEqual(one, { _tag: "Approval", id: one!.id, question } as never)
      const { answer } = desk.service
      assert.isFalse(yield* answer(one!.id, { _tag: "Elicitation", result: { action: "accept" } }))
      assert.isFalse(yield* answer("another", { _tag: "Approval", answer: "once" }))
      assert.isTrue(yield* answer(one!.id, { _tag: "Approval", answer: "once" }))
      assert.strictEqual(yield* Fiber.join(fiber), "once")
      assert.isFalse(yield* answer(one!.id, { _tag: "Approval", answer: "deny" }))
    }).pipe(Effect.scoped)
  )

  it.effect("withdraws the question from the slower operator", () =>
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const list = yield* attending(desk)
      const given = yield* Deferred.make<ApprovalAnswer>()
      const there = yield* Effect.forkChild(asked(desk.approving(() => Deferred.await(given))))
      yield* shown(list, 1)
      yield* Deferred.succeed(given, "deny")
      assert.strictEqual(yield* Fiber.join(there), "deny")
      yield* shown(list, 0)

      const withdrawn = yield* Deferred.make<void>()
      const own: Approve = () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(withdrawn, undefined))
      const here = yield* Effect.forkChild(asked(desk.approving(own)))
      const [one] = yield* shown(list, 1)
      yield* desk.service.answer(one!.id, { _tag: "Approval", answer: "session" })
      assert.strictEqual(yield* Fiber.join(here), "session")
      yield* Deferred.await(withdrawn)
    }).pipe(Effect.scoped)
  )

  it.effect("fails questions when the last operator leaves, but not those that the program itself asks", () =>
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const scope = yield* Scope.make()
      const list = yield* Scope.provide(attending(desk), scope)
      const given = yield* Deferred.make<ApprovalAnswer>()
      const only = yield* Effect.forkChild(Effect.flip(asked(desk.approving(undefined))))
      const both = yield* Effect.forkChild(asked(desk.approving(() => Deferred.await(given))))
      yield* shown(list, 2)
      yield* Scope.close(scope, Exit.void)
      assert.deepInclude(yield* Fiber.join(only), { _tag: "Unattended" })
      yield* Deferred.succeed(given, "once")
      assert.strictEqual(yield* Fiber.join(both), "once")
    })
  )

  it.effect("answers questions of servers that the program asks, too", () =>
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const list = yield* attending(desk)
      const request = { mode: "url", server: "fs", message: "m", url: "https://a/", host: "a" } as ElicitationRequest
      const elicit = desk.eliciting(() => Effect.never as Effect.Effect<ElicitationResult>)
      const fiber = yield* Effect.forkChild(elicit(request))
      const [one] = yield* shown(list, 1)
      yield* desk.service.answer(one!.id, { _tag: "Elicitation", result: { action: "decline" } })
      assert.deepStrictEqual(yield* Fiber.join(fiber), { action: "decline" })
    }).pipe(Effect.scoped)
  )

  it.effect("answers for a program that cannot ask: by an operator who attends, or at once without one", () =>
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const request = { mode: "url", server: "fs", message: "m", url: "https://a/", host: "a" } as ElicitationRequest
      const elicit = desk.eliciting(undefined)
      assert.deepStrictEqual(yield* elicit(request), { action: "cancel" })
      const scope = yield* Scope.make()
      const list = yield* Scope.provide(attending(desk), scope)
      const answered = yield* Effect.forkChild(elicit(request))
      const [one] = yield* shown(list, 1)
      yield* desk.service.answer(one!.id, { _tag: "Elicitation", result: { action: "accept" } })
      assert.deepStrictEqual(yield* Fiber.join(answered), { action: "accept" })
      const left = yield* Effect.forkChild(elicit(request))
      yield* shown(list, 1)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(left), { action: "cancel" })
    })
  )
})

const person = (subject: string, groups: ReadonlyArray<string> = []): Caller => ({
  client: subject,
  person: { issuer: "https://login.example.com", subject, name: subject },
  groups,
  roles: [],
  scopes: []
})
const [ada, bob, lea] = [person("ada"), person("bob"), person("lea", ["leads"])]
const idOf = (caller: Caller) => loggedInId(caller)!
const YES = { _tag: "Approval", answer: "once" } as const

describe("a person at the desk", () => {
  const asking = (approve: Approve, about: ApprovalAbout) =>
    approve(question, new AbortController().signal, about) as Effect.Effect<ApprovalAnswer | GivenBy, unknown>

  it.effect("is waited for if they may answer, and only as long as they may", () =>
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const approve = desk.approving(undefined)
      const named = { personId: idOf(ada), approvers: ["group:leads"] }
      const scope = yield* Scope.make()
      const byBob = yield* Stream.toQueue(
        desk.service.questionsOf(() => bob),
        { capacity: 16 }
      )
      yield* shown(byBob, 0)
      assert.isFalse(approve.canAsk!(named))
      let now: Caller | undefined = lea
      const byLea = yield* Stream.toQueue(
        desk.service.questionsOf(() => now),
        { capacity: 16 }
      ).pipe(Scope.provide(scope))
      yield* shown(byLea, 0)
      assert.isTrue(approve.canAsk!(named))
      // Not for what nobody is named for, nor for a question without anything known.
      assert.isFalse(approve.canAsk!({ personId: idOf(ada) }))
      assert.isFalse(approve.canAsk!())
      const fiber = yield* Effect.forkChild(Effect.flip(asking(approve, named)))
      const [one] = yield* shown(byLea, 1)
      assert.isFalse(yield* desk.service.answerOf(bob, one!.id, YES))
      assert.isFalse(yield* desk.service.answerOf(ada, one!.id, YES))
      now = undefined
      assert.isFalse(approve.canAsk!(named))
      yield* Scope.close(scope, Exit.void)
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "Unattended" })
      // Whoever may not answer is not even told that there was a question.
      assert.isTrue(Option.isNone(yield* Queue.poll(byBob)))
    }).pipe(Effect.scoped)
  )

  it.effect(
    "answers as themselves, about their own calls and where they are named, and never approves their own as that",
    () =>
      Effect.gen(function* () {
        const desk = yield* makeDesk
        const list = yield* attending(desk)
        const approve = desk.approving(undefined)
        const answered = Effect.fnUntraced(function* (about: ApprovalAbout, by: Caller) {
          const fiber = yield* Effect.forkChild(asking(approve, about))
          const [one] = yield* shown(list, 1)
          const isTaken = yield* desk.service.answerOf(by, one!.id, YES)
          if (!isTaken) yield* desk.service.answer(one!.id, { _tag: "Approval", answer: "deny" })
          const given = yield* Fiber.join(fiber)
          yield* shown(list, 0)
          return given instanceof GivenBy ? `${given.answer} by ${given.by.name}` : given
        })
        assert.strictEqual(yield* answered({ personId: idOf(ada) }, ada), "once by ada")
        assert.strictEqual(yield* answered({ personId: idOf(ada) }, bob), "deny")
        assert.strictEqual(yield* answered({ personId: idOf(ada), approvers: ["bob"] }, bob), "once by bob")
        assert.strictEqual(yield* answered({ personId: idOf(ada), approvers: ["group:leads"] }, lea), "once by lea")
        assert.strictEqual(yield* answered({ personId: idOf(lea), approvers: ["group:leads"] }, lea), "deny")
        assert.strictEqual(
          yield* answered({ personId: idOf(ada), approvers: ["operator"] }, person("operator")),
          "deny"
        )
        assert.strictEqual(yield* answered({ personId: idOf(ada), approvers: ["role:leads"] }, lea), "deny")
      }).pipe(Effect.scoped)
  )

  it.effect("neither sees nor answers questions of servers", () =>
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const operator = yield* attending(desk)
      const byAda = yield* Stream.toQueue(
        desk.service.questionsOf(() => ada),
        { capacity: 16 }
      )
      yield* shown(byAda, 0)
      const request = { mode: "url", server: "fs", message: "m", url: "https://a/", host: "a" } as ElicitationRequest
      const fiber = yield* Effect.forkChild(desk.eliciting(undefined)(request))
      const [one] = yield* shown(operator, 1)
      const answer = { _tag: "Elicitation", result: { action: "accept" } } as const
      assert.isFalse(yield* desk.service.answerOf(ada, one!.id, answer))
      assert.isTrue(yield* desk.service.answer(one!.id, answer))
      yield* Fiber.join(fiber)
    }).pipe(Effect.scoped)
  )
})
