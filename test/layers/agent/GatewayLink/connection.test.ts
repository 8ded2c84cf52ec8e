/** One connection, over a socket that is none. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { connect } from "../../../../src/layers/agent/GatewayLink/connection.ts"
import { GATEWAY_SILENT_TICKS } from "../../../../src/schemas/defaults/Gateway.ts"
import type { GuardedSocket } from "../../../../src/services/connection/NetworkGuard.ts"

const TICK_MS = 10_000

/** Challenges at once, and answers `connect`; further frames are the test's. */
const socketThat = (greets: boolean) => {
  const target = new EventTarget()
  const say = (frame: unknown) => target.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }))
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
    guarded: { socket: socket as unknown as GuardedSocket["socket"], failure: () => undefined, close: async () => {} }
  }
}

const over = (guarded: GuardedSocket) =>
  connect({
    address: "ws://gateway.test",
    tokenAdvice: "look at the token",
    open: () => guarded,
    clean: (text) => text,
    introduce: () => ({}),
    timeoutMs: 15_000
  })

describe("a connection to a gateway", () => {
  it.effect("is given up when there is no challenge in time", () =>
    Effect.gen(function* () {
      const { guarded } = socketThat(false)
      const connecting = yield* Effect.forkChild(Effect.flip(over(guarded)))
      yield* TestClock.adjust("15 seconds")
      const { error, kind } = yield* Fiber.join(connecting)
      assert.strictEqual(kind, "passing")
      assert.include(error.detail, "at ws://gateway.test did not answer within 15 s")
    })
  )

  it.effect("is given up when nothing is heard for several ticks, and not as long as something is", () =>
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
})
