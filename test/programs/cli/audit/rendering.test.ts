import { assert, describe, it } from "@effect/vitest"
import type { AuditRecord } from "../../../../src/schemas/call/AuditRecord.ts"
import { renderAudit, renderAuditSummary } from "../../../../src/programs/cli/audit/rendering.ts"
import { makeAuditSummary } from "../../../../src/programs/cli/audit/summary.ts"
import { auditCall, auditDefinition, oneOfEach } from "../../../support/auditRecords.ts"

const HOSTILE = 'x\u001b[2J\u202e\u{e0041}\u2028\u0085"\ny'
const VISIBLE = /^[^\p{C}\p{Zl}\p{Zp}]*$/u

describe("the table of the audit log", () => {
  it("has a row for each record, of every kind", () => {
    const lines = renderAudit(oneOfEach(0), 200).split("\n")
    assert.deepStrictEqual(lines, [
      "TIME                  AGENT  SERVER  TOOL        OUTCOME       MS  CHARS  ABOUT",
      "2026-01-01T00:00:00Z  main   fs      read_file   ok            10  64     {path: string(12)}",
      "2026-01-01T00:00:00Z  -      web     fetch       (finding)     -   -      tool fetch: pattern: instruction override (English) (2)",
      "2026-01-01T00:00:00Z  -      web     fetch       (definition)  -   -      changed 0123456789ab → f123456789ab (pin: warn)",
      "2026-01-01T00:00:00Z  main   fs      write_file  (approval)    -   -      denied (tools.ask: fs/write_*) 0123456789ab",
      "2026-01-01T00:00:00Z  -      -       -           (dropped)     -   -      7 records from 2025-12-31T23:59:59.000Z on could not be written"
    ])
  })

  it("says of which other tool a definition is told", () => {
    const { previous: _, ...definition } = auditDefinition(0) as Extract<AuditRecord, { kind: "definition" }>
    const text = renderAudit(
      [
        { ...definition, change: "renamed", from: "fetch_old" },
        { ...definition, change: "shadowing", shadows: "mail/fetch" }
      ],
      200
    )
    assert.include(text, "renamed from fetch_old f123456789ab (pin: warn)")
    assert.include(text, "shadowing mail/fetch f123456789ab (pin: warn)")
  })

  it("says what refused a call, and what was found in it", () => {
    const refused = auditCall(0, {
      outcome: "PolicyDenied",
      decision: { allowed: false, rule: "deny fs/*" },
      findings: [{ kind: "ansi", detail: "ANSI sequences", count: 2 }]
    })
    assert.include(renderAudit([refused], 200), "refused by deny fs/*; found ansi: ANSI sequences (2); {path")
  })

  it("keeps to the width of the terminal, and needs no heading", () => {
    const text = renderAudit([auditCall(0, { shape: "x".repeat(500) })], 100, false)
    assert.strictEqual(text.length, 100)
    assert.match(text, /^2026.*x…$/)
  })

  it("says on 80 columns whose a call is", () => {
    const call = auditCall(0, { person: "ada@example.com", tool: "list_directory_with_sizes", outcome: "ToolNotFound" })
    assert.include(renderAudit([call], 80), "ada@example.com")
  })

  it("fits 80 columns: less important columns are dropped, and the last one stands below", () => {
    const call = auditCall(0, { server: "filesystem", tool: "list_directory_with_sizes", outcome: "ToolNotFound" })
    assert.deepStrictEqual(renderAudit([call], 80).split("\n"), [
      "TIME                  AGENT  SERVER      TOOL                       OUTCOME",
      "    ABOUT",
      "2026-01-01T00:00:00Z  main   filesystem  list_directory_with_sizes  ToolNotFound",
      "    {path: string(12)}"
    ])
    const [heading, row] = renderAudit([auditCall(0)], 60)
      .split("\n")
      .filter((line) => !line.startsWith(" "))
    assert.strictEqual(heading, "TIME                  AGENT  SERVER  TOOL       OUTCOME  MS")
    assert.isAtMost(row!.length, 60)
  })

  it("fits 60 columns with names of any length: names are cut, the time is not", () => {
    const call = auditCall(0, { server: "filesystem", tool: "list_directory_with_sizes", outcome: "ToolNotFound" })
    const lines = renderAudit([call], 60).split("\n")
    for (const line of lines) assert.isAtMost(line.length, 60)
    assert.match(lines[2]!, /^2026-01-01T00:00:00Z  filesystem +list_dire\w*… +ToolNotF/)
    const { add, result } = makeAuditSummary()
    add({ ...call, decision: { allowed: false, rule: "deny filesystem/*" } })
    const [, , ...table] = renderAuditSummary(result(), 60).split("\n")
    assert.lengthOf(table, 2)
    for (const line of table) assert.isAtMost(line.length, 60)
  })

  it("never moves the cursor, whatever the file contains", () => {
    const call = auditCall(0, {
      agent: HOSTILE,
      server: HOSTILE,
      tool: HOSTILE,
      outcome: HOSTILE,
      shape: HOSTILE,
      decision: { allowed: false, rule: HOSTILE },
      findings: [{ kind: HOSTILE, detail: HOSTILE, count: 1 }]
    })
    const { add, result } = makeAuditSummary()
    add(call)
    for (const line of [...renderAudit([call], 500).split("\n"), ...renderAuditSummary(result()).split("\n")]) {
      assert.match(line, VISIBLE)
    }
    assert.strictEqual(renderAudit([call], 500).split("\n").length, 2)
  })
})

describe("the summary of the audit log", () => {
  it("is a table below one line", () => {
    const { add, result } = makeAuditSummary()
    for (const record of oneOfEach(0)) add(record)
    add(auditCall(1, { outcome: "isError", durationMs: 250.4 }))
    add(auditCall(2, { outcome: "PolicyDenied", decision: { allowed: false, rule: "deny fs/*" } }))
    assert.deepStrictEqual(renderAuditSummary(result()).split("\n"), [
      "7 records, 2026-01-01T00:00:00.000Z to 2026-01-01T00:00:02.000Z; 7 more could not be written",
      "",
      "SERVER  TOOL       CALLS  FAILED  P50 MS  P95 MS  FAILURES                   FINDINGS   REFUSED BY",
      "fs      read_file  3      2       10      250     PolicyDenied 1, isError 1  -          deny fs/* 1",
      "web     fetch      0      0       -       -       -                          pattern 2  -"
    ])
  })
})
