/** The page for people in a fleet: any node answers, and what waits for somebody at one node is answered at another. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { once } from "node:events"
import { ask } from "../support/ask.ts"
import { clientOf, dial, dialed } from "../support/page.ts"
import { pauses } from "../support/pause.ts"
import { cookiesOf, peopleGateway } from "../support/peoplePage.ts"
import { describePostgres, newDatabase } from "../support/postgres.ts"

describePostgres("people on the page, in a fleet", () => {
  it.live("log in at any node, hear what happens at the others, and approve calls of other nodes", () =>
    Effect.gen(function* () {
      const { url: database } = yield* newDatabase()
      const gateway = yield* peopleGateway({
        database,
        gateway: { tools: { ask: ["all/get-sum"], approvers: ["group:leads"] } }
      })
      // A login that was begun at one node, and ends at the other.
      gateway.comes("lea")
      const begun = yield* Effect.promise(() => gateway.begin())
      const params = yield* Effect.promise(() => gateway.answered(begun))
      const answer = yield* Effect.promise(() => gateway.back(params, begun.cookie, gateway.otherPage))
      assert.strictEqual(answer.status, 200, answer.text)
      const there = { url: gateway.otherPage, origin: gateway.origin }
      const lea = yield* clientOf({ ...there, cookie: cookiesOf(answer) })
      const ada = yield* clientOf({ ...there, cookie: (yield* gateway.signIn("ada")).cookie })
      const bob = yield* clientOf({ ...there, cookie: (yield* gateway.signIn("bob")).cookie })
      const byLea = yield* Stream.toQueue(lea.Events({}), { capacity: 256 })
      const byAda = yield* Stream.toQueue(ada.Events({}), { capacity: 256 })
      const byBob = yield* Stream.toQueue(bob.Events({}), { capacity: 256 })

      const adas = yield* gateway.clientOf("ada")
      const waiting = yield* Effect.forkChild(
        Effect.promise(() => adas.call("mcp_all_get-sum", { a: 2, b: 3 })).pipe(
          Effect.repeat({ schedule: pauses, until: (text) => text.includes("is 5") })
        )
      )
      const next = Queue.take(byLea).pipe(
        Effect.map(({ event }) => (event._tag === "Questions" ? event.questions[0] : undefined)),
        Effect.repeat({ until: (one) => one !== undefined })
      )
      const question = (yield* next)!
      const yes = { id: question.id, answer: { _tag: "Approval", answer: "once" } } as const
      assert.isFalse(yield* bob.AnswerQuestion(yes))
      assert.isFalse(yield* ada.AnswerQuestion(yes))
      assert.isTrue(yield* lea.AnswerQuestion(yes))
      assert.include(yield* Fiber.join(waiting), "is 5")
      const heard = yield* Queue.take(byAda).pipe(
        Effect.map(({ event }) => (event._tag === "Call" && event.record.kind === "call" ? event.record : undefined)),
        Effect.repeat({ until: (one) => one?.outcome === "ok" })
      )
      assert.deepInclude(heard, { person: "ada@example.com", tool: "get-sum" })
      const others = yield* Queue.takeAll(byBob)
      assert.isTrue(others.every(({ event }) => event._tag === "Questions" && event.questions.length === 0))
    })
  )

  it.live(
    "log out at one node, and have logged out at all; others stay logged in, also where a node starts again",
    () =>
      Effect.gen(function* () {
        const { url: database } = yield* newDatabase()
        const gateway = yield* peopleGateway({ database })
        const [ada, bob] = [yield* gateway.signIn("ada"), yield* gateway.signIn("bob")]
        const there = (entered: typeof ada) => ({ ...entered, url: gateway.otherPage })
        const statusOf = (entered: typeof ada) =>
          Effect.map(
            Effect.promise(() => ask(gateway.otherPage, { cookie: entered.cookie })),
            ({ status }) => status
          )
        const [adas, bobs] = [yield* dialed(there(ada)), yield* dialed(there(bob))]
        assert.strictEqual(yield* statusOf(ada), 200)
        const closed = once(adas, "close")
        const left = yield* Effect.promise(() => gateway.post("sign-out", gateway.origin, ada.cookie))
        assert.strictEqual(left.status, 204)
        yield* Effect.promise(() => closed)
        // A copy of the cookie is worth nothing at the other node either, nor after that has started again.
        assert.strictEqual(yield* statusOf(ada), 401)
        assert.strictEqual(yield* Effect.promise(() => dial(there(ada))), 401)
        assert.strictEqual(bobs.readyState, bobs.OPEN)
        assert.strictEqual(yield* statusOf(bob), 200)
        yield* gateway.restartOther
        assert.strictEqual(yield* statusOf(ada), 401)
        assert.strictEqual(yield* Effect.promise(() => dial(there(ada))), 401)
        assert.strictEqual(yield* statusOf(bob), 200)
        yield* dialed(there(bob))
      }).pipe(Effect.scoped)
  )
})
