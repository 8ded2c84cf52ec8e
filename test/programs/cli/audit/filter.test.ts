import { assert, describe, it } from "@effect/vitest"
import { matchesAudit, type AuditFilter } from "../../../../src/programs/cli/audit/filter.ts"
import { auditCall, oneOfEach, timeOf } from "../../../support/auditRecords.ts"

const kindsFor = (filter: AuditFilter) =>
  oneOfEach(100)
    .filter((record) => matchesAudit(record, filter))
    .map(({ kind }) => kind)

describe("a filter over the audit log", () => {
  it("that asks for nothing lets everything pass", () => {
    assert.strictEqual(kindsFor({}).length, 5)
    assert.strictEqual(kindsFor({ findings: false }).length, 5)
  })

  it("takes servers, tools, agents and clients by patterns, without regard to case", () => {
    assert.deepStrictEqual(kindsFor({ server: "FS" }), ["call", "approval"])
    assert.deepStrictEqual(kindsFor({ server: "w?b" }), ["finding", "definition"])
    assert.deepStrictEqual(kindsFor({ tool: "*_file" }), ["call", "approval"])
    assert.deepStrictEqual(kindsFor({ tool: "fetch" }), ["finding", "definition"])
    assert.deepStrictEqual(kindsFor({ agent: "main" }), ["call", "approval"])
    assert.deepStrictEqual(kindsFor({ agent: "mai" }), [])
    assert.deepStrictEqual(kindsFor({ server: "fs", tool: "fetch" }), [])
    assert.deepStrictEqual(kindsFor({ client: "*" }), [])
    assert.isTrue(matchesAudit(auditCall(0, { client: "client ada" }), { client: "*ada" }))
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
