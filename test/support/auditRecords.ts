/** Records of an audit log. */
import type { AuditRecord } from "../../src/schemas/call/AuditRecord.ts"

type Call = Extract<AuditRecord, { kind: "call" }>

export const timeOf = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString()

export const auditCall = (second: number, more: Partial<Call> = {}): Call => ({
  v: 1,
  time: timeOf(second),
  kind: "call",
  agent: "main",
  server: "fs",
  tool: "read_file",
  shape: "{path: string(12)}",
  durationMs: 10,
  outcome: "ok",
  resultChars: 64,
  findings: [],
  ...more
})

export const HASH = "0123456789abcdef".repeat(4)

/** One of each other kind. */
export const auditFinding = (second: number): AuditRecord => ({
  v: 1,
  time: timeOf(second),
  kind: "finding",
  server: "web",
  subject: "tool fetch",
  findings: [{ kind: "pattern", detail: "instruction override (English)", count: 2 }]
})
export const auditDefinition = (second: number): AuditRecord => ({
  v: 1,
  time: timeOf(second),
  kind: "definition",
  server: "web",
  tool: "fetch",
  change: "changed",
  hash: `f${HASH.slice(1)}`,
  previous: HASH,
  pin: "warn"
})
export const auditApproval = (second: number): AuditRecord => ({
  v: 1,
  time: timeOf(second),
  kind: "approval",
  agent: "main",
  server: "fs",
  tool: "write_file",
  definition: HASH,
  answer: "denied",
  rule: "tools.ask: fs/write_*"
})
export const auditDropped = (second: number): AuditRecord => ({
  v: 1,
  time: timeOf(second),
  kind: "dropped",
  count: 7,
  since: timeOf(second - 1)
})

export const oneOfEach = (second: number): ReadonlyArray<AuditRecord> => [
  auditCall(second),
  auditFinding(second),
  auditDefinition(second),
  auditApproval(second),
  auditDropped(second)
]

export const asLines = (records: ReadonlyArray<AuditRecord>): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("")
