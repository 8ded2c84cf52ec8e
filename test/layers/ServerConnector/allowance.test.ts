import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { countOf, enqueue, makeAllowance, type Allowance } from "../../../src/layers/ServerConnector/allowance.ts"
import {
  STREAM_BURST_MS,
  STREAM_DEBT_MAX_MS,
  STREAM_LONG_COUNTS_MS,
  STREAM_SHARE,
  STREAM_TOGETHER_SHARE,
  STREAM_TURN_MS
} from "../../../src/schemas/Defaults.ts"

/** Works whenever it may, a turn of `ms` at a time; gives the milliseconds of work until `until`. */
const workUntil = (allowance: Allowance, until: number, ms = STREAM_TURN_MS, from = 0): number => {
  let worked = 0
  for (let now = from; now < until;) {
    now += ms
    worked += ms
    allowance.spend(countOf(ms), now)
    if (allowance.isSpent()) now += allowance.waitMs(now)
  }
  return worked
}

const MINUTE = 60_000

describe("allowance: of one server", () => {
  it("has a burst, and then its share of the time", () => {
    const worked = workUntil(makeAllowance(), MINUTE)
    assert.isAbove(worked, STREAM_SHARE * MINUTE)
    assert.isBelow(worked, STREAM_SHARE * MINUTE + 2 * STREAM_BURST_MS)
  })

  it("work before an answer costs nothing", () => {
    const allowance = makeAllowance()
    for (let now = 0; now < MINUTE; now += 20) {
      allowance.spend(15, now)
      allowance.answered()
      allowance.spend(5, now)
      assert.isFalse(allowance.isSpent())
    }
  })

  it("one answer pays for what came before it, and for no more", () => {
    const allowance = makeAllowance()
    allowance.answered()
    allowance.spend(1, 0)
    const worked = workUntil(allowance, MINUTE)
    assert.isBelow(worked, STREAM_SHARE * MINUTE + 2 * STREAM_BURST_MS)
  })

  it("what has long been saved is no more than a burst", () => {
    const allowance = makeAllowance()
    allowance.spend(1, 0)
    const worked = workUntil(allowance, 2 * MINUTE, STREAM_TURN_MS, MINUTE)
    assert.isBelow(worked, STREAM_SHARE * MINUTE + 2 * STREAM_BURST_MS)
  })

  it("turns that cannot be cut count more the longer they are: of them there are the fewer", () => {
    const turnsOf = (ms: number) => workUntil(makeAllowance(), 10 * MINUTE, ms) / ms
    assert.isAbove(turnsOf(STREAM_TURN_MS), 4 * 3 * turnsOf(STREAM_TURN_MS * 4))
  })

  it("a single one that took endless (a pause of the machine) is not held against it for long", () => {
    const allowance = makeAllowance()
    allowance.spend(countOf(STREAM_LONG_COUNTS_MS), 0)
    assert.isFalse(allowance.isSpent())
    allowance.spend(countOf(60 * MINUTE), 0)
    assert.isTrue(allowance.isSpent())
    assert.isAtMost(allowance.waitMs(0), (STREAM_DEBT_MAX_MS + STREAM_TURN_MS) / STREAM_SHARE)
  })
})

describe("allowance: of all that have used up theirs", () => {
  afterEach(() => vi.useRealTimers())

  it("they have their turns in order, one at a time, and so much of the time together", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] })
    // Behind the time that any other of these tests has kept clear.
    vi.advanceTimersByTime(MINUTE * 120)
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
        setTimeout(() => enqueue(turn), allowance.waitMs(performance.now()))
      }
      while (!allowance.isSpent()) allowance.spend(STREAM_TURN_MS, performance.now())
      enqueue(turn)
    }
    vi.advanceTimersByTime(MINUTE)
    for (let at = 0; at + servers <= order.length; at += servers) {
      assert.strictEqual(new Set(order.slice(at, at + servers)).size, servers)
    }
    assert.isAtMost(worked, MINUTE * STREAM_TOGETHER_SHARE)
    assert.isAbove(worked, MINUTE * STREAM_TOGETHER_SHARE * 0.5)
  })

  it("one that has stopped is none of them any more, and is owed nothing", () => {
    const [now, others] = [1e9, Array.from({ length: 20 }, makeAllowance)]
    const one = makeAllowance()
    for (const allowance of [one, ...others]) while (!allowance.isSpent()) allowance.spend(STREAM_TURN_MS, now)
    assert.isAbove(one.waitMs(now), STREAM_TURN_MS / STREAM_SHARE)
    one.spend(STREAM_TURN_MS, now + MINUTE)
    assert.isAtMost(one.waitMs(now + MINUTE), STREAM_TURN_MS / STREAM_SHARE)
  })
})
