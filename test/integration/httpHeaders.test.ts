import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ServerConnection, ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import type { HttpFixture } from "../fixtures/httpServer.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { callTool, connectorLayer, httpConfig, open, textOf } from "../support/connector.ts"

const scenario = (name: string, body: Effect.Effect<void, unknown, ServerConnector | Scope.Scope>) =>
  it.live(name, () => body.pipe(Effect.scoped, Effect.provide(connectorLayer)))

const BRIEF = { idleMs: 10_000, totalMs: 60_000 }

const read = (connection: ServerConnection, uri: string) => connection.request("resources/read", { uri }, BRIEF)

const names = ({ catalogue }: ServerConnection) => catalogue.tools.map(({ name }) => name)

/** What was posted of a method: the headers that begin so. */
const sent = ({ requests }: HttpFixture, method: string, prefix: string) =>
  requests
    .filter((request) => request.method === method)
    .map(({ headers }) => Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix))))

const count = ({ requests }: HttpFixture, method: string) => requests.filter((one) => one.method === method).length

const ARGUMENTS = {
  region: "us-west1",
  priority: 42,
  verbose: false,
  place: { zone: "Zürich " },
  query: "not mirrored"
}

describe("HTTP: request headers (2026-07-28)", () => {
  scenario(
    "each request names its revision, its method and what it is about",
    Effect.gen(function* () {
      const server = yield* httpServer("modern")
      const connection = yield* open(httpConfig(server.url))
      yield* callTool(connection, "echo", { text: "hi" })
      yield* read(connection, "test://one")
      yield* connection.request("prompts/get", { name: "plain" }, BRIEF)
      assert.isTrue(server.requests.every(({ headers }) => headers["mcp-protocol-version"] === "2026-07-28"))
      assert.isTrue(server.requests.every(({ headers, method }) => headers["mcp-method"] === method))
      assert.deepInclude(sent(server, "tools/call", "mcp-n"), { "mcp-name": "echo" })
      assert.deepInclude(sent(server, "resources/read", "mcp-n"), { "mcp-name": "test://one" })
      assert.deepInclude(sent(server, "prompts/get", "mcp-n"), { "mcp-name": "plain" })
    })
  )

  scenario(
    "a name that no header can carry is encoded",
    Effect.gen(function* () {
      const server = yield* httpServer("modern")
      const connection = yield* open(httpConfig(server.url))
      yield* Effect.flip(read(connection, "test://ключ\r\nx-evil: 1"))
      const [headers] = sent(server, "resources/read", "")
      assert.strictEqual(headers?.["mcp-name"], "=?base64?dGVzdDovL9C60LvRjtGHDQp4LWV2aWw6IDE=?=")
      assert.notProperty(headers, "x-evil")
    })
  )

  scenario(
    "parameters that a tool wants in headers are there, as the body says them",
    Effect.gen(function* () {
      const server = yield* httpServer("mirrors")
      const connection = yield* open(httpConfig(server.url))
      const result = yield* callTool(connection, "mirrored", ARGUMENTS)
      assert.deepStrictEqual(JSON.parse(textOf(result)), ARGUMENTS)
      assert.deepStrictEqual(sent(server, "tools/call", "mcp-param-"), [
        {
          "mcp-param-region": "us-west1",
          "mcp-param-priority": "42",
          "mcp-param-verbose": "false",
          "mcp-param-zone": "=?base64?WsO8cmljaCA=?="
        }
      ])
    })
  )

  scenario(
    "a parameter without a value has no header",
    Effect.gen(function* () {
      const server = yield* httpServer("mirrors")
      const connection = yield* open(httpConfig(server.url))
      yield* callTool(connection, "mirrored", { region: null, place: {} })
      assert.deepStrictEqual(sent(server, "tools/call", "mcp-param-"), [{}])
    })
  )

  scenario(
    "a tool that wants the impossible is left out and named, the others stay",
    Effect.gen(function* () {
      const server = yield* httpServer("mirrors")
      const connection = yield* open(httpConfig(server.url))
      assert.include(names(connection), "mirrored")
      assert.notInclude(names(connection), "unusable")
      const words = connection.catalogue.diagnostics.join()
      assert.include(words, '"unusable"')
      assert.include(words, "x-mcp-header")
    })
  )

  scenario(
    "older revisions know nothing of it: no header, and no tool left out",
    Effect.gen(function* () {
      const server = yield* httpServer("mirrors-legacy")
      const connection = yield* open(httpConfig(server.url))
      yield* callTool(connection, "mirrored", ARGUMENTS)
      assert.include(names(connection), "unusable")
      assert.deepStrictEqual(sent(server, "tools/call", "mcp-param-"), [{}])
      assert.deepStrictEqual(sent(server, "tools/call", "mcp-method"), [{}])
    })
  )

  scenario(
    "a call that is refused for its headers is sent once more, when the tools were listed anew, and the change is told",
    Effect.gen(function* () {
      const server = yield* httpServer("mirrors-anew")
      const connection = yield* open(httpConfig(server.url))
      const events: Array<string> = []
      connection.onEvent(({ _tag }) => events.push(_tag))
      const result = yield* callTool(connection, "mirrored", ARGUMENTS)
      assert.deepStrictEqual(JSON.parse(textOf(result)), ARGUMENTS)
      assert.strictEqual(count(server, "tools/call"), 2)
      assert.strictEqual(count(server, "tools/list"), 2)
      assert.include(events, "ListChanged")
    })
  )

  scenario(
    "but only once",
    Effect.gen(function* () {
      const server = yield* httpServer("mirrors-anew:5")
      const connection = yield* open(httpConfig(server.url))
      const error = yield* Effect.flip(callTool(connection, "mirrored", ARGUMENTS))
      assert.isTrue(error._tag === "ProtocolError" && error.code === -32020)
      assert.strictEqual(count(server, "tools/call"), 2)
    })
  )
})

