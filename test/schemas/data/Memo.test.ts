import { assert, describe, it } from "@effect/vitest"
import { lazy, memoOf, memoUpTo } from "../../../src/schemas/data/Memo.ts"

describe("a memoised function", () => {
  it("is called on first use and once, also when it returns undefined", () => {
    let calls = 0
    const get = lazy(() => void calls++)
    assert.strictEqual(calls, 0)
    assert.deepStrictEqual([get(), get()], [undefined, undefined])
    assert.strictEqual(calls, 1)
  })

  it("is called once for each object", () => {
    const asked: Array<object> = []
    const of = memoOf((key: object) => asked.push(key))
    const [one, other] = [{}, {}]
    assert.deepStrictEqual([of(one), of(other), of(one)], [1, 2, 1])
    assert.lengthOf(asked, 2)
  })

  it("keeps a limited number of keys, and is called each time for others", () => {
    const asked: Array<string> = []
    const isVowel = memoUpTo(2, (char: string) => {
      asked.push(char)
      return "aeiou".includes(char)
    })
    assert.deepStrictEqual([..."abcabc"].map(isVowel), [true, false, false, true, false, false])
    assert.deepStrictEqual(asked, ["a", "b", "c", "c"])
  })
})
