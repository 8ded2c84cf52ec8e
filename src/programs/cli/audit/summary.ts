/** Sums up the audit log by server and tool: calls, outcomes, durations, findings and refusals. */
import { auditSubject, type AuditRecord } from "../../../schemas/call/AuditRecord.ts"

export interface AuditSummaryRow {
  readonly server: string | null
  readonly tool: string
  readonly calls: number
  /** Counts by outcome, without `ok`. */
  readonly failures: Readonly<Record<string, number>>
  /** Milliseconds, of calls that reached a server; `null` when there are none. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  /** Counts by kind, in results and in definitions. */
  readonly findings: Readonly<Record<string, number>>
  /** Calls that a rule denied, by rule. */
  readonly refused: Readonly<Record<string, number>>
}

export interface AuditSummary {
  /** ISO times of the first and the last record; `null` when there are none. */
  readonly from: string | null
  readonly to: string | null
  readonly records: number
  /** Records that could not be written. */
  readonly dropped: number
  readonly rows: ReadonlyArray<AuditSummaryRow>
}

/** Outcomes of calls that were refused before they reached a server. */
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

/** The smallest value that is not below `percent` percent of the values. */
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

/** Takes one record at a time and keeps none of them. */
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
    // These are not calls and have nothing to count.
    if (record.kind === "definition" || record.kind === "approval") return
    const group = groupOf(record)
    if ("findings" in record) for (const finding of record.findings) count(group.findings, finding.kind, finding.count)
    if (record.kind !== "call") return
    group.calls++
    if (record.outcome !== "ok") count(group.failures, record.outcome)
    const denied = record.decision?.allowed === false
    if (denied) count(group.refused, record.decision.rule)
    // Calls that never reached a server took no time, and would distort the durations.
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
