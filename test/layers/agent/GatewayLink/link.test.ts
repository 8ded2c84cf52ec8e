/** When a gateway is dialled again, with connections that a test makes and ends. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { Connection } from "../../../../src/layers/agent/GatewayLink/connection.ts"
import type { Ended } from "../../../../src/layers/agent/GatewayLink/ended.ts"
import { makeLink } from "../../../../src/layers/agent/GatewayLink/link.ts"
import {
  GATEWAY_REFUSED_MS,
  GATEWAY_RETRY_CAP_MS,
  GATEWAY_STEADY_MS
} from "../../../../src/schemas/defaults/Gateway.ts"
import { GatewayError } from "../../../../src/schemas/agent/GatewayError.ts"

const end = (kind: Ended["kind"], retryAfterMs = 0): Ended => ({
  kind,
  retryAfterMs,
  error: new GatewayError({ code: kind === "passing" ? "LINK_DOWN" : "LINK_REFUSED", detail: kind })
})

const hello: Connection["hello"] = {
  serverVersion: "1",
  protocol: 4,
  limits: { maxPayloadBytes: 1, maxAttachmentBytes: 1, maxImageBytes: 1 },
  tickMs: 30_000,
  defaultAgent: undefined,
  scopes: []
}

/** What each attempt comes to; the last one for ever. */
const attempts = (...outcomes: ReadonlyArray<Ended | "up">) => {
  const state = { dialled: 0, lose: Effect.void as Effect.Effect<unknown> }
  const open: Effect.Effect<Connection, Ended> = Effect.suspend(() => {
    const outcome = outcomes[Math.min(state.dialled++, outcomes.length - 1)]!
    if (outcome !== "up") return Effect.fail(outcome)
    const ended = Deferred.makeUnsafe<Ended>()
    state.lose = Deferred.succeed(ended, end("passing"))
    return Effect.succeed({
      hello,
      ended: Deferred.await(ended),
      request: (method) => Effect.succeed(method),
      events: Effect.succeed(Stream.empty)
    })
  })
  return { state, open }
}

describe("GatewayLink", () => {
  it.effect("reconnects without end, with increasing pauses", () =>
    Effect.gen(function* () {
      const { open, state } = attempts(end("passing"))
      yield* makeLink({ address: "ws://gateway.test", open })
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(state.dialled, 1)
      yield* TestClock.adjust("20 seconds")
      const early = state.dialled
      assert.isAtLeast(early, 4)
      assert.isAtMost(early, 8)
      yield* TestClock.adjust("1 hour")
      assert.isAtLeast(state.dialled, early + 3_600_000 / GATEWAY_RETRY_CAP_MS - 10)
      assert.isAtMost(state.dialled, early + (3_600_000 / GATEWAY_RETRY_CAP_MS) * 1.3)
    }).pipe(Random.withSeed("gateway"))
  )

  it.effect("waits as long as the gateway asks for before it reconnects", () =>
    Effect.gen(function* () {
      const { open, state } = attempts(end("passing", 9_000), "up")
      yield* makeLink({ address: "ws://gateway.test", open })
      yield* TestClock.adjust("8999 millis")
      assert.strictEqual(state.dialled, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(state.dialled, 2)
    })
  )

  it.effect("starts over with short pauses after a connection that lasted", () =>
    Effect.gen(function* () {
      const failed = Array.from({ length: 8 }, () => end("passing"))
      const { open, state } = attempts(...failed, "up", end("passing"))
      yield* makeLink({ address: "ws://gateway.test", open })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(state.dialled, 9)
      yield* TestClock.adjust(GATEWAY_STEADY_MS)
      yield* state.lose
      yield* TestClock.adjust("1 second")
      assert.isAtLeast(state.dialled, 10)
    })
  )

  it.effect("does not reconnect after a refusal, until there is a new request", () =>
    Effect.gen(function* () {
      const { open, state } = attempts(end("refused"), "up")
      const link = yield* makeLink({ address: "ws://gateway.test", open })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(state.dialled, 1)
      assert.strictEqual(yield* link.request("config.get", {}), "config.get")
      assert.strictEqual(state.dialled, 2)
    })
  )

  it.effect("returns the refusal to further requests for a while without reconnecting", () =>
    Effect.gen(function* () {
      const { open, state } = attempts(end("refused"))
      const link = yield* makeLink({ address: "ws://gateway.test", open })
      yield* TestClock.adjust(GATEWAY_REFUSED_MS - 1)
      for (let n = 0; n < 10; n++) assert.strictEqual((yield* Effect.flip(link.hello)).code, "LINK_REFUSED")
      assert.strictEqual(state.dialled, 1)
    })
  )

  it.effect("makes a request wait for the connection, within the timeout of the request", () =>
    Effect.gen(function* () {
      const { open } = attempts(end("passing", 9_000), "up")
      const link = yield* makeLink({ address: "ws://gateway.test", open })
      const short = yield* Effect.forkChild(Effect.flip(link.request("a", {}, { timeoutMs: 1_000 })))
      const long = yield* Effect.forkChild(link.request("b", {}))
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual((yield* Fiber.join(short)).code, "LINK_DOWN")
      yield* TestClock.adjust("8 seconds")
      assert.strictEqual(yield* Fiber.join(long), "b")
    })
  )

  it.effect("logs a lost gateway once with advice, and again after the next connection", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Warn") warnings.push(String(message))
      })
      const away = end("passing")
      const { open, state } = attempts(away, away, away, "up", away, away)
      yield* makeLink({ address: "ws://gateway.test", advice: "Start it.", open }).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(state.dialled, 4)
      assert.deepStrictEqual(warnings, ["passing. It is still being tried. Start it."])
      yield* state.lose
      yield* TestClock.adjust("30 seconds")
      assert.lengthOf(warnings, 2)
    })
  )

  it.effect("gives the reason why there is no connection, from the start", () =>
    Effect.gen(function* () {
      const { open } = attempts(end("passing", 9_000), "up")
      const { trouble } = yield* makeLink({ address: "ws://gateway.test", open })
      assert.include((yield* trouble)?.detail, "ws://gateway.test has not answered yet")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* trouble)?.detail, "passing")
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(yield* trouble)
    })
  )

  it.effect("reconnects after mistakes, and says meanwhile that there is no connection", () =>
    Effect.gen(function* () {
      const { open, state } = attempts("up")
      const broken = yield* Deferred.make<never>()
      let count = 0
      const link = yield* makeLink({
        address: "ws://gateway.test",
        open: Effect.suspend(() => {
          if (++count === 1) throw new Error("a mistake")
          return count > 2 ? open : Effect.map(open, (up) => ({ ...up, ended: Deferred.await(broken) }))
        })
      })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(state.dialled, 1)
      assert.isUndefined(yield* link.trouble)
      yield* Deferred.die(broken, new Error("a mistake"))
      yield* TestClock.adjust(0)
      assert.isDefined(yield* link.trouble)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(state.dialled, 2)
      assert.strictEqual(yield* link.request("hello", {}), "hello")
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