describe("HTTP: errors of servers that say them with a status (2026-07-28)", () => {
  scenario(
    "a method that a server does not have (404) is its answer, and costs nothing else",
    Effect.gen(function* () {
      const { url } = yield* httpServer("modern")
      const connection = yield* open(httpConfig(url))
      const error = yield* Effect.flip(connection.request("no/such", {}, BRIEF))
      assert.isTrue(error._tag === "ProtocolError" && error.code === -32601)
      assert.strictEqual(textOf(yield* callTool(connection, "echo", { text: "hi" })), "hi")
    })
  )

  scenario(
    "a server without tools is a server",
    Effect.gen(function* () {
      const { url } = yield* httpServer("toolless")
      const connection = yield* open(httpConfig(url))
      assert.isEmpty(connection.catalogue.tools)
      assert.isNotEmpty(connection.catalogue.resources)
    })
  )

  scenario(
    "404 without an answer in it fails the call alone: there is no session to lose",
    Effect.gen(function* () {
      const { url } = yield* httpServer("lost-once")
      const connection = yield* open(httpConfig(url))
      const error = yield* Effect.flip(callTool(connection, "echo", { text: "hi" }))
      assert.isTrue(error._tag === "HttpFailed" && error.status === 404)
      assert.strictEqual(textOf(yield* callTool(connection, "echo", { text: "hi" })), "hi")
    })
  )

  scenario(
    "a server that refuses older revisions is quoted, and not taken for one of HTTP+SSE",
    Effect.gen(function* () {
      const { requests, url } = yield* httpServer("modern")
      const error = yield* Effect.flip(open(httpConfig(url, "http", { protocol: "2025-11-25" })))
      assert.strictEqual(error._tag, "HandshakeFailed")
      assert.include(error.message, "Unsupported protocol version")
      assert.isTrue(requests.every(({ verb }) => verb === "POST"))
    })
  )
})
