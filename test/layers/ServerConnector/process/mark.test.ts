import { assert, describe, it } from "@effect/vitest"
import { makeMark, namesPlace, namesStart, parseMark } from "../../../../src/layers/ServerConnector/process/mark.ts"
import { makeRun, type Owner } from "../../../../src/layers/ServerConnector/process/tag.ts"

const owner: Owner = { run: makeRun(), pid: 4_194_303, started: 987_654_321, place: "4026531836.4026531834" }

const shown = (soft: string, hard: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max address space         unlimited            unlimited            bytes     
Max file locks            ${soft.padEnd(20)} ${hard.padEnd(20)} locks     
Max pending signals       15521                15521                signals   
`

describe("marks", () => {
  it("tell the owner, and the connections of one owner apart", () => {
    const mark = makeMark(owner)
    const [soft = "", hard = ""] = mark.text.split(":")
    assert.isTrue(BigInt(soft) < BigInt(hard), "the system takes no other")
    assert.deepStrictEqual(parseMark(shown(soft, hard)), mark)
    assert.strictEqual(mark.pid, owner.pid)
    assert.isTrue(namesStart(mark, owner.started) && namesPlace(mark, owner.place))
    assert.isFalse(namesStart(mark, owner.started + 1) || namesPlace(mark, "1.1"))
    assert.notStrictEqual(makeMark(owner).text, mark.text)
  })

  it("are not what others set, or nobody", () => {
    for (const [soft, hard] of [
      ["unlimited", "unlimited"],
      ["0", "0"],
      ["1024", "65536"],
      ["9223372036854775807", "9223372036854775807"]
    ] as const) {
      assert.isUndefined(parseMark(shown(soft, hard)))
    }
    assert.isUndefined(parseMark(""))
  })
})
