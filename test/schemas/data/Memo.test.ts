import { assert, describe, it } from "@effect/vitest"
import { lazy, memoOf, memoUpTo } from "../../../src/schemas/data/Memo.ts"

describe("what a pure function returns", () => {
  it("is made when it is first needed, and once, also if it is undefined", () => {
    let calls = 0
    const get = lazy(() => void calls++)
    assert.strictEqual(calls, 0)
    assert.deepStrictEqual([get(), get()], [undefined, undefined])
    assert.strictEqual(calls, 1)
  })

  it("is made once for each object", () => {
    const asked: Array<object> = []
    const of = memoOf((key: object) => asked.push(key))
    const [one, other] = [{}, {}]
    assert.deepStrictEqual([of(one), of(other), of(one)], [1, 2, 1])
    assert.lengthOf(asked, 2)
  })

  it("is kept for so many keys, and made each time for others", () => {
    const asked: Array<string> = []
    const isVowel = memoUpTo(2, (char: string) => {
      asked.push(char)
      return "aeiou".includes(char)
    })
    assert.deepStrictEqual([..."abcabc"].map(isVowel), [true, false, false, true, false, false])
    assert.deepStrictEqual(asked, ["a", "b", "c", "c"])
  })
})
