import { assert, describe, it } from "@effect/vitest"
import { treeOf } from "../../../../../../src/programs/ui/page/views/Configuration/json5Tree.ts"
import {
  lineOf,
  placeAt,
  rangeOf,
  startOfLine
} from "../../../../../../src/programs/ui/page/views/Configuration/place.ts"

/** The place at the sign `|`, which is taken out. */
const at = (marked: string) => placeAt(marked.replace("|", ""), marked.indexOf("|"))
const path = (marked: string) => {
  const place = at(marked)
  return [place.at, ...place.path]
}

describe("the place of the cursor in a configuration", () => {
  it("is the key that it stands in, at its beginning, or behind its last letter", () => {
    for (const marked of ["{ |mcp: {} }", "{ m|cp: {} }", "{ mcp|: {} }", `{ "m|cp": {} }`, `{ 'mcp'|: 1 }`]) {
      assert.deepStrictEqual(path(marked), ["key", "mcp"])
    }
  })

  it("is the value behind the colon, also while there is none yet", () => {
    assert.deepStrictEqual(path("{ mcp: |}"), ["value", "mcp"])
    assert.deepStrictEqual(path("{ mcp: | , b: 1 }"), ["value", "mcp"])
    assert.deepStrictEqual(path(`{ a: { b: "x|y" } }`), ["value", "a", "b"])
    assert.deepStrictEqual(path("{ a: [1, {}, tr|ue] }"), ["value", "a", 2])
  })

  it("is the object around between keys, with the keys that it has", () => {
    const place = at("{ a: 1, b: { c: 1,\n  |\n } }")
    assert.deepStrictEqual([place.at, ...place.path], ["key", "b"])
    assert.deepStrictEqual(place.around, { path: ["b"], keys: ["c"] })
    assert.deepStrictEqual(path("{ a: 1,\n  | }"), ["key"])
    assert.deepStrictEqual(path("{ a: [ { id: 1 }, { | } ] }"), ["key", "a", 1])
  })

  it("passes over comments and whatever is in strings", () => {
    assert.deepStrictEqual(path(`// { x: [\n{ /* } ] */ a: "}, b: {", c: { d|: 1 } }`), ["key", "c", "d"])
    assert.deepStrictEqual(path(`{ "a\\"}b": { c: |1 } }`), ["value", `a"}b`, "c"])
  })

  it("is found in a text that is broken: an open bracket, an open quote, a bracket too many, no comma", () => {
    assert.deepStrictEqual(path("{ a: { b: { co|"), ["key", "a", "b", "co"])
    assert.deepStrictEqual(path("{ a: { b: { |"), ["key", "a", "b"])
    assert.deepStrictEqual(path(`{ a: "open\n, b: { c|: 1 } }`), ["key", "b", "c"])
    assert.deepStrictEqual(path("{ a: ] 1, b: { c|: 1 } }"), ["key", "b", "c"])
    assert.deepStrictEqual(path("{ a: 1\n  b: { c|: 1 } }"), ["key", "b", "c"])
    assert.deepStrictEqual(path("|"), ["value"])
    assert.deepStrictEqual(path("{}|"), ["value"])
  })

  it("is found in a text that nests very deep", () => {
    const deep = "{a:".repeat(50_000)
    assert.strictEqual(placeAt(deep, deep.length).path.length, 50_000)
  })

  it("leads back: from a path to where its key stands", () => {
    const text = `{ a: 1, "b c": [ { d: 2 } ] }`
    const { from, to } = rangeOf(text, ["b c", 0, "d"])!
    assert.strictEqual(text.slice(from, to), "d")
    assert.isUndefined(rangeOf(text, ["b c", 1]))
    assert.deepStrictEqual([lineOf("a\nb\nc", 2), startOfLine("a\nb\nc", 3), startOfLine("a", 9)], [2, 4, 0])
  })
})

it("tells keys, words, strings and comments apart, for their colours", () => {
  const text = `{ a: "x", b: true } // end`
  assert.deepStrictEqual(
    treeOf(text)
      .tokens.filter(({ kind }) => kind !== "sign")
      .map(({ from, kind, to }) => [kind, text.slice(from, to)]),
    [
      ["key", "a"],
      ["string", `"x"`],
      ["key", "b"],
      ["word", "true"],
      ["comment", "// end"]
    ]
  )
})
