import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import * as Search from "../../../../src/layers/content/Redactor/search.ts"

const token = (seed: number) => createHash("sha256").update(String(seed)).digest("base64url")

const searchFor = (texts: ReadonlyArray<string>) => {
  const search = Search.make<string>(6)
  for (const text of texts) search.add(text, () => text)
  let compared = 0
  const find = (text: string) =>
    search.find(text, () => {
      compared++
      return true
    })
  return { find, compared: () => compared }
}

describe("Search: many texts with the same beginning", () => {
  const MANY = 2000
  for (const [name, beginning] of [
    ["a word before a token", "Bearer "],
    ["the header of a token", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."]
  ] as const) {
    it(`${name}: the comparisons do not grow with the number of texts`, () => {
      const known = Array.from({ length: MANY }, (_, seed) => beginning + token(seed).slice(seed % 5))
      const { compared, find } = searchFor(known)
      const places = 500
      // Other tokens, and the beginning again and again.
      const others = Array.from({ length: places }, (_, seed) => beginning + token(seed + MANY)).join(" ")
      assert.deepStrictEqual(find(others + beginning.repeat(places)), [])
      assert.isAtMost(compared(), places)
    })

    it(`${name}: each is found, the longest first`, () => {
      const known = Array.from({ length: 50 }, (_, seed) => beginning + token(seed))
      const { find } = searchFor([...known, ...known.map((text) => text.slice(0, -3)), `${known[0]}-and-more`])
      const hits = find(`${known.join(" ")} ${known[0]}-and-more ${known[1]!.slice(0, -1)}`)
      assert.deepStrictEqual(
        hits.map(({ of }) => of),
        [...known, `${known[0]}-and-more`, known[1]!.slice(0, -3)]
      )
    })
  }

  it("those with the same end are also told apart", () => {
    const known = ["Bearer a-0123456789abcdef", "Bearer b-0123456789abcdef"]
    const { find } = searchFor(known)
    assert.deepStrictEqual(
      find(`${known[1]} Bearer c-0123456789abcdef ${known[0]}`).map(({ of }) => of),
      [known[1], known[0]]
    )
  })
})

describe("Search: many texts of one repeated character", () => {
  it("passes over a found text in linear time", () => {
    const MANY = 500
    const search = Search.make<string>(6)
    for (let length = 6; length < 6 + MANY; length++) search.add("s".repeat(length), () => "s")
    // Cut out at each place and for each length they would be millions.
    let cuts = 0
    const text = Object.assign(Object("s".repeat(20_000)) as string, {
      slice: (start: number, end: number) => {
        cuts++
        return "s".repeat(end - start)
      }
    })
    assert.isNotEmpty(search.find(text, () => true))
    assert.isAtMost(cuts, 2 * text.length)
  })
})
