import { assert, describe, it } from "@effect/vitest"
import {
  BETWEEN,
  makeAutomaton,
  OTHER_SIGN,
  ROOT,
  SKIPPED,
  step
} from "../../../../src/layers/ContentSanitizer/orders/automaton.ts"

const read = (char: string): number => {
  if (char === " ") return BETWEEN
  if (char === "-") return SKIPPED
  return char >= "a" && char <= "z" ? char.charCodeAt(0) - 0x60 : OTHER_SIGN
}

/** Which patterns end where. */
const finder = (patterns: ReadonlyArray<string>) => {
  const { ends, isEnd, next } = makeAutomaton(patterns.map((pattern) => [Array.from(pattern, read), pattern] as const))
  return (text: string) => {
    const found: Array<string> = []
    let state = ROOT
    for (let index = 0; index < text.length; index++) {
      state = step(next, state, read(text[index]!))
      if (isEnd[state] === 1) for (const pattern of ends[state]!) found.push(`${pattern}@${index}`)
    }
    return found
  }
}

describe("makeAutomaton", () => {
  const find = finder([" abcd", " zz ", "bc", " ab cd "])

  it("says which patterns end where", () => {
    assert.deepStrictEqual(find(" abcd"), ["bc@3", " abcd@4"])
    assert.deepStrictEqual(find(" zz ."), [" zz @3"])
    assert.deepStrictEqual(find("zz abce"), ["bc@5"])
  })

  it("goes on with what a broken off pattern ended with", () => {
    assert.deepStrictEqual(find(" ab abcd"), ["bc@6", " abcd@7"])
    assert.deepStrictEqual(find(" zz zz "), [" zz @3", " zz @6"])
  })

  it("reads white space once, also within a pattern, and reports what ended with it once", () => {
    assert.deepStrictEqual(find("   ab   cd   "), [" ab cd @10"])
    assert.deepStrictEqual(find(" zz    "), [" zz @3"])
  })

  it("does not read what has no width", () => {
    assert.deepStrictEqual(find(" a-b-c"), ["bc@5"])
  })

  it("lets no pattern run across another sign", () => {
    assert.deepStrictEqual(find(" ab.cd b?c"), [])
  })

  it("keeps several meanings of one pattern, and finds nothing when there is nothing to look for", () => {
    const { ends, isEnd } = makeAutomaton([
      [[1], "one"],
      [[1], "other"]
    ])
    assert.deepStrictEqual(ends[isEnd.indexOf(1)], ["one", "other"])
    assert.deepStrictEqual(finder([])("abc"), [])
  })
})
