import { assert, describe, it } from "@effect/vitest"
import { addNewest, keepNewest, makeRecent, putNewest } from "../../../src/schemas/data/Newest.ts"

describe("what is kept within a bound", () => {
  it("is the newest of a map, and what is put again is new again", () => {
    const kept = new Map<string, number>()
    for (const [index, key] of ["a", "b", "a", "c"].entries()) putNewest(kept, key, index, 2)
    assert.deepStrictEqual(
      [...kept],
      [
        ["a", 2],
        ["c", 3]
      ]
    )
  })

  it("is the newest of a set", () => {
    const kept = new Set<string>()
    for (const value of ["a", "b", "a", "c"]) addNewest(kept, value, 2)
    assert.deepStrictEqual([...kept], ["a", "c"])
    keepNewest(kept, 0)
    assert.deepStrictEqual([...kept], [])
  })

  it("is made once under a key, and what was not wanted for longest goes", () => {
    const made: Array<string> = []
    const recent = makeRecent<object>(2)
    const want = (key: string) =>
      recent(key, () => {
        made.push(key)
        return { key }
      })
    for (const key of ["a", "b", "a", "c", "a", "b"]) want(key)
    assert.deepStrictEqual(made, ["a", "b", "c", "b"])
  })
})
