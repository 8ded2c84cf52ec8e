/** The port of `mcp-live serve`, as flags and configuration open it: to other clients, names, pages and addresses. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connected, listed } from "../../support/mcpClients.ts"
import { bearer, send, type Sending } from "../../support/rawHttp.ts"
import { listening, placeFor, real } from "./program.ts"

const TOKEN = "a-token-of-the-test"
const ENV = { DOOR_TOKEN: TOKEN }
const PAGE = "http://localhost:6274"
const NAME = "mcp.example.com"

const placeWith = (serve: object = {}) =>
  placeFor({
    serve: { clients: [{ name: "one", token: "secret://env/DOOR_TOKEN" }], ...serve },
    mcpServers: { all: real("everything", ["stdio"]) }
  })

const statusAt = (url: string, path: string, headers: Record<string, string>, more: Sending = {}) =>
  Effect.map(
    Effect.promise(() => send(new URL(path, url).href, { method: "GET", ...more, headers })),
    ({ status }) => status
  )

const checkOpen = Effect.fnUntraced(function* (url: string) {
  assert.strictEqual(yield* statusAt(url, "/health", { host: NAME }), 200)
  assert.strictEqual(yield* statusAt(url, "/health", { host: "other.example.com" }), 403)
  assert.strictEqual(yield* statusAt(url, "/mcp", { origin: PAGE }, { method: "OPTIONS" }), 204)
  assert.strictEqual(yield* statusAt(url, "/mcp", { origin: "http://localhost:1" }, { method: "OPTIONS" }), 403)
  assert.strictEqual(yield* statusAt(url, "/mcp", { host: NAME, origin: PAGE }), 401)
  // A session is missing: the door is behind it.
  assert.strictEqual(yield* statusAt(url, "/mcp", { host: NAME, origin: PAGE, ...bearer(TOKEN) }), 400)
})

describe("the port of serve", () => {
  it.live("serves clients of 2024-11-05, all servers or one of them", () =>
    Effect.gen(function* () {
      const { stderr, url } = yield* listening(yield* placeWith(), [], ENV)
      for (const path of ["/sse", "/sse/all"]) {
        const door = { url: new URL(path, url).href, token: TOKEN, sse: true }
        const client = yield* connected("2025-11-25", door)
        const name = path === "/sse" ? "mcp_all_echo" : "echo"
        yield* listed(client, "tools/list", name)
        assert.include(yield* Effect.promise(() => client.call(name, { message: "hi" })), "hi")
      }
      assert.strictEqual(yield* statusAt(url, "/sse/none", bearer(TOKEN)), 404)
      assert.notInclude(stderr(), "plain text")
    }).pipe(Effect.scoped)
  )

  it.live("is open to what the command line names, and says what that means", () =>
    Effect.gen(function* () {
      const args = ["--host", "0.0.0.0", "--allow-host", NAME, "--allow-origin", "http://localhost:1000"]
      const { logged, url } = yield* listening(yield* placeWith(), [...args, "--allow-origin", PAGE], ENV)
      yield* checkOpen(url)
      yield* logged(
        /at 0\.0\.0\.0 other machines can reach this, and everything, including tokens, goes over the network in plain text/
      )
      yield* logged(/a request for the host other\.example\.com was refused[^\n]*--allow-host/)
    }).pipe(Effect.scoped)
  )

  it.live("is open to what the configuration names", () =>
    Effect.gen(function* () {
      const place = yield* placeWith({ host: "::1", hosts: [NAME], origins: [PAGE] })
      const { stderr, url } = yield* listening(place, [], ENV)
      assert.match(url, /^http:\/\/\[::1\]:/)
      yield* checkOpen(url)
      assert.notInclude(stderr(), "plain text")
    }).pipe(Effect.scoped)
  )
})
