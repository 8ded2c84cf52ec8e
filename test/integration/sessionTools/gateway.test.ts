import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { listenerLayer } from "../../support/listener.ts"
import { layer, layerEndpoint } from "../../../src/layers/agent/SessionToolInjector.ts"
import { entryName, newInstance } from "../../../src/layers/agent/SessionToolInjector/names.ts"
import { GatewayError } from "../../../src/schemas/agent/GatewayError.ts"
import { SessionToolInjector } from "../../../src/services/agent/SessionToolInjector.ts"
import { makeFakeGateway } from "../../support/gatewayLink.ts"
import { textResult, toolRuntime } from "../../support/toolRuntime.ts"
import { pause } from "../../support/pause.ts"

type Gateway = Effect.Success<ReturnType<typeof makeFakeGateway>>

interface Entry {
  readonly url: string
  readonly headers: { readonly Authorization: string }
}

const A = "agent:main:acp-x-a"
const B = "agent:main:acp-x-b"

const scoped = (name: string, body: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

/** The injector of a process of its own, as far as a gateway can tell. */
const process = (gateway: Gateway) =>
  Effect.map(Layer.build(Layer.provide(Layer.fresh(layerEndpoint), [gateway.layer, listenerLayer])), (context) =>
    Context.get(context, SessionToolInjector)
  )

const says = (text: string) => toolRuntime({ mcp__fs__read: { run: () => Effect.succeed(textResult(text)) } })

const entryAt = (gateway: Gateway, name: string) => gateway.servers[name] as Entry

/** What the agent of a session gets when it calls a tool of an entry. */
const read = ({ headers, url }: Entry): Effect.Effect<string> =>
  Effect.promise(async () => {
    const client = new Client({ name: "openclaw-bundle-mcp", version: "0.0.0" })
    try {
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
      await client.connect(transport as Parameters<Client["connect"]>[0])
      const { content } = await client.callTool({ name: "mcp__fs__read", arguments: {} })
      return (content as Array<{ text: string }>)[0]!.text
    } catch {
      return "refused"
    } finally {
      await client.close()
    }
  })

const eventually = (check: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!check()) yield* Effect.promise(pause)
  }).pipe(Effect.timeoutOrElse({ duration: 20_000, orElse: () => Effect.die("it did not come about") }))

