/** Addresses with a name: what is opened at one is there alone, and names without end fill nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import { LISTENER_ADDRESSES_EACH_MAX } from "../../../src/schemas/defaults/Listener.ts"
import { RequestRefused } from "../../../src/schemas/listener/ListenerError.ts"
import type { OfferChange, Serve } from "../../../src/services/listener/McpListener.ts"
import { serveFixture } from "../../fixtures/listener/offer.ts"
import { listening, makeNotes, TOKENS } from "../../support/listener.ts"
import { connected, ERAS } from "../../support/mcpClients.ts"
import { ask, begin, sessionOf, textOf } from "../../support/rawHttp.ts"

const { me, other } = TOKENS
const LEGACY = "2025-11-25"
const MODERN = "2026-07-28"

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

/** Serves every client but those at `/mcp/nobody`, and notes at which addresses something is begun and let go of. */
const noting = Effect.gen(function* () {
  const notes = makeNotes()
  const fixture = serveFixture({ note: notes.note, changes: yield* PubSub.unbounded<OfferChange>() })
  const serve: Serve = (client) => {
    notes.note(`begins ${client.only}`)
    return Effect.andThen(
      Effect.addFinalizer(() => Effect.sync(() => notes.note(`ends ${client.only}`))),
      client.only === "nobody"
        ? Effect.fail(new RequestRefused({ code: -32_050, message: "Nobody of that name" }))
        : fixture(client)
    )
  }
  return { ...notes, serve }
})

describe("an address with a name", () => {
  live("is passed on to the handlers, in both eras", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ named: true })
      for (const era of ERAS) {
        const named = yield* connected(era, { url: `${url}/two%20words`, token: me })
        const all = yield* connected(era, { url, token: me })
        assert.strictEqual(yield* Effect.promise(() => named.call("only")), "two words")
        assert.strictEqual(yield* Effect.promise(() => all.call("only")), "undefined")
      }
    })
  )

  live("is nothing where there are no names", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      assert.strictEqual((yield* Effect.promise(() => begin(`${url}/files`, me))).status, 404)
      assert.strictEqual((yield* Effect.promise(() => ask(MODERN, `${url}/files`, me, "tools/list"))).status, 404)
    })
  )

  live("has its sessions alone", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ named: true })
      const session = sessionOf(yield* Effect.promise(() => begin(`${url}/one`, me)))
      const status = (at: string) =>
        Effect.map(
          Effect.promise(() => ask(LEGACY, at, me, "tools/list", {}, { session })),
          (answer) => answer.status
        )
      assert.strictEqual(yield* status(`${url}/one`), 200)
      assert.strictEqual(yield* status(`${url}/two`), 404)
      assert.strictEqual(yield* status(url), 404)
    })
  )

  live("that no handler serves is 404, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const { heard, lines, serve } = yield* noting
      const { url } = yield* listening({ serve, named: true })
      for (const send of [
        () => begin(`${url}/nobody`, me),
        () => ask(MODERN, `${url}/nobody`, me, "tools/list"),
        () => ask(MODERN, `${url}/nobody`, me, "server/discover")
      ]) {
        const { headers, messages, status } = yield* Effect.promise(send)
        assert.strictEqual(status, 404)
        assert.isUndefined(headers["mcp-session-id"])
        assert.deepInclude(messages[0]?.error, { code: -32_050, message: "Nobody of that name" })
      }
      yield* heard("ends nobody", 3)
      assert.lengthOf(lines, 6)
    })
  )

  live("is limited in number per token: one more replaces the least recently used one of the same token", () =>
    Effect.gen(function* () {
      const { heard, lines, serve } = yield* noting
      const { url } = yield* listening({ serve, named: true })
      const only = (name: string, token = me) =>
        Effect.map(
          Effect.promise(() => ask(MODERN, `${url}/${name}`, token, "tools/call", { name: "only", arguments: {} })),
          textOf
        )
      yield* only("theirs", other)
      // In use, and the first of all.
      void ask(MODERN, `${url}/used`, me, "tools/call", { name: "wait" }).catch(() => {})
      yield* heard("begun")
      for (let i = 1; i < LISTENER_ADDRESSES_EACH_MAX; i++) yield* only(`name-${i}`)
      assert.strictEqual(yield* only("name-1"), "name-1")
      assert.isFalse(lines.some((line) => line.startsWith("ends")))
      assert.strictEqual(yield* only("one-more"), "one-more")
      yield* heard("ends name-2")
      assert.strictEqual(yield* only("name-1"), "name-1")
      assert.deepStrictEqual(
        lines.filter((line) => line.startsWith("ends")),
        ["ends name-2"]
      )
    })
  )
})
