/** The audit log by server and tool: how many calls, how they ended, how long they took, what was found and what refused. */
import { auditSubject, type AuditRecord } from "../../../schemas/call/AuditRecord.ts"

export interface AuditSummaryRow {
  readonly server: string | null
  readonly tool: string
  readonly calls: number
  /** By outcome; `ok` is not among them. */
  readonly failures: Readonly<Record<string, number>>
  /** Milliseconds, of calls that a server was asked for; `null` without one. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  /** How often, by kind: in results and in definitions. */
  readonly findings: Readonly<Record<string, number>>
  /** Calls that a rule did not let through, by rule. */
  readonly refused: Readonly<Record<string, number>>
}

export interface AuditSummary {
  /** ISO times of the first and the last record; `null` without any. */
  readonly from: string | null
  readonly to: string | null
  readonly records: number
  /** That could not be written. */
  readonly dropped: number
  readonly rows: ReadonlyArray<AuditSummaryRow>
}

/** Outcomes of calls that were turned away before a server was asked. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  "ToolNotFound",
  "PolicyDenied",
  "ApprovalDenied",
  "DefinitionChanged",
  "RateLimited",
  "CircuitOpen",
  "Overloaded",
  "ServerUnavailable",
  "InvalidArguments",
  "SecretInArguments"
])

interface Gathered {
  readonly server: string | null
  readonly tool: string
  calls: number
  readonly failures: Map<string, number>
  readonly durations: Array<number>
  readonly findings: Map<string, number>
  readonly refused: Map<string, number>
}

const count = (counts: Map<string, number>, key: string, by = 1) => counts.set(key, (counts.get(key) ?? 0) + by)

/** The smallest value that so many of a hundred are not above. */
const percentile = (sorted: ReadonlyArray<number>, percent: number): number | null =>
  sorted.length === 0 ? null : sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!

const mostFirst = (counts: ReadonlyMap<string, number>) =>
  Object.fromEntries([...counts].toSorted(([a, some], [b, others]) => others - some || (a < b ? -1 : 1)))

const rowOf = ({ calls, durations, failures, findings, refused, server, tool }: Gathered): AuditSummaryRow => {
  const sorted = durations.toSorted((a, b) => a - b)
  return {
    server,
    tool,
    calls,
    failures: mostFirst(failures),
    p50Ms: percentile(sorted, 50),
    p95Ms: percentile(sorted, 95),
    findings: mostFirst(findings),
    refused: mostFirst(refused)
  }
}

const order = (a: AuditSummaryRow, b: AuditSummaryRow): number => {
  const [one, other] = [`${a.server ?? ""}\n${a.tool}`, `${b.server ?? ""}\n${b.tool}`]
  return one < other ? -1 : one > other ? 1 : 0
}

/** One record after the other goes in; none of them is kept. */
export const makeAuditSummary = () => {
  const groups = new Map<string, Gathered>()
  let [records, dropped] = [0, 0]
  let [from, to]: [string | null, string | null] = [null, null]

  const groupOf = (record: AuditRecord): Gathered => {
    const { server, tool } = auditSubject(record)
    const key = JSON.stringify([server, tool])
    let group = groups.get(key)
    if (group === undefined) {
      group = {
        server,
        tool: tool ?? "",
        calls: 0,
        failures: new Map(),
        durations: [],
        findings: new Map(),
        refused: new Map()
      }
      groups.set(key, group)
    }
    return group
  }

  const add = (record: AuditRecord): void => {
    records++
    if (from === null || record.time < from) from = record.time
    if (to === null || record.time > to) to = record.time
    if (record.kind === "dropped") {
      dropped += record.count
      return
    }
    // Neither is a call, nor has anything that is counted here.
    if (record.kind === "definition" || record.kind === "approval") return
    const group = groupOf(record)
    if ("findings" in record) for (const finding of record.findings) count(group.findings, finding.kind, finding.count)
    if (record.kind !== "call") return
    group.calls++
    if (record.outcome !== "ok") count(group.failures, record.outcome)
    const denied = record.decision?.allowed === false
    if (denied) count(group.refused, record.decision.rule)
    // What no server heard of took no time, and would hide how long the others did.
    if (!denied && !NEVER_SENT.has(record.outcome)) group.durations.push(record.durationMs)
  }

  const result = (): AuditSummary => ({
    from,
    to,
    records,
    dropped,
    rows: [...groups.values()].map(rowOf).toSorted(order)
  })

  return { add, result }
}