describe("a session's tools at a gateway on this machine", () => {
  scoped("are an entry that is disabled for everybody and switched on for the session alone", () =>
    Effect.gen(function* () {
      const gateway = yield* makeFakeGateway()
      gateway.servers["fs"] = { command: "fs" }
      const { inject } = yield* process(gateway)
      yield* inject(A, says("of A"))
      yield* inject(B, says("of B"))
      const [, nameA, nameB] = Object.keys(gateway.servers)
      const { headers, url, ...rest } = entryAt(gateway, nameA!)
      assert.deepStrictEqual(rest, {
        transport: "streamable-http",
        enabled: false,
        requestTimeoutMs: 630_000
      } as object)
      assert.match(url, new RegExp(`^http://127\\.0\\.0\\.1:\\d+/mcp$`))
      assert.match(headers.Authorization, /^Bearer [A-Za-z0-9_-]{43}$/)
      assert.deepStrictEqual(gateway.rows.get(A)?.["toolOverrides"], { mcpServers: { [nameA!]: true } })
      assert.deepStrictEqual(gateway.rows.get(B)?.["toolOverrides"], { mcpServers: { [nameB!]: true } })
      assert.strictEqual(yield* read(entryAt(gateway, nameA!)), "of A")
      assert.strictEqual(yield* read(entryAt(gateway, nameB!)), "of B")
      assert.strictEqual(yield* read({ ...entryAt(gateway, nameB!), url }), "refused")
    })
  )

  scoped("keep other rules of the session, and replace those of an earlier process", () =>
    Effect.gen(function* () {
      const gateway = yield* makeFakeGateway()
      const former = entryName(newInstance(), 1)
      gateway.rows.set(A, { toolOverrides: { webSearch: false, mcpServers: { fs: false, [former]: true } } })
      const { inject } = yield* process(gateway)
      yield* inject(A, says("of A"))
      const [name] = Object.keys(gateway.servers)
      assert.deepStrictEqual(gateway.rows.get(A)?.["toolOverrides"], {
        webSearch: false,
        mcpServers: { fs: false, [name!]: true }
      })
    })
  )

  scoped("do not overwrite rules that cannot be read", () =>
    Effect.gen(function* () {
      const lost = new GatewayError({ code: "LINK_LOST", detail: "the connection was lost" })
      const gateway = yield* makeFakeGateway({
        failing: ({ method }) => (method === "sessions.describe" ? lost : undefined)
      })
      const said = { toolOverrides: { webSearch: false } }
      gateway.rows.set(A, said)
      const { inject } = yield* process(gateway)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(inject(A, says("of A"))))).code, "LINK_LOST")
      assert.deepStrictEqual([gateway.rows.get(A), gateway.servers], [said, {}])
    })
  )

  scoped("are removed when the session ends: the endpoint is closed, and the entry is gone", () =>
    Effect.gen(function* () {
      const gateway = yield* makeFakeGateway()
      const { inject } = yield* process(gateway)
      const session = yield* Scope.make()
      yield* inject(A, says("of A")).pipe(Scope.provide(session))
      yield* inject(B, says("of B"))
      const [nameA, nameB] = Object.keys(gateway.servers)
      const entry = entryAt(gateway, nameA!)
      yield* Scope.close(session, Exit.void)
      assert.deepStrictEqual(Object.keys(gateway.servers), [nameB])
      assert.strictEqual(yield* read(entry), "refused")
      assert.strictEqual(yield* read(entryAt(gateway, nameB!)), "of B")
    })
  )

  scoped("leave nothing behind if the gateway refuses them", () =>
    Effect.gen(function* () {
      const refused = new GatewayError({ code: "INVALID_REQUEST", detail: "missing scope: operator.admin" })
      const gateway = yield* makeFakeGateway({
        failing: ({ method }) => (method === "sessions.patch" ? refused : undefined)
      })
      const { inject } = yield* process(gateway)
      const error = yield* Effect.flip(Effect.scoped(inject(A, says("of A"))))
      assert.strictEqual(error.message, "missing scope: operator.admin")
      assert.deepStrictEqual(gateway.servers, {})
    })
  )

  scoped("are removed when the program ends, also for open sessions", () =>
    Effect.gen(function* () {
      const gateway = yield* makeFakeGateway()
      const program = yield* Scope.make()
      const { inject } = yield* process(gateway).pipe(Scope.provide(program))
      yield* inject(A, says("of A"))
      const [name] = Object.keys(gateway.servers)
      const entry = entryAt(gateway, name!)
      yield* Scope.close(program, Exit.void)
      assert.deepStrictEqual(gateway.servers, {})
      assert.strictEqual(yield* read(entry), "refused")
    })
  )

  scoped("come and go two hundred times with nothing left, twenty at a time in two changes", () =>
    Effect.gen(function* () {
      const gateway = yield* makeFakeGateway()
      const { inject } = yield* process(gateway)
      for (let round = 0; round < 10; round++) {
        const before = gateway.count("config.patch")
        const sessions = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => `agent:main:acp-x-${round}-${index}`),
          (key) =>
            Effect.gen(function* () {
              const session = yield* Scope.make()
              yield* inject(key, says(key)).pipe(Scope.provide(session))
              return session
            }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(Object.keys(gateway.servers).length, 20)
        yield* Effect.forEach(sessions, (session) => Scope.close(session, Exit.void), { concurrency: "unbounded" })
        assert.deepStrictEqual(gateway.servers, {})
        assert.isAtMost(gateway.count("config.patch") - before, 4)
      }
    })
  )

  scoped("are put back when a gateway comes back without them", () =>
    Effect.gen(function* () {
      const gateway = yield* makeFakeGateway()
      const { inject } = yield* process(gateway)
      yield* inject(A, says("of A"))
      const [name] = Object.keys(gateway.servers)
      delete gateway.servers[name!]
      gateway.rows.clear()
      yield* gateway.reconnect
      yield* eventually(() => gateway.rows.has(A))
      assert.strictEqual(yield* read(entryAt(gateway, name!)), "of A")
      assert.deepStrictEqual(gateway.rows.get(A)?.["toolOverrides"], { mcpServers: { [name!]: true } })
    })
  )

  scoped("that could not be taken back are taken back when the gateway is there again", () =>
    Effect.gen(function* () {
      let isAway = false
      const away = new GatewayError({ code: "LINK_DOWN", detail: "the OpenClaw gateway is not connected" })
      const gateway = yield* makeFakeGateway({ failing: () => (isAway ? away : undefined) })
      const { inject } = yield* process(gateway)
      const session = yield* Scope.make()
      yield* inject(A, says("of A")).pipe(Scope.provide(session))
      isAway = true
      yield* Scope.close(session, Exit.void)
      assert.strictEqual(Object.keys(gateway.servers).length, 1)
      isAway = false
      yield* gateway.reconnect
      yield* eventually(() => Object.keys(gateway.servers).length === 0)
    })
  )
})

