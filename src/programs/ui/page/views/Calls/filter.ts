/** Which records the view Calls shows: the filters of its address, as what the gateway is asked for and as a test of what comes live. */
import { AUDIT_KINDS, auditSubject, type AuditKind, type AuditRecord } from "../../../../../schemas/call/AuditRecord.ts"
import type { PastCallsRequest } from "../../../../../schemas/control/Past.ts"
import type { Query } from "../../router.ts"

export type Filter = Omit<PastCallsRequest, "before" | "limit">

const isKind = (text: string): text is AuditKind => (AUDIT_KINDS as ReadonlyArray<string>).includes(text)

/** Calls, unless another kind is asked for; `all` for every kind. */
export const filterOf = (query: Query): Filter => {
  const { agent = "", client = "", findings, kind = "call", outcome = "", server = "", text = "", tool = "" } = query
  return {
    ...(isKind(kind) ? { kind } : {}),
    ...(agent === "" ? {} : { agent }),
    ...(client === "" ? {} : { client }),
    ...(server === "" ? {} : { server }),
    ...(tool === "" ? {} : { tool }),
    ...(outcome === "" ? {} : { outcome }),
    ...(findings === undefined ? {} : { findings: true }),
    ...(text === "" ? {} : { text })
  }
}

const hasFindings = (record: AuditRecord): boolean => "findings" in record && record.findings.length > 0

const hasOutcome = (record: AuditRecord, outcome: string): boolean =>
  record.kind === "call" && (outcome === "failed" ? record.outcome !== "ok" : record.outcome === outcome)

/** Whether the gateway would have given it, too. */
export const isWanted = (
  { agent, client, findings = false, kind, outcome, server, text, tool }: Filter,
  record: AuditRecord
): boolean => {
  const subject = auditSubject(record)
  return (
    (kind === undefined || record.kind === kind) &&
    (agent === undefined || subject.agent === agent) &&
    (client === undefined || subject.client === client) &&
    (server === undefined || subject.server === server) &&
    (tool === undefined || subject.tool === tool) &&
    (outcome === undefined || hasOutcome(record, outcome)) &&
    (!findings || hasFindings(record)) &&
    (text === undefined || JSON.stringify(record).toLowerCase().includes(text.toLowerCase()))
  )
}
