import { assert, describe, it } from "@effect/vitest"
import { Writable } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import { writeTogether } from "../../src/system/writeTogether.ts"

const collecting = () => {
  const writes: Array<string> = []
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _, done) => {
      writes.push(text)
      done()
    },
    writev: (all, done) => {
      writes.push(all.map(({ chunk }) => String(chunk)).join(""))
      done()
    }
  })
  return { stream, writes }
}

describe("writes of one turn", () => {
  it("the first goes out at once, and the others together at the end of the turn", async () => {
    const { stream, writes } = collecting()
    const write = writeTogether(stream)
    for (const text of ["a", "b", "c"]) write(text)
    assert.deepStrictEqual(writes, ["a"])
    await nextTurn()
    assert.deepStrictEqual(writes, ["a", "bc"])
    write("d")
    assert.deepStrictEqual(writes, ["a", "bc", "d"])
    await nextTurn()
    write("e")
    write("f")
    stream.end()
    assert.deepStrictEqual(writes, ["a", "bc", "d", "e", "f"])
  })
})
