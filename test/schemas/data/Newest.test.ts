import { assert, describe, it } from "@effect/vitest"
import { addNewest, keepNewest, makeRecent, putNewest } from "../../../src/schemas/data/Newest.ts"

describe("a collection with a limit", () => {
  it("keeps the newest entries of a map, and setting one again makes it new", () => {
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

  it("keeps the newest entries of a set", () => {
    const kept = new Set<string>()
    for (const value of ["a", "b", "a", "c"]) addNewest(kept, value, 2)
    assert.deepStrictEqual([...kept], ["a", "c"])
    keepNewest(kept, 0)
    assert.deepStrictEqual([...kept], [])
  })

  it("makes an entry once per key, and drops the least recently used", () => {
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
