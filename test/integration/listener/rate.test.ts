/** What counts for the rate that a client has while others are there. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { LISTENER_CALL_MAX_BYTES } from "../../../src/schemas/defaults/Listener.ts"
import { RATE_BURST_BYTES, RATE_REQUEST_BYTES, RATE_SESSION_BYTES } from "../../../src/schemas/defaults/LargeWork.ts"
import { ORDERS } from "../../../src/programs/mcpServer/intake.ts"
import { Rate } from "../../../src/system/rate.ts"
import { listening, TOKENS } from "../../support/listener.ts"
import { until } from "../../support/openclawLink.ts"
import { ask, bearer, begin, send, sessionOf } from "../../support/rawHttp.ts"

/** Bytes that were counted, and the same since it was last asked. */
const counting = () => {
  const take = vi.spyOn(Rate.prototype, "charge")
  const sum = () => take.mock.calls.reduce((total, [bytes]) => total + bytes, 0)
  const counted = () => {
    const bytes = sum()
    take.mockClear()
    return bytes
  }
  return { sum, counted }
}

describe("what a client sends", () => {
  afterEach(() => vi.restoreAllMocks())

  it.live("counts for each request, each session, and each byte of a large body, also of a refused one", () =>
    Effect.gen(function* () {
      const { counted, sum } = counting()
      const { url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, TOKENS.me)))
      assert.strictEqual(counted(), RATE_REQUEST_BYTES + RATE_SESSION_BYTES)
      const headers = {
        ...bearer(TOKENS.me),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": session
      }
      const sent = (size: number) =>
        Effect.promise(() =>
          send(url, {
            headers,
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { text: "x".repeat(size) } })
          })
        )
      yield* sent(10)
      assert.strictEqual(counted(), RATE_REQUEST_BYTES)
      yield* sent(1_000_000)
      assert.isAtLeast(counted(), RATE_REQUEST_BYTES + 990_000)
      assert.strictEqual((yield* sent(LISTENER_CALL_MAX_BYTES)).status, 413)
      // The answer is there before the rest of the body.
      yield* until(() => sum() > RATE_REQUEST_BYTES + LISTENER_CALL_MAX_BYTES / 2)
    }).pipe(Effect.scoped)
  )

  it.live("waits beyond its rate while others are there, also where requests may be as large as an order", () =>
    Effect.gen(function* () {
      const { mock } = vi.spyOn(Rate.prototype, "charge")
      const { url } = yield* listening({ door: { intake: ORDERS } })
      const here = (token: string) => Effect.promise(() => ask("2026-07-28", url, token, "tools/list"))
      yield* here(TOKENS.me)
      const [rate] = mock.contexts
      assert.instanceOf(rate, Rate)
      // Again where the machine is so slow that the other one counts as gone by then.
      const rests = Effect.map(here(TOKENS.other), () => {
        rate.charge(2 * RATE_BURST_BYTES)
        return rate.restMs() > 0
      })
      yield* Effect.repeat(rests, { until: (isSo) => isSo })
    }).pipe(Effect.scoped)
  )
})
