/** A listener without sessions: each message of a client up to 2025-11-25 stands for itself. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { listening, TOKENS } from "../../support/listener.ts"
import { connected } from "../../support/mcpClients.ts"
import { ask, bearer, begin, send, textOf } from "../../support/rawHttp.ts"

const { me, other } = TOKENS
const LEGACY = "2025-11-25"
const door = { sessions: false, health: "/alive/me" }
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const called = (url: string, token: string, name: string, args = {}, id?: number) =>
  Effect.promise(() => ask(LEGACY, url, token, "tools/call", { name, arguments: args }, id === undefined ? {} : { id }))

const post = (url: string, body: unknown) =>
  Effect.promise(() =>
    send(url, { headers: { ...JSON_HEADERS, ...bearer(me) }, body: JSON.stringify(body) }).catch(() => undefined)
  )

describe("a listener without sessions", () => {
  it.live("answers clients with and without initialize", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door })
      const begun = yield* Effect.promise(() => begin(url, me))
      assert.strictEqual(begun.status, 200)
      assert.isUndefined(begun.headers["mcp-session-id"])
      assert.strictEqual(textOf(yield* called(url, me, "echo", { text: "hi" })), "hi")
      const who = JSON.parse(textOf(yield* called(url, other, "who"))) as ReadonlyArray<unknown>
      assert.strictEqual(who[0], "other")
      const client = yield* connected(LEGACY, { url, token: me })
      assert.strictEqual(yield* Effect.promise(() => client.call("echo", { text: "there" })), "there")
    }).pipe(Effect.scoped)
  )

  it.live("opens no stream, ends no session, and takes one message at a time", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door })
      for (const [method, path] of [
        ["GET", "/mcp"],
        ["DELETE", "/mcp"],
        ["GET", "/sse"],
        ["POST", "/messages"]
      ] as const) {
        const headers = { ...JSON_HEADERS, ...bearer(me) }
        const { status } = yield* Effect.promise(() => send(new URL(path, url).href, { method, headers }))
        assert.strictEqual(status, 405, `${method} ${path}`)
      }
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" }
      assert.strictEqual((yield* post(url, ping))?.status, 200)
      assert.strictEqual((yield* post(url, [ping, { ...ping, id: 2 }]))?.status, 400)
      assert.strictEqual((yield* post(url, { jsonrpc: "2.0", method: "notifications/initialized" }))?.status, 202)
      const revision = { ...JSON_HEADERS, ...bearer(me), "mcp-protocol-version": "1999-01-01" }
      const old = yield* Effect.promise(() => send(url, { headers: revision, body: JSON.stringify(ping) }))
      assert.strictEqual(old.status, 400)
    }).pipe(Effect.scoped)
  )

  it.live("answers health checks at the configured path only", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door })
      const status = (path: string) =>
        Effect.promise(async () => (await send(new URL(path, url).href, { method: "GET" })).status)
      assert.strictEqual(yield* status("/alive/me"), 200)
      assert.strictEqual(yield* status("/health"), 404)
    }).pipe(Effect.scoped)
  )

  it.live("fails questions to the client at once", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door })
      yield* Effect.promise(() => begin(url, me, { elicitation: {} }))
      assert.strictEqual(textOf(yield* called(url, me, "ask")), "gone")
    }).pipe(Effect.scoped)
  )

  it.live("cancels a request for its client, unless two have the same id", () =>
    Effect.gen(function* () {
      const { heard, lines, url } = yield* listening({ door })
      const cancel = post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } })
      const one = yield* Effect.forkChild(called(url, me, "wait", {}, 7))
      yield* heard("begun")
      const another = yield* Effect.forkChild(called(url, me, "wait", {}, 7))
      yield* heard("begun", 2)
      assert.strictEqual((yield* cancel)?.status, 202)
      assert.strictEqual(textOf(yield* called(url, me, "echo", { text: "still here" })), "still here")
      assert.notInclude(lines, "interrupted")
      yield* Effect.forkChild(called(url, me, "wait", {}, 8))
      yield* heard("begun", 3)
      yield* post(url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 8 } })
      yield* heard("interrupted")
      void [one, another]
    }).pipe(Effect.scoped)
  )
})
