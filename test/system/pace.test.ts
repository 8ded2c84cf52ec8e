import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { setImmediate as nextTurn } from "node:timers/promises"
import { STREAM_BURST_MS, STREAM_SHARE, STREAM_TURN_MS } from "../../src/schemas/defaults/Wire.ts"
import { LargeWork } from "../../src/system/largeWork.ts"
import { makePace } from "../../src/system/pace.ts"

/** Time that passes when it is told to. */
const clock = () => {
  let now = 1_000
  vi.spyOn(performance, "now").mockImplementation(() => now)
  return { pass: (ms: number) => void (now += ms) }
}

describe("pace", () => {
  afterEach(() => vi.restoreAllMocks())

  it("small work is done one after the other, in order, and then somebody else has a turn", async () => {
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

  it("small work that was interrupted for long waits for one turn of the others, and no time", async () => {
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

  it("small work that takes long again and again has turns as large work", async () => {
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

  it("large work has turns with no other large work in them", async () => {
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
