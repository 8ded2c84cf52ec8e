import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { setImmediate as nextTurn } from "node:timers/promises"
import { LARGE_OTHERS_MS, RATE_BURST_BYTES } from "../../src/schemas/defaults/LargeWork.ts"
import { STREAM_BURST_MS, STREAM_SHARE, STREAM_TURN_MS } from "../../src/schemas/defaults/Wire.ts"
import { LargeWork } from "../../src/system/largeWork.ts"
import { makePace } from "../../src/system/pace.ts"

/** Time that passes when it is told to. */
const clock = () => {
  let now = 1_000
  vi.spyOn(performance, "now").mockImplementation(() => now)
  return { pass: (ms: number) => void (now += ms) }
}

describe("the pace of a client's work", () => {
  afterEach(() => vi.restoreAllMocks())

  it("does small work in order, and gives others a turn after a while", async () => {
    const { pass } = clock()
    const pace = makePace()
    const done: Array<number | string> = []
    const work = async (id: number) => {
      await pace.small()
      done.push(id)
      pass(STREAM_TURN_MS / 2)
    }
    setImmediate(() => done.push("others"))
    const all = [1, 2, 3, 4, 5, 6].map(work)
    await Promise.all(all)
    assert.deepStrictEqual(done, [1, 2, 3, "others", 4, 5, 6])
  })

  it("makes small work wait one turn, not longer, after a long interruption", async () => {
    const { pass } = clock()
    const pace = makePace()
    await pace.small()
    pass(10_000)
    let isNext = false
    void pace.small().then(() => (isNext = true))
    await nextTurn()
    await nextTurn()
    assert.isTrue(isNext)
  })

  it("treats small work that takes long again and again as large work", async () => {
    const { pass } = clock()
    const arbiter = new LargeWork()
    const inOwnTurn = vi.spyOn(arbiter, "inOwnTurn")
    const pace = makePace(arbiter)
    const work = async () => {
      await pace.small()
      pass(STREAM_TURN_MS * 2)
      await nextTurn()
      await nextTurn()
    }
    let count = 0
    for (; inOwnTurn.mock.calls.length === 0 && count < 1_000; count++) await work()
    assert.isAtLeast(count, STREAM_BURST_MS / (STREAM_TURN_MS * 4))
    assert.isAtMost(count, 2 * STREAM_BURST_MS)
    pass(STREAM_BURST_MS / STREAM_SHARE)
    await work()
    assert.lengthOf(inOwnTurn.mock.calls, 1)
  })

  it("makes bytes above a burst wait only while another client has small requests", async () => {
    const { pass } = clock()
    const arbiter = new LargeWork()
    const [pace, another] = [makePace(arbiter), makePace(arbiter)]
    let count = 0
    const arrive = () => void pace.arrived(RATE_BURST_BYTES).then(() => count++)
    arrive()
    arrive()
    await nextTurn()
    assert.strictEqual(count, 2)
    await pace.small()
    await another.small()
    arrive()
    await nextTurn()
    assert.strictEqual(count, 2)
    pass(LARGE_OTHERS_MS + 1)
    arrive()
    await nextTurn()
    assert.strictEqual(count, 3)
  })

  it("gives each piece of large work a turn without other large work", async () => {
    const arbiter = new LargeWork()
    const pace = makePace(arbiter)
    const done: Array<string> = []
    const work = async (name: string) => {
      await pace.large()
      done.push(name)
    }
    const all = ["a", "b"].map(work)
    arbiter.inOwnTurn(() => done.push("another's"))
    const seen: Array<number> = []
    for (let turn = 0; turn < 4; turn++) {
      seen.push(done.length)
      await nextTurn()
    }
    await Promise.all(all)
    assert.deepStrictEqual(seen, [0, 1, 2, 3])
  })
})
