import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { STREAM_DEBT_MAX_MS, STREAM_TURN_MS } from "../../src/schemas/defaults/Wire.ts"
import { makePace } from "../../src/system/pace.ts"

const free = { spend: () => {}, answered: () => {}, isSpent: () => false, waitMs: () => 0 }

/** Time that passes when it is told to. */
const clock = () => {
  let now = 1_000
  vi.spyOn(performance, "now").mockImplementation(() => now)
  return { pass: (ms: number) => void (now += ms) }
}

describe("pace", () => {
  afterEach(() => vi.restoreAllMocks())

  it("short work is done one after the other, in order, and then somebody else has a turn", async () => {
    const { pass } = clock()
    const pace = makePace(free)
    const done: Array<number | string> = []
    const work = async (id: number) => {
      await pace.turn()
      done.push(id)
      pass(STREAM_TURN_MS / 2)
    }
    const all = [1, 2, 3, 4, 5, 6].map(work)
    setImmediate(() => done.push("others"))
    await Promise.all(all)
    assert.deepStrictEqual(done, [1, 2, 3, "others", 4, 5, 6])
  })

  it("what follows at once from a turn counts with it; long work counts the more, short work nothing", async () => {
    const { pass } = clock()
    const spent: Array<number> = []
    const pace = makePace({ ...free, spend: (count) => spent.push(count) })
    for (const ms of [STREAM_TURN_MS / 2, STREAM_TURN_MS * 4, 10_000]) {
      await pace.turn()
      await Promise.resolve()
      await Promise.resolve()
      pass(ms)
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.deepStrictEqual(spent, [STREAM_TURN_MS * 16, 10_000])
    assert.isAbove(STREAM_DEBT_MAX_MS, STREAM_TURN_MS * 16)
  })

  it("a piece that took long was interrupted, and counts nothing", async () => {
    const { pass } = clock()
    const spent: Array<number> = []
    const pace = makePace({ ...free, spend: (count) => spent.push(count) })
    await pace.turn(true)
    pass(10_000)
    await pace.turn()
    pass(STREAM_TURN_MS * 2)
    await pace.turn(true)
    assert.deepStrictEqual(spent, [STREAM_TURN_MS * 4])
  })

  it("who has used up the allowance waits until there is some again", async () => {
    const waits: Array<number> = []
    let isSpent = true
    const pace = makePace({
      ...free,
      isSpent: () => isSpent,
      waitMs: () => {
        waits.push(1)
        isSpent = false
        return 1
      }
    })
    await pace.turn()
    await pace.turn()
    assert.lengthOf(waits, 1)
  })
})
