import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Response as UndiciResponse } from "undici"
import { BadSessionId, Refused, Wire } from "../../../../../src/layers/connection/ServerConnector/http/wire.ts"
import { HTTP_ERROR_BODY_MAX_BYTES } from "../../../../../src/schemas/defaults/Wire.ts"

const URL_OF = new URL("http://127.0.0.1/mcp")

interface Given {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A server that answers everything like this, and what it was asked. */
const connect = ({ body = "", headers = {}, status = 200 }: Given = {}, own: Readonly<Record<string, string>> = {}) => {
  const asked: Array<RequestInit> = []
  const wire = new Wire(async (_, init = {}) => {
    asked.push(init)
    return new UndiciResponse(status === 204 ? null : body, { status, headers })
  }, own)
  const exchange = Effect.scoped(wire.exchange("POST", { url: URL_OF, body: "{}" }))
  return { asked, exchange, wire }
}

describe("Wire: refusals", () => {
  it.effect("keep the status, Retry-After and the beginning of the body", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 403, 404, 429, 500, 503]) {
        const given = { status, headers: { "retry-after": "7" }, body: "x".repeat(1_000_000) }
        const error = yield* Effect.flip(connect(given).exchange)
        assert.isTrue(error instanceof Refused && error.text.length === HTTP_ERROR_BODY_MAX_BYTES)
        assert.include(error, { status, retryAfterMs: 7_000 })
      }
    })
  )

  it.effect("do not include successful statuses", () =>
    Effect.gen(function* () {
      for (const status of [200, 202, 204]) assert.strictEqual((yield* connect({ status }).exchange).status, status)
    })
  )
})

describe("Wire: sessions", () => {
  it.effect("accept an id of visible ASCII up to 1024 characters", () =>
    Effect.gen(function* () {
      for (const [id, fits] of [
        ["a", true],
        ["!~", true],
        ["x".repeat(1024), true],
        ["x".repeat(1025), false],
        ["a b", false],
        ["caf\u00E9", false],
        ["", false]
      ] as const) {
        const outcome = yield* Effect.result(connect({ headers: { "mcp-session-id": id } }).exchange)
        const isBad = outcome._tag === "Failure" && outcome.failure instanceof BadSessionId
        assert.strictEqual(isBad, !fits, JSON.stringify(id.slice(0, 10)))
      }
    })
  )

  it.effect("send the session id and protocol version, over configured headers", () =>
    Effect.gen(function* () {
      const { asked, exchange, wire } = connect(
        { headers: { "mcp-session-id": "s1" } },
        { "x-key": "value", "Mcp-Session-Id": "not ours", accept: "text/x" }
      )
      const named = () => Object.fromEntries(new Headers(asked.at(-1)!.headers))
      wire.open(yield* exchange)
      wire.protocolVersion = "2025-11-25"
      yield* Effect.scoped(wire.exchange("GET", { url: URL_OF, accept: "text/event-stream" }))
      assert.deepInclude(named(), {
        "x-key": "value",
        "mcp-session-id": "s1",
        "mcp-protocol-version": "2025-11-25",
        accept: "text/x, text/event-stream"
      })
    })
  )
})

describe("Wire: the Scope of an exchange", () => {
  it.effect("aborts the request on interruption, but not after success", () =>
    Effect.gen(function* () {
      const { asked, exchange } = connect()
      yield* exchange
      assert.isFalse(asked[0]!.signal!.aborted)
      const hanging: Array<RequestInit> = []
      const wire = new Wire((_, init = {}) => {
        hanging.push(init)
        return new Promise(() => {})
      }, {})
      const fiber = yield* Effect.forkChild(Effect.scoped(wire.exchange("GET", { url: URL_OF })), {
        startImmediately: true
      })
      yield* Fiber.interrupt(fiber)
      assert.isTrue(hanging[0]!.signal!.aborted)
    })
  )
})
