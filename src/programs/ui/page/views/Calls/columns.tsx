/** The columns of the audit log. */
import { auditSubject, type AuditRecord } from "../../../../../schemas/call/AuditRecord.ts"
import type { HeardRecord } from "../../../../../schemas/control/Events.ts"
import { clock, duration } from "../../format.ts"
import type { Column } from "../../parts/Table.tsx"

/** What a record says, in a few words. */
export const outcomeOf = (record: AuditRecord): string => {
  switch (record.kind) {
    case "call":
      return record.outcome
    case "definition":
      return record.change
    case "approval":
      return record.answer
    case "dropped":
      return `${record.count} not written`
    case "finding":
      return "finding"
  }
}

export const toneOf = ({ record }: HeardRecord): "bad" | "warn" | undefined => {
  if (record.kind === "call" && record.outcome !== "ok") return "bad"
  if ("findings" in record && record.findings.length > 0) return "warn"
  return record.kind === "dropped" ? "bad" : undefined
}

/** Of a record that is no call: what it is about. */
const detailOf = (record: AuditRecord): string => {
  switch (record.kind) {
    case "call":
      return record.shape
    case "approval":
      return record.rule
    case "definition":
      return `definition ${record.change}`
    case "finding":
      return record.findings.map(({ detail }) => detail).join(", ")
    case "dropped":
      return `since ${record.since}`
  }
}

const findingsOf = (record: AuditRecord): number =>
  "findings" in record ? record.findings.reduce((sum, { count }) => sum + count, 0) : 0

export const COLUMNS: ReadonlyArray<Column<HeardRecord>> = [
  {
    key: "time",
    title: "Time",
    width: "4.5rem",
    cell: ({ record }) => <time title={record.time}>{clock(record.time)}</time>
  },
  {
    key: "agent",
    title: "Agent",
    width: "6rem",
    hides: "narrow",
    cell: ({ record }) => auditSubject(record).agent ?? ""
  },
  {
    key: "client",
    title: "Client",
    width: "6rem",
    hides: "narrow",
    cell: ({ record }) => auditSubject(record).client ?? ""
  },
  {
    key: "person",
    title: "Person",
    width: "6rem",
    hides: "narrow",
    cell: ({ record }) => {
      const { person, personId } = auditSubject(record)
      // Two people may have the same name.
      return <span title={personId ?? undefined}>{person ?? ""}</span>
    }
  },
  {
    key: "server",
    title: "Server",
    width: "minmax(0, 0.7fr)",
    cell: ({ record }) => auditSubject(record).server ?? "–"
  },
  {
    key: "tool",
    title: "Tool",
    width: "minmax(0, 1fr)",
    cell: ({ record }) => <code>{auditSubject(record).tool ?? ""}</code>
  },
  {
    key: "shape",
    title: "Arguments",
    width: "minmax(0, 1.5fr)",
    hides: "narrow",
    cell: ({ record }) => <code class="quiet">{detailOf(record)}</code>
  },
  {
    key: "duration",
    title: "Duration",
    width: "5.5rem",
    isFigure: true,
    hides: "tiny",
    cell: ({ record }) => (record.kind === "call" ? duration(record.durationMs) : "")
  },
  {
    key: "outcome",
    title: "Outcome",
    width: "minmax(4rem, 0.7fr)",
    cell: (heard) => (
      <span
        class="badge"
        data-tone={toneOf(heard) === "bad" ? "bad" : outcomeOf(heard.record) === "ok" ? "good" : undefined}
      >
        {outcomeOf(heard.record)}
      </span>
    )
  },
  {
    key: "findings",
    title: "Findings",
    width: "4.5rem",
    isFigure: true,
    hides: "tiny",
    cell: ({ record }) => (findingsOf(record) === 0 ? "" : <span data-tone="bad">{findingsOf(record)}</span>)
  }
]
