/** Who may ask at all: by which names, from which pages, at which addresses; and what anybody is told. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { listening, TOKENS } from "../../support/listener.ts"
import { connected, ERAS } from "../../support/mcpClients.ts"
import { begin, bearer, send, type Sending } from "../../support/rawHttp.ts"
import { ambiguous, statusOf } from "../../support/rawSocket.ts"

const { me } = TOKENS
const PAGE = "http://localhost:6274"
const OTHER_PAGE = "http://localhost:6275"

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

const sent = (url: string, sending: Sending) => Effect.promise(() => send(url, sending))

const preflight = (url: string, headers: Record<string, string> = {}) =>
  sent(url, { method: "OPTIONS", headers: { origin: PAGE, "access-control-request-method": "POST", ...headers } })

describe("a page whose origin was named", () => {
  live("gets the answer to its preflight request without a token", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door: { origins: [PAGE] }, named: true })
      const metadata = "/.well-known/oauth-protected-resource"
      for (const path of ["/mcp", "/mcp/files", "/sse", "/messages", metadata, `${metadata}/mcp`]) {
        const { headers, status, text } = yield* preflight(new URL(path, url).href)
        assert.strictEqual(status, 204)
        assert.strictEqual(text, "")
        assert.deepInclude(headers, {
          "access-control-allow-origin": PAGE,
          "access-control-allow-methods": "GET, POST, DELETE",
          "access-control-allow-headers":
            "authorization, dpop, content-type, accept, mcp-session-id, mcp-protocol-version, last-event-id, mcp-method, mcp-name",
          vary: "origin"
        })
        assert.isUndefined(headers["access-control-allow-credentials"])
      }
    })
  )

  live("may send a header for each parameter, and no other", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door: { origins: [PAGE] } })
      const asked = "Mcp-Param-Region, x-other, mcp-param-, cookie, mcp-param-a b"
      const { headers } = yield* preflight(url, { "access-control-request-headers": asked })
      const allowed = String(headers["access-control-allow-headers"]).split(", ")
      assert.deepStrictEqual(allowed.slice(9), ["mcp-param-region"])
    })
  )

  live("reads answers and refusals, and the headers that it needs", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door: { origins: [PAGE] } })
      const readable = {
        "access-control-allow-origin": PAGE,
        "access-control-expose-headers": "mcp-session-id, www-authenticate, retry-after",
        vary: "origin"
      }
      const refused = yield* sent(url, { headers: { origin: PAGE } })
      assert.strictEqual(refused.status, 401)
      assert.deepInclude(refused.headers, readable)
      const headers = { origin: PAGE, "content-type": "application/json", ...bearer(me) }
      const faulty = yield* sent(url, { headers, body: "{" })
      assert.strictEqual(faulty.status, 400)
      assert.deepInclude(faulty.headers, readable)
      const stream = yield* sent(new URL("/sse", url).href, { method: "DELETE", headers })
      assert.strictEqual(stream.status, 405)
      assert.deepInclude(stream.headers, readable)
    })
  )

  live("is the only one: others are refused, and read nothing of it", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door: { origins: [PAGE] } })
      for (const origin of [OTHER_PAGE, "null", `${PAGE}.evil.example.com`, PAGE.toUpperCase()]) {
        for (const { headers, status } of [
          yield* preflight(url, { origin }),
          yield* sent(url, { headers: { origin, ...bearer(me) } })
        ]) {
          assert.strictEqual(status, 403)
          assert.isUndefined(headers["access-control-allow-origin"])
          assert.strictEqual(headers["vary"], "origin")
        }
      }
      const own = yield* sent(url, { headers: { origin: new URL(url).origin } })
      assert.strictEqual(own.status, 401)
      assert.isUndefined(own.headers["access-control-allow-origin"])
    })
  )

  live("is told the reason of a refusal in a JSON-RPC error of one sentence", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door: { whichToken: "the token in /home/me/token" } })
      const messageOf = ({ text }: { readonly text: string }) => {
        const said = JSON.parse(text) as { jsonrpc: string; id: null; error: { message: string } }
        assert.deepStrictEqual([said.jsonrpc, said.id], ["2.0", null])
        return said.error.message
      }
      const none = 'A token is missing: send "Authorization: Bearer TOKEN" with the token in /home/me/token'
      assert.strictEqual(messageOf(yield* sent(url, {})), none)
      assert.match(
        messageOf(yield* sent(url, { headers: bearer("wrong") })),
        /^This token is not one of this server's: /
      )
      assert.include(messageOf(yield* sent(url, { headers: { host: "evil.example.com" } })), "--allow-host")
    })
  )

  live("is always refused if no origin was configured", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      assert.strictEqual((yield* preflight(url)).status, 403)
      assert.strictEqual((yield* sent(url, { method: "OPTIONS" })).status, 405)
    })
  )
})

describe("whether we are there", () => {
  live("is answered to everyone, without any detail", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const health = new URL("/health", url).href
      const { headers, status, text } = yield* sent(health, { method: "GET" })
      assert.deepStrictEqual([status, text], [200, '{"status":"ok"}'])
      assert.strictEqual(headers["content-type"], "application/json")
      const head = yield* sent(health, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.strictEqual((yield* sent(health, { method: "POST" })).status, 405)
      assert.strictEqual((yield* sent(health, { method: "GET", headers: { host: "evil.example.com" } })).status, 403)
      assert.strictEqual((yield* sent(health, { method: "GET", headers: { origin: PAGE } })).status, 403)
    })
  )
})

describe("a page that may not ask", () => {
  live("is logged once, with cleaned text", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      yield* Effect.gen(function* () {
        const { url } = yield* listening({ door: { origins: [] } })
        for (const origin of ["http://one.example.com\u0080", PAGE]) {
          assert.strictEqual((yield* sent(url, { headers: { origin } })).status, 403)
        }
      }).pipe(Effect.provide(logger))
      assert.deepStrictEqual(said, [
        "a request from a web page of http://one.example.com was refused: --allow-origin ORIGIN allows its requests"
      ])
    })
  )
})

describe("names that lead here", () => {
  const status = (url: string, headers: Record<string, string>) =>
    Effect.map(sent(url, { headers: { ...bearer(me), ...headers } }), (answer) => answer.status)

  live("are the configured ones, at any port or at one; headers of a proxy do not count", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door: { hosts: ["MCP.example.com", "other.example.com:8443", "[fd00::1]"] } })
      const hosts = [
        "mcp.example.com",
        "mcp.EXAMPLE.com:9000",
        "other.example.com:8443",
        "[fd00::1]:80",
        new URL(url).host
      ]
      for (const host of hosts) assert.notStrictEqual(yield* status(url, { host }), 403, host)
      const strange = ["other.example.com", "other.example.com:80", "x.mcp.example.com", "mcp.example.com.evil.com"]
      for (const host of [...strange, "mcp.example.com:x", "127.0.0.1"]) {
        const forwarded = { "x-forwarded-host": "mcp.example.com", forwarded: "host=mcp.example.com" }
        assert.strictEqual(yield* status(url, { host, ...forwarded }), 403, host)
      }
      // A name of ours is no page of ours.
      assert.strictEqual(yield* status(url, { origin: "https://mcp.example.com" }), 403)
    })
  )

  live("are logged once and cleaned if they are not configured", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      yield* Effect.gen(function* () {
        const { url } = yield* listening({ door: { hosts: [] } })
        for (const host of ["one.example.com\u0080", "two.example.com"]) {
          assert.strictEqual(yield* status(url, { host }), 403)
        }
      }).pipe(Effect.provide(logger))
      assert.lengthOf(said, 1)
      assert.include(said[0], "a request for the host one.example.com was refused")
      assert.include(said[0], "--allow-host")
    })
  )
})

describe("addresses", () => {
  live("may be the loopback of IPv6", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ door: { address: "::1" } })
      assert.match(url, /^http:\/\/\[::1\]:\d+\/mcp$/)
      const { port } = new URL(url)
      assert.strictEqual((yield* Effect.promise(() => begin(url, me))).status, 200)
      const knock = (host: string) => Effect.map(sent(url, { headers: { host } }), (answer) => answer.status)
      assert.strictEqual(yield* knock(`localhost:${port}`), 401)
      assert.strictEqual(yield* knock(`127.0.0.1:${port}`), 403)
    })
  )

  for (const all of ["0.0.0.0", "::"]) {
    live(`may be all there are (${all}): then each is called as it is reached`, () =>
      Effect.gen(function* () {
        const { url } = yield* listening({ door: { address: all, hosts: [] } })
        const { port } = new URL(url)
        assert.strictEqual(url, `http://${all === "::" ? "[::1]" : "127.0.0.1"}:${port}/mcp`)
        assert.strictEqual((yield* Effect.promise(() => begin(url, me))).status, 200)
        const here = `http://127.0.0.1:${port}/mcp`
        for (const era of ERAS) {
          const client = yield* connected(era, { url: here, token: me })
          assert.strictEqual(yield* Effect.promise(() => client.call("echo", { text: "hi" })), "hi")
        }
        const knock = (host: string) => Effect.map(sent(here, { headers: { host } }), (answer) => answer.status)
        assert.strictEqual(yield* knock(`localhost:${port}`), 401)
        assert.strictEqual(yield* knock(`127.0.0.2:${port}`), 403)
        assert.strictEqual(yield* knock(`0.0.0.0:${port}`), 403)
        assert.strictEqual(yield* knock(`[::ffff:127.0.0.1]:${port}`), 403)
      })
    )
  }
})

describe("a request that a proxy may understand in another way", () => {
  const INITIALIZE = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
  })

  live("is refused as HTTP demands", () =>
    Effect.gen(function* () {
      const port = Number(new URL((yield* listening()).url).port)
      for (const [name, [status, bytes]] of Object.entries(ambiguous(port, me, INITIALIZE))) {
        assert.strictEqual(yield* Effect.promise(() => statusOf(port, bytes)), status, name)
      }
    })
  )
})
