import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeDesk, type Desks } from "../../../src/layers/control/Desk.ts"
import type { ApprovalAnswer, ApprovalQuestion } from "../../../src/schemas/call/Approval.ts"
import type { ElicitationRequest, ElicitationResult } from "../../../src/schemas/content/HostRequest.ts"
import type { Approve } from "../../../src/services/call/Approvals.ts"

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
