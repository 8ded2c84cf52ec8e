/** Nodes of a fleet that end, or seemed to: nothing is lost that can be kept, and nothing stale is served. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { FLEET_DRAIN_NOTICE_MS } from "../../../src/schemas/defaults/Listener.ts"
import { fleetOf, type TestNode } from "../../support/listenerFleet.ts"
import { describePostgres } from "../../support/postgres.ts"
import { ask, begin, send, sessionOf, textOf } from "../../support/rawHttp.ts"

const TOKEN = "a-token-of-me"

const health = (url: string, which: string) =>
  Effect.promise(async () => {
    const { status, text } = await send(url.replace("/mcp", `/health/${which}`), { method: "GET" })
    return [status, (JSON.parse(text) as { readonly status: string }).status]
  })

const opened = ({ url }: TestNode) =>
  Effect.map(
    Effect.promise(() => begin(url, TOKEN)),
    sessionOf
  )

const call = ({ url }: TestNode, session: string, name: string) =>
  Effect.promise(() => ask("2025-11-25", url, TOKEN, "tools/call", { name }, { session }))

describePostgres("the end of a node of a fleet", () => {
  it.live("a node that is told to end takes no sessions, gives its own to others, and finishes its calls", () =>
    Effect.gen(function* () {
      const { nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      yield* Effect.repeat(health(a.url, "ready"), { until: ([status]) => status === 200 })
      const [idle, busy] = [yield* opened(a), yield* opened(a)]
      const calling = yield* Effect.forkChild(call(a, busy, "hold"))
      yield* a.heard("begun")
      a.signal("SIGTERM")
      yield* a.heard("draining")
      assert.deepStrictEqual(yield* health(a.url, "live"), [200, "ok"])
      assert.deepStrictEqual(yield* health(a.url, "ready"), [503, "draining"])
      assert.match(yield* opened(a), /^b\./)
      // The one that nothing is done for goes on at the other node, whomever its client asks.
      assert.strictEqual(textOf(yield* call(b, idle, "node")), "b")
      assert.strictEqual(textOf(yield* call(a, idle, "node")), "b")
      // The other one stays until its call is done.
      assert.strictEqual(textOf(yield* call(b, busy, "node")), "a")
      a.release()
      assert.strictEqual(textOf(yield* Fiber.join(calling)), "released")
      assert.strictEqual(yield* a.ended, 0)
      assert.strictEqual(textOf(yield* call(b, busy, "node")), "b")
    })
  )

  it.live("a node that is told to end passes on the answers of other nodes that its clients wait for", () =>
    Effect.gen(function* () {
      const { nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      const session = yield* opened(b)
      const calling = yield* Effect.forkChild(call(a, session, "hold"))
      yield* b.heard("begun")
      a.signal("SIGTERM")
      yield* a.heard("draining")
      const isGone = Effect.as(a.ended, true)
      // Longer than load balancers need to notice it.
      assert.isUndefined(Option.getOrUndefined(yield* Effect.timeoutOption(isGone, 2 * FLEET_DRAIN_NOTICE_MS)))
      b.release()
      assert.strictEqual(textOf(yield* Fiber.join(calling)), "released")
      assert.strictEqual(yield* a.ended, 0)
    })
  )

  it.live("a node that froze for longer than others wait for it serves nothing that they have taken over", () =>
    Effect.gen(function* () {
      const { nodes } = yield* fleetOf("a", "b")
      const [a, b] = nodes as [TestNode, TestNode]
      const session = yield* opened(a)
      assert.strictEqual(textOf(yield* call(b, session, "node")), "a")
      a.signal("SIGSTOP")
      // It may have taken the first one before it froze.
      assert.match(textOf(yield* call(b, session, "node")), /^b$|may have been executed/)
      assert.strictEqual(textOf(yield* call(b, session, "node")), "b")
      a.signal("SIGCONT")
      assert.strictEqual(textOf(yield* call(a, session, "node")), "b")
      // It goes on as another life of this node.
      const next = yield* opened(a)
      assert.strictEqual(textOf(yield* call(b, next, "node")), "a")
      assert.notStrictEqual(next.split(".")[1], session.split(".")[1])
    })
  )
})
