import { afterAll, afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { setImmediate as nextTurn } from "node:timers/promises"
import {
  LARGE_BURST_MS,
  LARGE_OTHERS_MS,
  LARGE_PIECE_MS,
  LARGE_REST_PER_MS,
  LARGE_SHARE,
  LARGE_WHOLE_MAX_MS
} from "../../src/schemas/defaults/LargeWork.ts"
import { LargeWork, Party } from "../../src/system/largeWork.ts"

// What a whole process shares has seen a clock here that ran ahead: no other test gets that.
afterAll(() => void vi.resetModules())

const pass = (ms: number) => vi.advanceTimersByTime(ms)

const turns = async (count: number) => {
  for (let left = count; left > 0; left--) await nextTurn()
}

/** Pieces of so many milliseconds for this one: each says its name when it is done. */
const worker = (arbiter: LargeWork, done: Array<string>, party: Party) => (name: string, ms: number) =>
  arbiter.inOwnTurn(() => {
    done.push(name)
    pass(ms)
  }, party)

describe("large work", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
  afterEach(() => void vi.useRealTimers())

  it("runs in order, one piece in each turn of the loop", async () => {
    const arbiter = new LargeWork()
    const done: Array<string> = []
    for (const piece of ["a", "b", "c"]) arbiter.inOwnTurn(() => done.push(piece))
    const seenThen: Array<string> = []
    for (let turn = 0; turn < 4; turn++) {
      seenThen.push(done.join(""))
      await nextTurn()
    }
    assert.deepStrictEqual(seenThen, ["", "a", "ab", "abc"])
  })

  it("does not rest while no other party asks for anything, even after long pieces", async () => {
    const arbiter = new LargeWork()
    const done: Array<string> = []
    const own = new Party()
    arbiter.seen(own)
    pass(LARGE_OTHERS_MS)
    arbiter.seen(own)
    const work = worker(arbiter, done, own)
    for (const name of ["a", "b", "c"]) work(name, 100)
    await turns(3)
    assert.deepStrictEqual(done, ["a", "b", "c"])
  })

  it("rests while others have small requests, in proportion to the time that it took", async () => {
    const arbiter = new LargeWork()
    const done: Array<string> = []
    const work = worker(arbiter, done, new Party())
    arbiter.seen(new Party())
    for (const name of ["a", "b"]) work(name, 4)
    await turns(5)
    assert.deepStrictEqual(done, ["a"])
    pass(4 * LARGE_REST_PER_MS - 2)
    await turns(5)
    assert.deepStrictEqual(done, ["a"])
    pass(2)
    await turns(5)
    assert.deepStrictEqual(done, ["a", "b"])
  })

  it("limits a party that has used its burst to a small share, and others do not wait for it", async () => {
    const arbiter = new LargeWork()
    const done: Array<string> = []
    const [small, much, little] = [new Party(), new Party(), new Party()]
    const [one, other] = [worker(arbiter, done, much), worker(arbiter, done, little)]
    const goOn = async (ms: number) => {
      for (let left = ms; left > 0; left--) {
        arbiter.seen(small)
        pass(1)
        await turns(2)
      }
    }
    const pieces = Math.ceil(LARGE_BURST_MS / LARGE_PIECE_MS)
    for (let left = pieces; left > 0; left--) one("burst", LARGE_PIECE_MS)
    const start = performance.now()
    await goOn(pieces * LARGE_PIECE_MS * (LARGE_REST_PER_MS + 1))
    assert.lengthOf(done, pieces)
    for (let left = 100; left > 0; left--) one("more", LARGE_PIECE_MS)
    other("other", LARGE_PIECE_MS)
    await goOn(2_000)
    const spent = done.filter((name) => name !== "other").length * LARGE_PIECE_MS
    assert.isAtMost(spent, LARGE_BURST_MS + (performance.now() - start) * LARGE_SHARE + 2 * LARGE_PIECE_MS)
    assert.isAbove(spent, LARGE_BURST_MS + 2_000 * LARGE_SHARE)
    assert.isAtMost(done.indexOf("other"), pieces + 3)
  })

  it("charges a long piece in proportion to its length", async () => {
    const arbiter = new LargeWork()
    const done: Array<string> = []
    const [one, other] = [new Party(), new Party()].map((party) => worker(arbiter, done, party))
    arbiter.seen(new Party())
    for (const name of ["long", "longer"]) one!(name, 40)
    await turns(3)
    pass(LARGE_WHOLE_MAX_MS * LARGE_REST_PER_MS)
    for (const name of ["short", "next"]) other!(name, 1)
    await turns(3)
    for (let left = 2; left > 0; left--) {
      pass(LARGE_REST_PER_MS)
      await turns(3)
    }
    assert.deepStrictEqual(done, ["long", "short", "next"])
  })

  it("has the whole time of large work when it belongs to no party", async () => {
    const arbiter = new LargeWork()
    const small = new Party()
    let [spent, isOver] = [0, false]
    const piece = () => {
      if (isOver) return
      pass(LARGE_PIECE_MS)
      spent += LARGE_PIECE_MS
      arbiter.inOwnTurn(piece)
    }
    arbiter.inOwnTurn(piece)
    const start = performance.now()
    while (performance.now() < start + 4_000) {
      arbiter.seen(small)
      pass(1)
      await turns(2)
    }
    isOver = true
    assert.isAbove(spent, 4_000 / (LARGE_REST_PER_MS + 2))
  })

  it("goes to the party that has had the least time, not to the one with the most pieces", async () => {
    const arbiter = new LargeWork()
    const done: Array<string> = []
    const [one, other] = [worker(arbiter, done, new Party()), worker(arbiter, done, new Party())]
    for (const name of ["1", "2", "3", "4", "5", "6"]) one(name, 2)
    for (const name of ["a", "b", "c"]) other(name, 4)
    await turns(20)
    assert.strictEqual(done.join(""), "1a23b45c6")
  })

  it("throws the error of a piece as an uncaught exception and goes on with the next piece", async () => {
    const arbiter = new LargeWork()
    const done: Array<string> = []
    const thrown: Array<unknown> = []
    const listeners = process.listeners("uncaughtException")
    process.removeAllListeners("uncaughtException")
    process.once("uncaughtException", (error) => thrown.push(error.message))
    arbiter.inOwnTurn(() => {
      throw new Error("a bug")
    })
    arbiter.inOwnTurn(() => done.push("next"))
    await turns(4)
    for (const listener of listeners) process.on("uncaughtException", listener)
    assert.deepStrictEqual([thrown, done], [["a bug"], ["next"]])
  })
})
