import { assert, describe, it } from "@effect/vitest"
import { setImmediate as nextTurn } from "node:timers/promises"
import { inOwnTurn } from "../../src/system/ownTurn.ts"

describe("work in turns of its own", () => {
  it("is done in its order, one piece in each turn of the loop", async () => {
    const done: Array<string> = []
    for (const piece of ["a", "b", "c"]) inOwnTurn(() => done.push(piece))
    const seen: Array<string> = []
    for (let turn = 0; turn < 4; turn++) {
      seen.push(done.join(""))
      await nextTurn()
    }
    assert.deepStrictEqual(seen, ["", "a", "ab", "abc"])
  })

  it("leaves the others as much time as a piece took", async () => {
    const done: Array<string> = []
    const busy = () => {
      const until = performance.now() + 50
      while (performance.now() < until);
      done.push("long")
    }
    inOwnTurn(busy)
    inOwnTurn(() => done.push("next"))
    while (done.length === 0) await nextTurn()
    let turns = 0
    while (done.length === 1) {
      await nextTurn()
      turns++
    }
    assert.isAbove(turns, 2)
  })
})
