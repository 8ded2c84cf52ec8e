import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { countOf, makeAllowances, type Allowance } from "../../src/system/allowance.ts"
import {
  STREAM_BURST_MS,
  STREAM_DEBT_MAX_MS,
  STREAM_LONG_COUNTS_MS,
  STREAM_SHARE,
  STREAM_TOGETHER_SHARE,
  STREAM_TURN_MS
} from "../../src/schemas/defaults/Wire.ts"

const MINUTE = 60_000

/** Works whenever it may, a turn of `ms` at a time, for `duration`; gives the milliseconds of work. */
const workFor = (
  allowance: Allowance,
  duration: number,
  ms = STREAM_TURN_MS,
  isLong = false,
  from = MINUTE
): number => {
  let worked = 0
  for (let now = from; now < from + duration;) {
    now += ms
    worked += ms
    allowance.spend(countOf(ms, isLong), now)
    if (allowance.isSpent()) now += allowance.waitMs(now)
  }
  return worked
}

describe("the allowance of one server", () => {
  it("lets a server work through its burst, and then for its share of the time", () => {
    const worked = workFor(makeAllowances()(), MINUTE)
    assert.isAbove(worked, STREAM_SHARE * MINUTE)
    assert.isBelow(worked, STREAM_SHARE * MINUTE + 2 * STREAM_BURST_MS)
  })

  it("charges nothing for an answer, however long it is", () => {
    const [allowance, from] = [makeAllowances()(), MINUTE]
    for (let now = from; now < from + MINUTE; now += 20) {
      allowance.answered()
      allowance.spend(15, now)
      assert.isFalse(allowance.isSpent())
    }
  })

  it("limits a server that mixes answers with other messages to its burst and its share", () => {
    const [allowance, from] = [makeAllowances()(), MINUTE]
    let worked = 0
    for (let now = from; now < from + MINUTE;) {
      allowance.answered()
      allowance.spend(STREAM_TURN_MS, now)
      worked += STREAM_TURN_MS
      now += STREAM_TURN_MS
      allowance.spend(STREAM_TURN_MS, now)
      now += allowance.isSpent() ? allowance.waitMs(now) : STREAM_TURN_MS
    }
    assert.isBelow(worked, STREAM_SHARE * MINUTE + 2 * STREAM_BURST_MS)
  })

  it("saves up no more than one burst, however long a server was idle", () => {
    const allowance = makeAllowances()()
    const from = MINUTE
    allowance.spend(1, from)
    const worked = workFor(allowance, MINUTE, STREAM_TURN_MS, false, from + MINUTE)
    assert.isBelow(worked, STREAM_SHARE * MINUTE + 2 * STREAM_BURST_MS)
  })

  it("charges more per millisecond for a turn with a long message, the longer that turn is", () => {
    const turnsOf = (ms: number) => workFor(makeAllowances()(), 10 * MINUTE, ms, true) / ms
    assert.isAbove(turnsOf(STREAM_TURN_MS), 4 * 3 * turnsOf(STREAM_TURN_MS * 4))
  })

  it("charges any other turn for the time that it took", () => {
    const workOf = (ms: number) => workFor(makeAllowances()(), 10 * MINUTE, ms)
    assert.closeTo(workOf(STREAM_TURN_MS * 8), workOf(STREAM_TURN_MS), STREAM_BURST_MS)
  })

  it("limits the wait after one turn of endless length", () => {
    const allowance = makeAllowances()()
    const now = MINUTE
    allowance.spend(countOf(STREAM_LONG_COUNTS_MS, true), now)
    assert.isFalse(allowance.isSpent())
    allowance.spend(countOf(60 * MINUTE, true), now)
    assert.isTrue(allowance.isSpent())
    assert.isAtMost(allowance.waitMs(now), (STREAM_DEBT_MAX_MS + STREAM_TURN_MS) / STREAM_SHARE)
  })
})

describe("allowances of servers that have used up theirs", () => {
  afterEach(() => vi.useRealTimers())

  it("give those servers turns in order, and a limited share of the time together", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] })
    const makeAllowance = makeAllowances()
    const [servers, until] = [20, performance.now() + MINUTE]
    const order: Array<number> = []
    let worked = 0
    for (let server = 0; server < servers; server++) {
      const allowance = makeAllowance()
      const turn = () => {
        if (performance.now() >= until) return
        order.push(server)
        worked += STREAM_TURN_MS
        allowance.spend(STREAM_TURN_MS, performance.now())
        setTimeout(() => allowance.enqueue(turn), allowance.waitMs(performance.now()))
      }
      while (!allowance.isSpent()) allowance.spend(STREAM_TURN_MS, performance.now())
      allowance.enqueue(turn)
    }
    vi.advanceTimersByTime(MINUTE)
    for (let at = 0; at + servers <= order.length; at += servers) {
      assert.strictEqual(new Set(order.slice(at, at + servers)).size, servers)
    }
    assert.isAtMost(worked, MINUTE * STREAM_TOGETHER_SHARE)
    assert.isAbove(worked, MINUTE * STREAM_TOGETHER_SHARE * 0.5)
  })

  it("owe a server nothing once it has stopped asking", () => {
    const makeAllowance = makeAllowances()
    const [now, others] = [MINUTE, Array.from({ length: 20 }, makeAllowance)]
    const one = makeAllowance()
    for (const allowance of [one, ...others]) while (!allowance.isSpent()) allowance.spend(STREAM_TURN_MS, now)
    assert.isAbove(one.waitMs(now), STREAM_TURN_MS / STREAM_SHARE)
    one.spend(STREAM_TURN_MS, now + MINUTE)
    assert.isAtMost(one.waitMs(now + MINUTE), STREAM_TURN_MS / STREAM_SHARE)
  })
})
