import { assert, describe, it } from "@effect/vitest"
import { rotatedAmong, rotatedName } from "../../../src/schemas/call/AuditFiles.ts"

const NOON = Date.UTC(2026, 0, 1, 12)

describe("names of rotated audit files", () => {
  it("sort in the order of rotation, also when the clock was set back or stood still", () => {
    const names: Array<string> = []
    for (const now of [NOON, NOON, NOON - 86_400_000, NOON + 1_000]) names.push(rotatedName(names, now, "abcdef01"))
    assert.deepStrictEqual(names, names.toSorted())
    assert.strictEqual(new Set(names).size, names.length)
    assert.strictEqual(names[0], "audit-2026-01-01T12-00-00.000Z-abcdef01.jsonl")
  })

  it("can be made and are found again after the last time that such a name can have", () => {
    const last = "audit-9999-12-31T23-59-59.999Z-00000000.jsonl"
    const next = rotatedName([last], NOON, "abcdef01")
    assert.deepStrictEqual(rotatedAmong([next, last]), [last, next])
  })

  it("are told apart from other files in the directory", () => {
    const one = "audit-2026-01-01T12-00-00.000Z-abcdef01.jsonl"
    const two = "audit-2026-01-01T12-00-00.001Z-00000000.jsonl"
    const others = ["audit.jsonl", "rotate.lock", `${one}.bak`, "audit-x.jsonl", `my-${one}`]
    // Of a time that does not exist: nothing could come after it.
    others.push("audit-9999-99-99T99-99-99.999Z-abcdef01.jsonl")
    assert.deepStrictEqual(rotatedAmong([two, ...others, one]), [one, two])
  })
})
