import { assert, describe, it } from "@effect/vitest"
import type { AuditRecord } from "../../../../src/schemas/call/AuditRecord.ts"
import { makeAuditSummary } from "../../../../src/programs/cli/audit/summary.ts"
import {
  auditApproval,
  auditCall,
  auditDefinition,
  auditDropped,
  auditFinding,
  oneOfEach,
  timeOf
} from "../../../support/auditRecords.ts"

const summaryOf = (records: ReadonlyArray<AuditRecord>) => {
  const { add, result } = makeAuditSummary()
  records.forEach(add)
  return result()
}

describe("a summary of the audit log", () => {
  it("of nothing is empty", () => {
    assert.deepStrictEqual(summaryOf([]), { from: null, to: null, records: 0, dropped: 0, rows: [] })
  })

  it("counts calls and failures by server and tool, in the order of their names", () => {
    const { rows } = summaryOf([
      auditCall(0, { server: "web", tool: "fetch" }),
      auditCall(0, { outcome: "CallTimeout" }),
      auditCall(0, { outcome: "isError" }),
      auditCall(0, { outcome: "CallTimeout" }),
      auditCall(0),
      auditCall(0, { server: null, tool: "nope", outcome: "ToolNotFound" })
    ])
    assert.deepStrictEqual(
      rows.map(({ calls, failures, server, tool }) => [server, tool, calls, failures]),
      [
        [null, "nope", 1, { ToolNotFound: 1 }],
        ["fs", "read_file", 4, { CallTimeout: 2, isError: 1 }],
        ["web", "fetch", 1, {}]
      ]
    )
    assert.deepStrictEqual(Object.keys(rows[1]!.failures), ["CallTimeout", "isError"])
  })

  it("has the median and the slowest twentieth of the durations, whatever their order", () => {
    const durations = Array.from({ length: 100 }, (_, i) => ((i * 37) % 100) + 1)
    const [row] = summaryOf(durations.map((durationMs) => auditCall(0, { durationMs }))).rows
    assert.deepStrictEqual([row?.p50Ms, row?.p95Ms], [50, 95])
    const [one] = summaryOf([auditCall(0, { durationMs: 7 })]).rows
    assert.deepStrictEqual([one?.p50Ms, one?.p95Ms], [7, 7])
  })

  it("counts refusals by rule; they took no time", () => {
    const decision = { allowed: false, rule: "gateway.tools.deny: fs/*" }
    const [row] = summaryOf([
      auditCall(0, { decision, outcome: "PolicyDenied", durationMs: 0 }),
      auditCall(0, { decision, outcome: "PolicyDenied", durationMs: 0 }),
      auditCall(0, { decision: { allowed: true, rule: "*" }, durationMs: 8 })
    ]).rows
    assert.deepStrictEqual(row?.refused, { "gateway.tools.deny: fs/*": 2 })
    assert.strictEqual(row?.p50Ms, 8)
  })

  it("leaves calls that reached no server out of the durations", () => {
    const [row] = summaryOf([
      auditCall(0, { outcome: "RateLimited", durationMs: 0 }),
      auditCall(0, { outcome: "CircuitOpen", durationMs: 0 }),
      auditCall(0, { outcome: "CallTimeout", durationMs: 9 })
    ]).rows
    assert.deepStrictEqual([row?.calls, row?.p50Ms, row?.p95Ms], [3, 9, 9])
    assert.deepStrictEqual(row?.failures, { CallTimeout: 1, CircuitOpen: 1, RateLimited: 1 })
  })

  it("counts findings by kind, in results and in definitions", () => {
    const findings = [{ kind: "pattern", detail: "x", count: 3 }]
    const { rows } = summaryOf([auditCall(0, { server: "web", tool: "fetch", findings }), auditFinding(0)])
    assert.deepStrictEqual(
      rows.map(({ calls, findings, p50Ms }) => [calls, findings, p50Ms]),
      [[1, { pattern: 5 }, 10]]
    )
  })

  it("has no row for what was neither called nor found, and counts its records", () => {
    const { records, rows } = summaryOf([auditDefinition(0), auditApproval(1)])
    assert.deepStrictEqual([records, rows], [2, []])
  })

  it("says from when to when, and what is missing", () => {
    const { dropped, from, records, to } = summaryOf([auditCall(5), auditCall(2), ...oneOfEach(9), auditDropped(3)])
    assert.deepStrictEqual([from, to, records, dropped], [timeOf(2), timeOf(9), 8, 14])
  })
})
