/** Others who come in great numbers, and show no token. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { inFixtures } from "../../fixtures/servers.ts"
import { CONNECTIONS_FRESH_SHARE, LISTENER_CONNECTIONS_MAX } from "../../../src/schemas/defaults/Listener.ts"
import { McpListener } from "../../../src/services/listener/McpListener.ts"
import { listenerLayer, listening, streaming, TOKENS } from "../../support/listener.ts"
import { ask, begin, sessionOf, textOf } from "../../support/rawHttp.ts"

const CROWD = inFixtures("listener/crowd.ts")
const { me, other } = TOKENS
const LEGACY = "2025-11-25"
/** So many that even those that have just come give way. */
const ALL_PLACES = LISTENER_CONNECTIONS_MAX * CONNECTIONS_FRESH_SHARE

/** From another process, until the Scope closes. */
const crowd = (url: string, count: number, words: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [CROWD, new URL(url).port, String(count), words])
      await once(child.stdout, "data")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const NOBODY = { port: 0, tokens: [] }

const idle = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1")
      socket.on("error", () => {})
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("bodies that never come whole", () => {
  it.live("of one token keep no other out", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const call = (token: string) =>
        Effect.promise(() => ask("2026-07-28", url, token, "tools/call", { name: "echo", arguments: { text: "hi" } }))
      const head = ["POST /mcp HTTP/1.1", `host: ${new URL(url).host}`, `authorization: Bearer ${me}`]
      const half = `${[...head, "content-type: application/json", "content-length: 1000000"].join("\r\n")}\r\n\r\n{"`
      yield* crowd(url, LISTENER_CONNECTIONS_MAX, half)
      const full = Effect.flatMap(call(me), ({ status }) => (status === 503 ? Effect.void : Effect.fail("not yet")))
      yield* Effect.eventually(full)
      for (let i = 0; i < 20; i++) assert.strictEqual(textOf(yield* call(other)), "hi")
    }).pipe(Effect.scoped)
  )
})

describe("connections without a token", () => {
  for (const [how, words] of [
    ["that say nothing", ""],
    ["that say half of a request", "POST /mcp HTTP/1.1\r\nhost: a"]
  ] as const) {
    it.live(`${how} keep no client with a token out, and interrupt no request`, () =>
      Effect.gen(function* () {
        const { heard, url } = yield* listening()
        const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
        const stream = yield* streaming(url, session)
        const waiting = ask(LEGACY, url, me, "tools/call", { name: "wait" }, { id: 7, session })
        yield* heard("begun")
        yield* crowd(url, 3_000, words)
        for (let i = 0; i < 20; i++) {
          const answer = yield* Effect.promise(() =>
            ask("2026-07-28", url, other, "tools/call", { name: "echo", arguments: { text: "hi" } })
          )
          assert.strictEqual(textOf(answer), "hi")
        }
        const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }
        yield* Effect.promise(() => ask(LEGACY, url, me, cancel.method, cancel.params, { session }))
        assert.strictEqual((yield* Effect.promise(() => waiting)).messages.at(-1)?.error?.code, -32_000)
        assert.lengthOf(stream.messages, 0)
      }).pipe(Effect.scoped)
    )
  }

  it.live("are closed for new ones, the oldest first", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const first = yield* idle(url)
      const closed = once(first.resume(), "close")
      yield* crowd(url, ALL_PLACES, "")
      yield* Effect.promise(() => closed)
    }).pipe(Effect.scoped)
  )
})

describe("two ports of one listener", () => {
  it.live("share one limit of connections: a client at one port makes room at the other", () =>
    Effect.gen(function* () {
      const { http } = yield* McpListener
      const [one, other] = yield* Effect.all([http(() => Effect.never, NOBODY), http(() => Effect.never, NOBODY)])
      const oldest = yield* idle(one)
      const closed = once(oldest.resume(), "close")
      yield* crowd(other, ALL_PLACES, "")
      yield* Effect.promise(() => closed)
    }).pipe(Effect.scoped, Effect.provide(listenerLayer))
  )
})
