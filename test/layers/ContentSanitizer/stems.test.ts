import { assert, describe, it } from "@effect/vitest"
import { makeStemFinder } from "../../../src/layers/ContentSanitizer/stems.ts"

const finder = (groups: ReadonlyArray<ReadonlyArray<string>>) => {
  const find = makeStemFinder(groups)
  return (text: string) => {
    const found: Array<string> = []
    find(text, (group, start) => found.push(`${group}@${start}`))
    return found
  }
}

describe("makeStemFinder", () => {
  const find = finder([["abcd", "zz"], ["bc"], ["cde"], ["ümlaut ş"]])

  it("says which groups have a stem in the text, and where it begins", () => {
    assert.deepStrictEqual(find("--abcd--"), ["1@3", "0@2"])
    assert.deepStrictEqual(find("zz ümlaut ş"), ["0@0", "3@3"])
    assert.deepStrictEqual(find("abce"), ["1@1"])
    assert.deepStrictEqual(find("abcde"), ["1@1", "0@0", "2@2"])
  })

  it("finds a stem within the beginning of another, and after it broke off", () => {
    assert.deepStrictEqual(find("abcx"), ["1@1"])
    assert.deepStrictEqual(find("abccde"), ["1@1", "2@3"])
    assert.deepStrictEqual(find("ababcd"), ["1@3", "0@2"])
    assert.deepStrictEqual(find("zzz"), ["0@0", "0@1"])
  })

  it("does not care about case and accents, and finds nothing where nothing is", () => {
    assert.deepStrictEqual(find("ABCD ÜMLAUT Ş"), ["1@1", "0@0", "3@5"])
    assert.deepStrictEqual(find("umlaut s"), ["3@0"])
    assert.deepStrictEqual(find(""), [])
    assert.deepStrictEqual(find("acbd éş"), [])
  })

  it("lets no stem run across a letter that is in none", () => {
    assert.deepStrictEqual(find("ab文cd"), [])
    assert.deepStrictEqual(find("\u{1f600} bc 中文"), ["1@3"])
  })

  it("has room for any number of groups, in any script", () => {
    const groups = Array.from({ length: 200 }, (_, group) => [`stem${group}!`, `${group}号`])
    const text = groups.map(([one, other]) => `${one} ${other}`).join(" ")
    const found = finder(groups)(text).map((entry) => Number(entry.split("@")[0]))
    for (const [group] of groups.entries()) assert.isAtLeast(found.filter((one) => one === group).length, 2)
  })

  it("finds nothing when there is nothing to look for", () => {
    assert.deepStrictEqual(finder([])("abc"), [])
    assert.deepStrictEqual(finder([[], ["a"]])("abc"), ["1@0"])
  })
})
