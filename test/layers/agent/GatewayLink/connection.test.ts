/** One connection, over a socket that is none. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { connect } from "../../../../src/layers/agent/GatewayLink/connection.ts"
import {
  GATEWAY_EARLY_FRAMES_MAX,
  GATEWAY_FRAME_MAX_BYTES,
  GATEWAY_IDLE_FRAME_MS,
  GATEWAY_IDLE_FRAMES_MAX,
  GATEWAY_SILENT_TICKS
} from "../../../../src/schemas/defaults/Gateway.ts"
import type { GuardedSocket } from "../../../../src/services/connection/NetworkGuard.ts"

const TICK_MS = 10_000

/** Challenges at once, and answers `connect`; further frames are the test's. */
const socketThat = (greets: boolean) => {
  const target = new EventTarget()
  const sayText = (data: unknown) => target.dispatchEvent(new MessageEvent("message", { data }))
  const say = (frame: unknown) => sayText(JSON.stringify(frame))
  let isCut = false
  const socket = Object.assign(target, {
    close: () => {},
    send: (text: string) => {
      const { id } = JSON.parse(text) as { readonly id: string }
      const payload = { type: "hello-ok", protocol: 4, policy: { tickIntervalMs: TICK_MS } }
      say({ type: "res", id, ok: true, payload })
    }
  })
  const challenge = () => say({ type: "event", event: "connect.challenge", payload: { nonce: "n", ts: 1 } })
  if (greets) queueMicrotask(challenge)
  return {
    say,
    sayText,
    isCut: () => isCut,
    guarded: {
      socket: socket as unknown as GuardedSocket["socket"],
      failure: () => undefined,
      close: async () => void (isCut = true)
    }
  }
}

const over = (guarded: GuardedSocket, onOpen: (onControl: () => void) => void = () => {}) =>
  connect({
    address: "ws://gateway.test",
    tokenAdvice: "look at the token",
    open: (onControl) => {
      onOpen(onControl)
      return guarded
    },
    clean: (text) => text,
    introduce: () => ({}),
    timeoutMs: 15_000
  })

describe("a connection to an OpenClaw gateway", () => {
  it.effect("fails when no challenge arrives in time", () =>
    Effect.gen(function* () {
      const { guarded } = socketThat(false)
      const connecting = yield* Effect.forkChild(Effect.flip(over(guarded)))
      yield* TestClock.adjust("15 seconds")
      const { error, kind } = yield* Fiber.join(connecting)
      assert.strictEqual(kind, "passing")
      assert.include(error.detail, "at ws://gateway.test did not answer within 15 s")
    })
  )

  it.effect("ends when the gateway is silent for several ticks, and not while it sends some", () =>
    Effect.gen(function* () {
      const { guarded, say } = socketThat(true)
      const { ended } = yield* over(guarded)
      const ending = yield* Effect.forkChild(ended)
      for (let n = 0; n < 10; n++) {
        yield* TestClock.adjust(TICK_MS)
        say({ type: "event", event: "tick", payload: {} })
      }
      assert.isUndefined(ending.pollUnsafe())
      yield* TestClock.adjust(TICK_MS * (GATEWAY_SILENT_TICKS + 1))
      assert.include((yield* Fiber.join(ending)).error.detail, "silent for 30 s")
    })
  )

  const NOTHINGS: Readonly<Record<string, unknown>> = {
    "that cannot be read": "{",
    "that are binary": new Blob(["x"]),
    "that answer nothing": JSON.stringify({ type: "res", id: "x", ok: true, payload: {} }),
    "that challenge again": JSON.stringify({
      type: "event",
      event: "connect.challenge",
      payload: { nonce: "m", ts: 2 }
    })
  }

  for (const [which, data] of Object.entries(NOTHINGS)) {
    it.effect(`is closed by too many frames ${which}, but not by a few at a time`, () =>
      Effect.gen(function* () {
        const { guarded, isCut, say, sayText } = socketThat(true)
        const { ended } = yield* over(guarded)
        for (let n = 0; n < 3 * GATEWAY_IDLE_FRAMES_MAX; n++) {
          sayText(data)
          say({ type: "event", event: "tick", payload: {} })
          yield* TestClock.adjust(GATEWAY_IDLE_FRAME_MS)
        }
        for (let n = 0; n < 3 * GATEWAY_IDLE_FRAMES_MAX; n++) say({ type: "event", event: "tick", payload: {} })
        for (let n = 0; n < GATEWAY_IDLE_FRAMES_MAX; n++) sayText(data)
        assert.isFalse(isCut())
        sayText(data)
        assert.isTrue(isCut())
        assert.include((yield* ended).error.detail, "sends too many useless frames")
      })
    )
  }

  it.effect("is closed by a few large useless frames, but not by one", () =>
    Effect.gen(function* () {
      const { guarded, isCut, sayText } = socketThat(true)
      yield* over(guarded)
      const large = new Blob([new Uint8Array(GATEWAY_FRAME_MAX_BYTES)])
      sayText(large)
      assert.isFalse(isCut())
      for (let n = 0; n < 10; n++) sayText(large)
      assert.isTrue(isCut())
    })
  )

  it.effect("is closed by too many pings", () =>
    Effect.gen(function* () {
      const { guarded, isCut } = socketThat(true)
      let ping = () => {}
      const { ended } = yield* over(guarded, (onControl) => (ping = onControl))
      for (let n = 0; n < GATEWAY_IDLE_FRAMES_MAX; n++) ping()
      assert.isFalse(isCut())
      ping()
      assert.isTrue(isCut())
      assert.strictEqual((yield* ended).kind, "passing")
    })
  )

  it.effect("is closed by a few frames of any kind before the hello", () =>
    Effect.gen(function* () {
      const { guarded, isCut, say } = socketThat(false)
      const connecting = yield* Effect.forkChild(Effect.flip(over(guarded)), { startImmediately: true })
      const tick = () => say({ type: "event", event: "tick", payload: {} })
      for (let n = 0; n < GATEWAY_EARLY_FRAMES_MAX; n++) tick()
      assert.isFalse(isCut())
      tick()
      assert.isTrue(isCut())
      assert.include((yield* Fiber.join(connecting)).error.detail, "useless frames")
    })
  )
})
