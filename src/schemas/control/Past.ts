/** What was logged before: lines about servers, and records of calls, page by page from the newest to the oldest. */
import * as Schema from "effect/Schema"
import { AUDIT_KINDS, type AuditRecord, auditSubject } from "../call/AuditRecord.ts"
import { LOG_LEVELS } from "../connection/LogMessage.ts"
import { SERVER_LOG_SOURCES, ServerLogLine } from "../connection/ServerLogLine.ts"
import { PAST_LIMIT_MAX } from "../defaults/Control.ts"
import { HeardRecord } from "./Events.ts"

const page = {
  /** `cursor` of the page before this one; without it, the newest lines. */
  before: Schema.optionalKey(Schema.String),
  limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: PAST_LIMIT_MAX }))
}

export const PastLogsRequest = Schema.Struct({
  server: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.Literals(SERVER_LOG_SOURCES)),
  /** At least as severe. */
  level: Schema.optionalKey(Schema.Literals(LOG_LEVELS)),
  /** In the text, in capital or small letters. */
  text: Schema.optionalKey(Schema.String),
  ...page
})
export type PastLogsRequest = typeof PastLogsRequest.Type

const answer = {
  /** For the page before; missing when there is nothing older. A page may be empty and still have one: a search looks at a part at a time. */
  cursor: Schema.optionalKey(Schema.String)
}

export const PastLogsValue = Schema.Struct({
  /** The oldest first. */
  lines: Schema.Array(ServerLogLine),
  ...answer
})
export type PastLogsValue = typeof PastLogsValue.Type

export const PastCallsRequest = Schema.Struct({
  kind: Schema.optionalKey(Schema.Literals(AUDIT_KINDS)),
  agent: Schema.optionalKey(Schema.String),
  client: Schema.optionalKey(Schema.String),
  /** The name of the person whose call it is, or their id. */
  person: Schema.optionalKey(Schema.String),
  server: Schema.optionalKey(Schema.String),
  tool: Schema.optionalKey(Schema.String),
  /** `ok`, `isError`, `interrupted`, the tag of an error, or `failed`: every outcome but `ok`. */
  outcome: Schema.optionalKey(Schema.String),
  /** Only records with findings. */
  findings: Schema.optionalKey(Schema.Boolean),
  /** Milliseconds since the epoch. */
  since: Schema.optionalKey(Schema.Finite),
  until: Schema.optionalKey(Schema.Finite),
  /** In any of its texts, in capital or small letters. */
  text: Schema.optionalKey(Schema.String),
  ...page
})
export type PastCallsRequest = typeof PastCallsRequest.Type

const hasOutcome = (record: AuditRecord, wanted: string): boolean =>
  record.kind === "call" && (wanted === "failed" ? record.outcome !== "ok" : record.outcome === wanted)

/** Whether a record is one of those that are asked for: in the files, in memory, and among those that come meanwhile. */
export const isAskedFor = (asked: Omit<PastCallsRequest, "before" | "limit">, record: AuditRecord): boolean => {
  const { agent, client, findings, kind, outcome, person, server, since, text, tool, until } = asked
  const subject = auditSubject(record)
  const at = Date.parse(record.time)
  return (
    (kind === undefined || record.kind === kind) &&
    (agent === undefined || subject.agent === agent) &&
    (client === undefined || subject.client === client) &&
    (person === undefined || subject.person === person || subject.personId === person) &&
    (server === undefined || subject.server === server) &&
    (tool === undefined || subject.tool === tool) &&
    (outcome === undefined || hasOutcome(record, outcome)) &&
    (findings !== true || ("findings" in record && record.findings.length > 0)) &&
    (since === undefined || at >= since) &&
    (until === undefined || at <= until) &&
    (text === undefined || JSON.stringify(record).toLowerCase().includes(text.toLowerCase()))
  )
}

export const PastCallsValue = Schema.Struct({
  /** The oldest first. */
  records: Schema.Array(HeardRecord),
  ...answer
})
export type PastCallsValue = typeof PastCallsValue.Type

/** The files of a log cannot be read. */
export class PastUnreadable extends Schema.TaggedError<PastUnreadable>()("PastUnreadable", { detail: Schema.String }) {
  override get message() {
    return `the log cannot be read: ${this.detail}`
  }
}
