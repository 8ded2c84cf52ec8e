import { assert, describe, it } from "@effect/vitest"
import { atOnce } from "../../../../../src/schemas/data/InTurns.ts"
import {
  BETWEEN,
  END,
  makeAutomaton,
  OTHER_SIGN,
  ROOT,
  SKIPPED,
  step
} from "../../../../../src/layers/content/ContentSanitizer/injection/automaton.ts"

const read = (char: string): number => {
  if (char === " ") return BETWEEN
  if (char === "-") return SKIPPED
  return char >= "a" && char <= "z" ? char.charCodeAt(0) - 0x60 : OTHER_SIGN
}

/** Which patterns end where. Each may come with how much of it is the same as in the one before. */
const finder = (patterns: ReadonlyArray<string | readonly [pattern: string, kept: number]>) => {
  const { ends, flags, learn, next } = atOnce(
    makeAutomaton<string>(function* (add) {
      for (const each of patterns) {
        const [pattern, kept] = typeof each === "string" ? [each] : each
        yield add(Array.from(pattern, read), pattern.length, pattern, kept) as undefined
      }
    })
  )
  return (text: string) => {
    const found: Array<string> = []
    let state = ROOT
    for (let index = 0; index < text.length; index++) {
      state = step(next, state, read(text[index]!))
      learn(state)
      if (flags[state] === END) for (const pattern of ends[state]!) found.push(`${pattern}@${index}`)
    }
    return found
  }
}

describe("makeAutomaton", () => {
  const find = finder([" abcd", " zz ", "bc", " ab cd "])

  it("finds which patterns end where", () => {
    assert.deepStrictEqual(find(" abcd"), ["bc@3", " abcd@4"])
    assert.deepStrictEqual(find(" zz ."), [" zz @3"])
    assert.deepStrictEqual(find("zz abce"), ["bc@5"])
  })

  it("continues with a pattern that begins inside a broken off one", () => {
    assert.deepStrictEqual(find(" ab abcd"), ["bc@6", " abcd@7"])
    assert.deepStrictEqual(find(" zz zz "), [" zz @3", " zz @6"])
  })

  it("reads a run of white space as one space, and reports what ends with it once", () => {
    assert.deepStrictEqual(find("   ab   cd   "), [" ab cd @10"])
    assert.deepStrictEqual(find(" zz    "), [" zz @3"])
  })

  it("skips characters without width", () => {
    assert.deepStrictEqual(find(" a-b-c"), ["bc@5"])
  })

  it("does not match a pattern across other characters", () => {
    assert.deepStrictEqual(find(" ab.cd b?c"), [])
  })

  it("holds 12,000 patterns", () => {
    const letters = "abcdefghijklmnopqrstuvwxyz"
    const many = Array.from(
      { length: 12_000 },
      (_, index) => `${letters[index % 26]}${letters[(index * 7) % 25]}${index}`
    )
    const patterns = many.map((name) => Array.from(name, (char) => letters[Number(char)] ?? char).join(""))
    const last = patterns.at(-1)!
    assert.include(finder(patterns)(last), `${last}@${last.length - 1}`)
  })

  it("takes from a pattern what the next one shares with it", () => {
    const found = finder([
      [" abcd", 0],
      [" abef", 3],
      [" ab", 3],
      ["bc", 0]
    ])
    assert.deepStrictEqual(found(" abef abcd"), [" ab@2", " abef@4", " ab@7", "bc@8", " abcd@9"])
  })

  it("keeps each meaning of a pattern once, and finds nothing without patterns", () => {
    const { ends, flags, learn, next } = atOnce(
      makeAutomaton<string>(function* (add) {
        for (const meaning of ["one", "other", "one"]) yield add([1, 2], 1, meaning) as undefined
      })
    )
    const state = step(next, ROOT, 1)
    learn(state)
    assert.strictEqual(flags[state], END)
    assert.deepStrictEqual(ends[state], ["one", "other"])
    assert.deepStrictEqual(finder([])("abc"), [])
  })
})
