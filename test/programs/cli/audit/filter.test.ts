import { assert, describe, it } from "@effect/vitest"
import { matchesAudit, parseSince, type AuditFilter } from "../../../../src/programs/cli/audit/filter.ts"
import { auditCall, oneOfEach, timeOf } from "../../../support/auditRecords.ts"

const kindsFor = (filter: AuditFilter) =>
  oneOfEach(100)
    .filter((record) => matchesAudit(record, filter))
    .map(({ kind }) => kind)

const NOW = Date.UTC(2026, 0, 2)

describe("a filter over the audit log", () => {
  it("that asks for nothing lets everything pass", () => {
    assert.strictEqual(kindsFor({}).length, 5)
    assert.strictEqual(kindsFor({ findings: false }).length, 5)
  })

  it("takes servers, tools and agents by patterns, without regard to case", () => {
    assert.deepStrictEqual(kindsFor({ server: "FS" }), ["call", "approval"])
    assert.deepStrictEqual(kindsFor({ server: "w?b" }), ["finding", "definition"])
    assert.deepStrictEqual(kindsFor({ tool: "*_file" }), ["call", "approval"])
    assert.deepStrictEqual(kindsFor({ tool: "fetch" }), ["finding", "definition"])
    assert.deepStrictEqual(kindsFor({ agent: "main" }), ["call", "approval"])
    assert.deepStrictEqual(kindsFor({ agent: "mai" }), [])
    assert.deepStrictEqual(kindsFor({ server: "fs", tool: "fetch" }), [])
  })

  it("takes calls by how they ended, and records by kind", () => {
    assert.deepStrictEqual(kindsFor({ outcome: "OK" }), ["call"])
    assert.deepStrictEqual(kindsFor({ outcome: "Call*" }), [])
    assert.isTrue(matchesAudit(auditCall(0, { outcome: "CallTimeout" }), { outcome: "Call*" }))
    assert.deepStrictEqual(kindsFor({ kind: "approval" }), ["approval"])
  })

  it("takes what something was found in", () => {
    assert.deepStrictEqual(kindsFor({ findings: true }), ["finding"])
    const found = auditCall(0, { findings: [{ kind: "ansi", detail: "x", count: 1 }] })
    assert.isTrue(matchesAudit(found, { findings: true }))
  })

  it("takes what came since a time, that moment included", () => {
    assert.strictEqual(kindsFor({ since: Date.parse(timeOf(100)) }).length, 5)
    assert.strictEqual(kindsFor({ since: Date.parse(timeOf(101)) }).length, 0)
  })
})

describe("a time", () => {
  it("may be so long ago", () => {
    const ago = ["90s", "5m", "2h", "7d", "1W", " 3 h "].map((text) => (NOW - parseSince(text, NOW)!) / 1_000)
    assert.deepStrictEqual(ago, [90, 300, 7_200, 604_800, 604_800, 10_800])
  })

  it("may be ISO", () => {
    const at = Date.UTC(2026, 2, 1, 8)
    for (const text of ["2026-03-01T08:00Z", "2026-03-01T08:00:00.000Z", "2026-03-01T10:00:00+02:00"]) {
      assert.strictEqual(parseSince(text, NOW), at, text)
    }
    assert.strictEqual(parseSince("2026-03-01", NOW), Date.UTC(2026, 2, 1))
  })

  it("is nothing else", () => {
    for (const text of ["", "2", "h", "-2h", "2 years", "yesterday", "2026-13-01", "1", "99999999d"]) {
      assert.isUndefined(parseSince(text, NOW), text)
    }
  })
})
