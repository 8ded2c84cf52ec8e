import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { makeRun, makeTag, parseTags, withoutTags, withTag, type Owner } from "../../../src/system/process/tag.ts"

const owner: Owner = { run: makeRun(), pid: 4711, started: 987_654, place: "4026531836.4026531834" }

describe("tags", () => {
  it("tell the owner, and the connections of one owner apart", () => {
    const first = makeTag(owner, 1, "files")
    assert.deepStrictEqual(parseTags(first), [{ text: first, owner }])
    assert.notStrictEqual(makeTag(owner, 2, "files"), first)
    assert.notStrictEqual(makeTag({ ...owner, run: makeRun() }, 1, "files"), first)
  })

  it.prop("are safe in an environment variable, whatever the server's name is", [Schema.String], ([name]) => {
    const tag = makeTag(owner, 1, name)
    assert.match(tag, /^[\w:.-]+$/)
    assert.deepStrictEqual(parseTags(tag)[0]?.owner, owner)
  })

  it("of a server within a server are both kept, and the last one started it", () => {
    const inner = { ...owner, run: makeRun(), pid: 4712 }
    const [outermost, own] = [makeTag(owner, 3, "gateway"), makeTag(inner, 1, "files")]
    assert.deepStrictEqual(
      parseTags(withTag(outermost, own)).map(({ text }) => text),
      [outermost, own]
    )
    assert.strictEqual(withTag(undefined, own), own)
  })

  it("in a long chain keep only the last eight", () => {
    const chain = Array.from({ length: 20 }, (_, index) => makeTag(owner, index, "x")).reduce(withTag, "")
    const connections = parseTags(chain).map(({ text }) => text.split(":")[4])
    assert.deepStrictEqual(connections, ["12", "13", "14", "15", "16", "17", "18", "19"])
  })

  it("are removed from a server's output that shows its environment", () => {
    const value = withTag(makeTag(owner, 1, "gateway"), makeTag(owner, 2, "files"))
    for (const shown of [`MCP_LIVE_TAG=${value}`, `"MCP_LIVE_TAG": "${value}"`, `MCP_LIVE_TAG: '${value}'`]) {
      const left = withoutTags(`PATH=/bin ${shown} HOME=/root`)
      assert.notInclude(left, owner.run)
      assert.notInclude(left, "MCP_LIVE_TAG")
      assert.match(left, /^PATH=\/bin .*HOME=\/root$/)
    }
    assert.strictEqual(withoutTags("no tag: 12:34:56"), "no tag: 12:34:56")
  })

  it("are not read from other text in the variable", () => {
    for (const text of ["", "1", "x:y:z", "../..:1:2:3:4:5", `${makeTag(owner, 1, "x")}:more\n`, "a".repeat(100_000)]) {
      assert.deepStrictEqual(parseTags(text), [])
    }
    assert.lengthOf(parseTags(`rubbish ${makeTag(owner, 1, "x")} rubbish`), 1)
  })
})
