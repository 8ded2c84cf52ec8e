import { assert, it } from "@effect/vitest"
import { makeSeldom } from "../../src/system/seldom.ts"

it("words are let through once in a while, each for itself, and not all of them are remembered", () => {
  let now = 0
  const isDue = makeSeldom(10, 2, () => now)
  assert.deepStrictEqual(["a", "a", "b", "a"].map(isDue), [true, false, true, false])
  now = 10
  assert.deepStrictEqual(["a", "c", "c"].map(isDue), [true, true, false])
  assert.deepStrictEqual(["b", "a"].map(isDue), [true, true])
})
