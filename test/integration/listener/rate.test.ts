/** What counts for the rate that a client has while others are there. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { LISTENER_CALL_MAX_BYTES } from "../../../src/schemas/defaults/Listener.ts"
import {
  RATE_BURST_BYTES,
  RATE_PIECE_BYTES,
  RATE_REQUEST_BYTES,
  RATE_SESSION_BYTES
} from "../../../src/schemas/defaults/LargeWork.ts"
import { ORDERS } from "../../../src/programs/mcpServer/intake.ts"
import { Rate } from "../../../src/system/rate.ts"
import { listening, TOKENS } from "../../support/listener.ts"
import { until } from "../../support/openclawLink.ts"
import { ask, bearer, begin, send, sessionOf } from "../../support/rawHttp.ts"

const sumOf = (counts: ReadonlyArray<number>) => counts.reduce((total, bytes) => total + bytes, 0)

/** The bytes that were counted in all, and each count since it was last asked. */
const counting = () => {
  const take = vi.spyOn(Rate.prototype, "charge")
  const counts = () => take.mock.calls.map(([bytes]) => bytes)
  const counted = () => {
    const found = counts()
    take.mockClear()
    return found
  }
  return { sum: () => sumOf(counts()), counted }
}

/** How often something was counted that counts so much. */
const times = (counts: ReadonlyArray<number>, bytes: number) => counts.filter((count) => count === bytes).length

describe("what a client sends", () => {
  afterEach(() => vi.restoreAllMocks())

  it.live("counts for each request, each session, and each byte of a large body, also of a refused one", () =>
    Effect.gen(function* () {
      const { counted, sum } = counting()
      const { url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, TOKENS.me)))
      const first = counted()
      // Also the first bytes of a connection, before its request is parsed.
      assert.isAbove(first[0]!, RATE_PIECE_BYTES)
      assert.notStrictEqual(first[0], RATE_REQUEST_BYTES)
      assert.deepStrictEqual([times(first, RATE_REQUEST_BYTES), times(first, RATE_SESSION_BYTES)], [1, 1])
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
      const small = counted()
      assert.deepStrictEqual([times(small, RATE_REQUEST_BYTES), times(small, RATE_SESSION_BYTES)], [1, 0])
      yield* sent(1_000_000)
      assert.isAtLeast(sumOf(counted()), RATE_REQUEST_BYTES + 990_000)
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
