import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as ConfigSourceLayer from "../../src/layers/config/ConfigSource.ts"
import { McpLive } from "../../src/layers/McpLive.ts"
import * as NetworkGuardLayer from "../../src/layers/connection/NetworkGuard.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import type { ServerConnector } from "../../src/services/connection/ServerConnector.ts"
import { httpServer } from "../fixtures/httpServer.ts"
import { callTool, connectorWith, httpConfig, open, textOf } from "../support/connector.ts"
import { fakeHost } from "../support/host.ts"
import { answering } from "../support/network.ts"
import { pauses } from "../support/pause.ts"

const echo = { text: "hi" }

/** A test whose look-ups are answered like this. */
const scenario = (
  name: string,
  answers: ReadonlyArray<ReadonlyArray<string>>,
  body: (asked: ReadonlyArray<string>) => Effect.Effect<void, unknown, ServerConnector | Scope.Scope>
) =>
  it.live(name, () => {
    const dns = answering(...answers)
    const layer = connectorWith(fakeHost(), [], NetworkGuardLayer.layer(dns))
    return body(dns.asked).pipe(Effect.scoped, Effect.provide(layer))
  })

describe("HTTP: where a server may be", () => {
  const rows: ReadonlyArray<readonly [url: string, allowPrivate: boolean, tag: string, words: ReadonlyArray<string>]> =
    [
      ["http://example.com/mcp", false, "InvalidLaunch", ["http://", "https://", "allowPrivate"]],
      ["http://8.8.8.8/mcp", false, "InvalidLaunch", ["https://"]],
      ["http://8.8.8.8/mcp", true, "InvalidLaunch", ["https://"]],
      ["http://10.0.0.1/mcp", false, "AddressBlocked", ['"allowPrivate": true', "a private address"]],
      ["https://192.168.1.1/mcp", false, "AddressBlocked", ['"allowPrivate": true']],
      ["https://[fd00::1]/mcp", false, "AddressBlocked", ['"allowPrivate": true']],
      ["https://db.internal/mcp", false, "AddressBlocked", ['"allowPrivate": true']],
      ["http://0.0.0.0:3000/mcp", false, "AddressBlocked", ['"allowPrivate": true']],
      ["http://169.254.169.254/mcp", false, "AddressBlocked", ["credentials"]],
      ["http://metadata.google.internal/mcp", true, "AddressBlocked", ["credentials"]],
      ["https://user:word@example.com/mcp", false, "InvalidLaunch", ["headers"]],
      ["https://[fe80::1%25eth0]/mcp", true, "InvalidLaunch", ["valid"]]
    ]
  for (const [url, allowPrivate, tag, words] of rows) {
    scenario(`${url}${allowPrivate ? ", with leave," : ""} is ${tag}, and nobody is asked`, [[]], (asked) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(open(httpConfig(url, "http", { allowPrivate })))
        assert.strictEqual(error._tag, tag)
        for (const word of words) assert.include(error.message, word)
        assert.notInclude(error.message, "word@")
        assert.lengthOf(asked, 0)
      })
    )
  }

  for (const kind of ["http", "sse"] as const) {
    scenario(`a name that leads to this machine is refused over ${kind}`, [["127.0.0.1"]], (asked) =>
      Effect.gen(function* () {
        const server = yield* httpServer("json")
        const error = yield* Effect.flip(
          open(httpConfig(server.url.replace("http://127.0.0.1", "https://t.test"), kind))
        )
        assert.strictEqual(error._tag, "AddressBlocked")
        assert.include(error.message, "this machine")
        assert.isNotEmpty(asked)
        assert.isEmpty(server.requests)
      })
    )
  }

  scenario("with leave it is reached, over http:// too", [["127.0.0.1"]], () =>
    Effect.gen(function* () {
      const { url } = yield* httpServer("json")
      const connection = yield* open(httpConfig(url.replace("127.0.0.1", "tools.test"), "http", { allowPrivate: true }))
      assert.strictEqual(textOf(yield* callTool(connection, "echo", echo)), "hi")
    })
  )

  scenario("with leave for a private network in the clear, a public address is refused", [["93.184.216.34"]], () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(open(httpConfig("http://tools.test/mcp", "http", { allowPrivate: true })))
      assert.strictEqual(error._tag, "AddressBlocked")
      assert.include(error.message, "without https://")
    })
  )

  it.live("a name that leads elsewhere later ends the connection, and the call was not sent", () => {
    const [before, after] = [answering(["127.0.0.1"]), answering(["169.254.169.254"])]
    let turned = false
    const guard = NetworkGuardLayer.layer({
      lookUp: (name, options, callback) => (turned ? after : before).lookUp(name, options, callback)
    })
    return Effect.gen(function* () {
      const server = yield* httpServer("hangs-up")
      const url = server.url.replace("127.0.0.1", "tools.test")
      const connection = yield* open(httpConfig(url, "http", { allowPrivate: true }))
      turned = true
      yield* server.connections.pipe(
        Effect.repeat({ schedule: pauses, until: (count) => count === 0 }),
        Effect.timeout("30 seconds")
      )
      const sent = server.requests.length
      const error = yield* Effect.flip(callTool(connection, "echo", echo))
      assert.strictEqual(error._tag, "AddressBlocked")
      assert.lengthOf(server.requests, sent)
      yield* Effect.flip(connection.closed)
    }).pipe(Effect.scoped, Effect.provide(connectorWith(fakeHost(), [], guard)))
  })
})

describe("HTTP: a runtime with a server that must not be contacted", () => {
  it.live("gives it up at once, and says what to do", () =>
    Effect.gen(function* () {
      const servers = { web: { url: "https://10.0.0.1/mcp", type: "http" } }
      const live = McpLive({ replace: { config: ConfigSourceLayer.layerObject({ mcp: { servers } }) } })
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        const status = (yield* runtime.status)["web"]
        assert.include(status, { state: "Failed", restarts: 0 })
        assert.include(status?.lastError ?? "", '"allowPrivate": true')
      }).pipe(Effect.provide(live.pipe(Layer.provideMerge(Logger.layer([])))))
    }).pipe(Effect.scoped)
  )

  it.live("contacts it when the configuration says so", () =>
    Effect.gen(function* () {
      const { url } = yield* httpServer("json")
      const servers = { web: { url: url.replace("127.0.0.1", "tools.test"), type: "http", allowPrivate: true } }
      const live = McpLive({
        replace: {
          config: ConfigSourceLayer.layerObject({ mcp: { servers } }),
          network: NetworkGuardLayer.layer(answering(["127.0.0.1"]))
        }
      })
      yield* Effect.gen(function* () {
        const runtime = yield* McpRuntime
        yield* runtime.ready
        assert.isFalse((yield* runtime.call("mcp_web_echo", echo)).isError)
      }).pipe(Effect.provide(live.pipe(Layer.provideMerge(Logger.layer([])))))
    }).pipe(Effect.scoped)
  )
})
