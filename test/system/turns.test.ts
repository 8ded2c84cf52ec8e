import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { makeAllowances, type Allowance } from "../../src/system/allowance.ts"
import { makeTurns } from "../../src/system/turns.ts"
import {
  STREAM_BURST_MS,
  STREAM_LONG_MS,
  STREAM_LONG_PARTS,
  STREAM_READ_MS,
  STREAM_REST_MAX_MS,
  STREAM_SHARE,
  STREAM_SKIP_MS,
  STREAM_TURN_MS,
  STREAM_WINDOW_MS
} from "../../src/schemas/defaults/Wire.ts"

const withoutLimit = {
  spend: () => {},
  answered: () => {},
  isSpent: () => false,
  waitMs: () => 0,
  enqueue: (done: () => void) => done()
}

/** How long a rest after so much work is; 0 for a turn of everybody else. */
const restAfter = (ms: number, allowance: Allowance = withoutLimit): number => {
  const timer = { unref: () => timer }
  const timers = vi.spyOn(globalThis, "setTimeout").mockReturnValue(timer as never)
  const turn = vi.spyOn(globalThis, "setImmediate").mockReturnValue(undefined as never)
  vi.spyOn(performance, "now").mockReturnValue(1_000 + ms)
  const turns = makeTurns(allowance)
  turns.begin(1_000)
  turns.end(1_000 + ms)
  turns.rest(() => {})
  const waits = timers.mock.calls.map(([, delay]) => delay ?? 0)
  assert.strictEqual(waits.length + turn.mock.calls.length, 1)
  vi.restoreAllMocks()
  return waits[0] ?? 0
}

describe("turns of a stream", () => {
  afterEach(() => vi.restoreAllMocks())

  it("end when their time is used up, in one piece of work or in several", () => {
    const turns = makeTurns(withoutLimit)
    turns.begin(1_000)
    assert.isFalse(turns.isOver(1_000 + STREAM_TURN_MS))
    assert.isTrue(turns.isOver(1_001 + STREAM_TURN_MS))
    assert.isFalse(turns.end(1_000 + STREAM_TURN_MS * 0.75))
    turns.begin(1_005)
    assert.isTrue(turns.end(1_005 + STREAM_TURN_MS * 0.5))
  })

  it("do not count work from before the last window", () => {
    const turns = makeTurns(withoutLimit)
    const [early, late] = [1_000, 1_001 + STREAM_WINDOW_MS]
    for (const begin of [early, late]) {
      turns.begin(begin)
      assert.isFalse(turns.end(begin + STREAM_TURN_MS * 0.75))
    }
  })

  it("are followed by a rest as long as the work when that was long, within a bound", () => {
    assert.strictEqual(restAfter(STREAM_TURN_MS + 1), 0)
    assert.strictEqual(restAfter(STREAM_LONG_MS), 0)
    assert.strictEqual(restAfter(STREAM_LONG_MS + 10), STREAM_LONG_MS + 10)
    assert.strictEqual(restAfter(60_000), STREAM_REST_MAX_MS)
  })

  it("charge a long message once, when it has ended", () => {
    const spends: Array<number> = []
    const turns = makeTurns({ ...withoutLimit, spend: (count) => spends.push(count), isSpent: () => true })
    const part = (now: number, isPart: boolean) => {
      turns.begin(now)
      return turns.end(now + 1, isPart)
    }
    for (const now of [1_000, 2_000, 3_000]) assert.isFalse(part(now, true))
    assert.deepStrictEqual(spends, [])
    assert.isTrue(part(4_000, false))
    assert.isTrue(part(5_000, false))
    assert.deepStrictEqual(spends, [4 * (1 + STREAM_READ_MS), 1 + STREAM_READ_MS])
  })

  it("charge a message of many parts as a long one", () => {
    const spends: Array<number> = []
    const turns = makeTurns({ ...withoutLimit, spend: (count) => spends.push(count) })
    for (let now = 1_000; now < 1_000 + STREAM_LONG_PARTS; now++) {
      turns.begin(now)
      turns.end(now, true)
    }
    turns.begin(2_000)
    turns.end(2_010)
    turns.begin(3_000)
    turns.end(3_010)
    const read = (STREAM_LONG_PARTS + 1) * STREAM_READ_MS
    assert.closeTo(spends[0]!, 100 / STREAM_TURN_MS + read, 1e-9)
    assert.closeTo(spends[1]!, 10 + STREAM_READ_MS, 1e-9)
  })

  it("charge a message that is too long to read at once, and more than its time", () => {
    const spends: Array<number> = []
    const turns = makeTurns({ ...withoutLimit, spend: (count) => spends.push(count), isSpent: () => true })
    turns.begin(1_000)
    assert.isTrue(turns.endSkipping(1_001))
    assert.deepStrictEqual(spends, [1 + STREAM_SKIP_MS])
  })

  it("end when the allowance is used up, and the rest lasts until there is some again", () => {
    const allowance = makeAllowances()()
    let now = 500
    for (; !allowance.isSpent(); now += STREAM_TURN_MS) allowance.spend(STREAM_TURN_MS, now)
    const turns = makeTurns(allowance)
    turns.begin(now)
    assert.isTrue(turns.end(now + 0.001))
    const fresh = makeAllowances()()
    for (let spent = 0; spent <= STREAM_BURST_MS; spent += STREAM_TURN_MS) fresh.spend(STREAM_TURN_MS, 1_000)
    const rest = restAfter(0.001, fresh)
    assert.isAtLeast(rest, STREAM_TURN_MS / STREAM_SHARE)
  })
})
