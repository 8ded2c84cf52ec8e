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
})
