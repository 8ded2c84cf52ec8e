import { assert, describe, it } from "@effect/vitest"
import { makeRecent } from "../../../../src/layers/login/Authorizer/recent.ts"

describe("what is kept within a bound", () => {
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
