/**
 * Records of the audit log as plain text for a terminal. Somebody may have edited the files, so control characters are replaced.
 */
import { auditSubject, type AuditRecord } from "../../../schemas/call/AuditRecord.ts"
import type { AuditSummary, AuditSummaryRow } from "./summary.ts"
import { clip, fitting, listing, table } from "../../../schemas/content/Rendering.ts"

const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]/gu
const NAME_CHARS = 40
const HASH_SHOWN = 12

/** On one line, without invisible characters. */
const shown = (text: string | null): string =>
  text === null ? "-" : text.replace(/\s+/g, " ").replace(HIDDEN, "\ufffd")

const name = (text: string | null): string => clip(shown(text), NAME_CHARS)

type Counts = Readonly<Record<string, number>>

const counted = (counts: Counts): string =>
  Object.entries(counts)
    .map(([key, count]) => `${shown(key)} ${count}`)
    .join(", ")

const hash = (text: string | null | undefined): string => (text ? ` ${shown(text).slice(0, HASH_SHOWN)}` : "")

const findingsOf = (findings: Extract<AuditRecord, { kind: "finding" }>["findings"]): string =>
  findings.map(({ count, detail, kind }) => `${kind}: ${detail} (${count})`).join(", ")

/** Names the other tool that the record mentions. */
const asideOf = ({ from, shadows }: Extract<AuditRecord, { kind: "definition" }>): string =>
  [...(from === undefined ? [] : [` from ${from}`]), ...(shadows === undefined ? [] : [` ${shadows}`])].join("")

const noteOf = (record: AuditRecord): string => {
  switch (record.kind) {
    case "call": {
      const refused = record.decision?.allowed === false ? [`refused by ${record.decision.rule}`] : []
      const quota = record.quota === undefined ? [] : [`used up: ${record.quota}`]
      const found = record.findings.length === 0 ? [] : [`found ${findingsOf(record.findings)}`]
      return [...refused, ...quota, ...found, record.shape].join("; ")
    }
    case "finding":
      return `${record.subject}: ${findingsOf(record.findings)}`
    case "definition":
      if (record.count !== undefined) return `${record.change}: ${record.count} definitions (pin: ${record.pin})`
      return `${record.change}${asideOf(record)}${hash(record.previous)}${record.previous === undefined ? "" : " →"}${hash(record.hash)} (pin: ${record.pin})`
    case "approval":
      return `${record.answer} (${record.rule})${hash(record.definition)}`
    case "dropped":
      return `${record.count} records from ${record.since} on could not be written`
  }
}

const HEADING = ["TIME", "AGENT", "SERVER", "TOOL", "OUTCOME", "MS", "CHARS", "ABOUT"]

/** Below this width, a person stands in the place of the agent. */
const NARROW = 100

const rowOf = (record: AuditRecord, isNarrow: boolean): ReadonlyArray<string> => {
  const { agent, client, person, server, tool } = auditSubject(record)
  const whose = person ?? client
  const isCall = record.kind === "call"
  return [
    record.time.replace(/\.\d+Z$/, "Z"),
    name(whose === null ? agent : isNarrow ? whose : `${agent} (${whose})`),
    name(server),
    name(tool),
    name(isCall ? record.outcome : `(${record.kind})`),
    isCall ? String(Math.round(record.durationMs)) : "-",
    isCall ? String(record.resultChars) : "-",
    shown(noteOf(record))
  ]
}

/** The columns to drop on a narrow terminal, in this order. */
const LESS_NEEDED = ["CHARS", "MS", "AGENT"]

/** A table within `columns`, the width of the terminal: the last column fills the rest, or stands below the others. */
export const renderAudit = (records: ReadonlyArray<AuditRecord>, columns: number, heading = true): string => {
  const isNarrow = columns < NARROW
  const hasPeople = records.some((record) => auditSubject(record).person !== null)
  const all = [HEADING, ...records.map((record) => rowOf(record, isNarrow && hasPeople))]
  const front = fitting(
    all.map((row) => row.slice(0, -1)),
    columns,
    hasPeople ? LESS_NEEDED.filter((column) => column !== "AGENT") : LESS_NEEDED,
    ["TIME"]
  )
  const rows = front.map((row, i) => [...row, all[i]!.at(-1)!])
  return listing(heading ? rows : rows.slice(1), columns)
}

const milliseconds = (ms: number | null): string => (ms === null ? "-" : String(Math.round(ms)))

const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const summaryRow = (row: AuditSummaryRow): ReadonlyArray<string> => [
  name(row.server),
  name(row.tool),
  String(row.calls),
  String(total(row.failures)),
  milliseconds(row.p50Ms),
  milliseconds(row.p95Ms),
  counted(row.failures) || "-",
  counted(row.findings) || "-",
  counted(row.refused) || "-"
]

/** The same of the summary. */
const LESS_NEEDED_IN_SUMMARY = ["P50 MS", "P95 MS"]

export const renderAuditSummary = ({ dropped, from, records, rows, to }: AuditSummary, columns?: number): string =>
  [
    `${records} records, ${from} to ${to}${dropped === 0 ? "" : `; ${dropped} more could not be written`}`,
    "",
    table(
      fitting(
        [
          ["SERVER", "TOOL", "CALLS", "FAILED", "P50 MS", "P95 MS", "FAILURES", "FINDINGS", "REFUSED BY"],
          ...rows.map(summaryRow)
        ],
        columns,
        LESS_NEEDED_IN_SUMMARY
      )
    )
  ].join("\n")
