import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { makeRun, makeTag, parseTags, withTag, type Owner } from "../../../../src/layers/ServerConnector/process/tag.ts"

const owner: Owner = { run: makeRun(), pid: 4711, started: 987_654, place: "4026531836.4026531834" }

describe("tags", () => {
  it("tell the owner, and the connections of one owner apart", () => {
    const first = makeTag(owner, 1, "files")
    assert.deepStrictEqual(parseTags(first), [{ text: first, owner }])
    assert.notStrictEqual(makeTag(owner, 2, "files"), first)
    assert.notStrictEqual(makeTag({ ...owner, run: makeRun() }, 1, "files"), first)
  })

  it.prop("hold whatever a server is called, and nothing that a variable cannot hold", [Schema.String], ([name]) => {
    const tag = makeTag(owner, 1, name)
    assert.match(tag, /^[\w:.-]+$/)
    assert.deepStrictEqual(parseTags(tag)[0]?.owner, owner)
  })

  it("a server's server belongs to both; who started it stands last", () => {
    const inner = { ...owner, run: makeRun(), pid: 4712 }
    const [outermost, own] = [makeTag(owner, 3, "gateway"), makeTag(inner, 1, "files")]
    assert.deepStrictEqual(
      parseTags(withTag(outermost, own)).map(({ text }) => text),
      [outermost, own]
    )
    assert.strictEqual(withTag(undefined, own), own)
  })

  it("a chain does not grow without end: the outermost are left out", () => {
    const chain = Array.from({ length: 20 }, (_, index) => makeTag(owner, index, "x")).reduce(withTag, "")
    const connections = parseTags(chain).map(({ text }) => text.split(":")[4])
    assert.deepStrictEqual(connections, ["12", "13", "14", "15", "16", "17", "18", "19"])
  })

  it("anything else in the variable is passed over", () => {
    for (const text of ["", "1", "x:y:z", "../..:1:2:3:4:5", `${makeTag(owner, 1, "x")}:more\n`, "a".repeat(100_000)]) {
      assert.deepStrictEqual(parseTags(text), [])
    }
    assert.lengthOf(parseTags(`rubbish ${makeTag(owner, 1, "x")} rubbish`), 1)
  })
})