describe("what a killed process has left in a gateway's configuration", () => {
  const listener = (status: number) =>
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<{ readonly port: number; readonly close: () => void }>((resolve) => {
            const server = createServer((_, response) => response.writeHead(status).end())
            server.listen(0, "127.0.0.1", () =>
              resolve({ port: (server.address() as AddressInfo).port, close: () => server.close() })
            )
          })
      ),
      ({ close }) => Effect.sync(close)
    )

  const freePort = Effect.scoped(Effect.map(listener(500), ({ port }) => port))

  const entry = (url: string) => ({ url, transport: "streamable-http", enabled: false })

  scoped("is removed at the next start; entries of living or unknown processes stay", () =>
    Effect.gen(function* () {
      const gateway = yield* makeFakeGateway()
      const living = yield* process(gateway)
      yield* living.inject(A, says("of A"))
      const [ofLiving] = Object.keys(gateway.servers)
      const nobody = yield* freePort
      const { port: somebodyElse } = yield* listener(404)
      const left = (port: number, number = 1) => {
        const name = entryName(newInstance(), number)
        gateway.servers[name] = entry(`http://127.0.0.1:${port}/${name}`)
        return name
      }
      left(nobody)
      left(somebodyElse)
      left(nobody, 7)
      const { machine } = newInstance()
      const stays = {
        fs: { command: "fs" },
        "mcp-live-mine": entry(`http://127.0.0.1:${nobody}/x`),
        // Of another machine, of which nothing can be said from here.
        [entryName({ machine: machine === "aaa" ? "bbb" : "aaa", id: "12345" }, 1)]: entry(
          `http://127.0.0.1:${nobody}/x`
        ),
        // Whatever this is, it was not made here.
        [entryName({ machine, id: "00001" }, 1)]: entry(`http://192.0.2.1:${nobody}/x`),
        [entryName({ machine, id: "00002" }, 1)]: entry(`https://127.0.0.1:${nobody}/x`),
        [entryName({ machine, id: "00003" }, 1)]: { command: "rm" },
        [entryName({ machine, id: "00004" }, 1)]: "text"
      }
      Object.assign(gateway.servers, stays)

      const next = yield* process(gateway)
      const expected = [ofLiving!, ...Object.keys(stays)]
      yield* eventually(() => Object.keys(gateway.servers).length <= expected.length)
      assert.deepStrictEqual(Object.keys(gateway.servers).toSorted(), expected.toSorted())
      yield* next.inject(B, says("of B"))
      const ofNext = Object.keys(gateway.servers).at(-1)!
      assert.strictEqual(yield* read(entryAt(gateway, ofLiving!)), "of A")
      assert.strictEqual(yield* read(entryAt(gateway, ofNext)), "of B")
    })
  )

  scoped(
    "is taken away at the first use where the gateway did not let us at the start, and no session waits for it",
    () =>
      Effect.gen(function* () {
        let isBusy = true
        const busy = new GatewayError({ code: "LINK_TIMEOUT", detail: "the OpenClaw gateway did not answer" })
        const gateway = yield* makeFakeGateway({
          failing: ({ method }) => (isBusy && method === "config.get" ? busy : undefined)
        })
        const name = entryName(newInstance(), 1)
        gateway.servers[name] = entry(`http://127.0.0.1:${yield* freePort}/${name}`)
        const { inject } = yield* process(gateway)
        yield* eventually(() => gateway.count("config.get") === 1)
        isBusy = false
        assert.property(gateway.servers, name)
        yield* inject(A, says("of A"))
        yield* eventually(() => !Object.hasOwn(gateway.servers, name))
        assert.lengthOf(Object.keys(gateway.servers), 1)
      })
  )
})

describe("how a session's tools reach a gateway", () => {
  for (const local of [true, false]) {
    scoped(`that is ${local ? "on this machine: as an MCP server" : "elsewhere: as tools of a node"}`, () =>
      Effect.gen(function* () {
        const gateway = yield* makeFakeGateway({ local })
        const context = yield* Layer.build(Layer.provide(layer, [gateway.layer, listenerLayer]))
        yield* Context.get(context, SessionToolInjector).inject(A, says("of A"))
        assert.deepStrictEqual(
          [Object.keys(gateway.servers).length, gateway.nodeTools().length],
          local ? [1, 0] : [0, 1]
        )
      })
    )
  }
})
