import { assert, describe, it, vi } from "@effect/vitest"
import { makeTurns } from "../../../src/layers/ServerConnector/turns.ts"
import { STREAM_LONG_MS, STREAM_REST_MAX_MS, STREAM_TURN_MS, STREAM_WINDOW_MS } from "../../../src/schemas/Defaults.ts"

/** How long a rest after so much work is; 0 for a turn of everybody else. */
const restAfter = (ms: number): number => {
  const timers = vi.spyOn(globalThis, "setTimeout").mockReturnValue(undefined as never)
  const turn = vi.spyOn(globalThis, "setImmediate").mockReturnValue(undefined as never)
  const turns = makeTurns()
  turns.begin(1_000)
  turns.end(1_000 + ms)
  turns.rest(() => {})
  const waits = timers.mock.calls.map(([, delay]) => delay ?? 0)
  assert.strictEqual(waits.length + turn.mock.calls.length, 1)
  vi.restoreAllMocks()
  return waits[0] ?? 0
}

describe("turns", () => {
  it("a turn is over when its time is, in one piece of work or in several", () => {
    const turns = makeTurns()
    turns.begin(1_000)
    assert.isFalse(turns.isOver(1_000 + STREAM_TURN_MS))
    assert.isTrue(turns.isOver(1_001 + STREAM_TURN_MS))
    assert.isFalse(turns.end(1_003))
    turns.begin(1_005)
    assert.isTrue(turns.end(1_007))
  })

  it("work that lies longer back than a window does not count", () => {
    const turns = makeTurns()
    turns.begin(1_000)
    assert.isFalse(turns.end(1_003))
    turns.begin(1_001 + STREAM_WINDOW_MS)
    assert.isFalse(turns.end(1_004 + STREAM_WINDOW_MS))
  })

  it("whose work takes long rests for as long as it took, within a bound: the others have half of the time", () => {
    assert.strictEqual(restAfter(STREAM_TURN_MS + 1), 0)
    assert.strictEqual(restAfter(STREAM_LONG_MS), 0)
    assert.strictEqual(restAfter(STREAM_LONG_MS + 10), STREAM_LONG_MS + 10)
    assert.strictEqual(restAfter(60_000), STREAM_REST_MAX_MS)
  })
})
