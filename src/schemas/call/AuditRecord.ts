/**
 * One line of the audit log. Every text is cleaned and known secrets are masked before it is written; a line never contains a
 * value from arguments or results.
 *
 * `v` is raised when older readers would misread new lines. New keys do not count: readers ignore them.
 */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"

export const AUDIT_VERSION = 1

/** How a definition differs from what was known of it, or what the operator decided about it. */
export const DEFINITION_CHANGES = [
  "new",
  "changed",
  "removed",
  "renamed",
  "shadowing",
  "launch",
  "approved",
  "rejected",
  "forgotten"
] as const
export type DefinitionChange = (typeof DEFINITION_CHANGES)[number]

export const APPROVAL_ANSWERS = ["asked", "given", "denied"] as const
export type ApprovalAnswer = (typeof APPROVAL_ANSWERS)[number]

export const AUDIT_KINDS = ["call", "finding", "definition", "approval", "dropped"] as const
export type AuditKind = (typeof AUDIT_KINDS)[number]

// Values of open sets are plain texts, so that an older program can read what a newer one has written.
const Finding = Schema.Struct({ kind: Schema.String, detail: Schema.String, count: Schema.Finite })

const line = {
  v: Schema.Literal(AUDIT_VERSION),
  /** ISO 8601, UTC. */
  time: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
}

/** A call, including one that was refused before it reached a server. */
export const AuditCall = Schema.Struct({
  ...line,
  kind: Schema.Literal("call"),
  agent: Schema.String,
  /** The client, where the agent has several that do not know each other: `client ada`, or `operator` for commands and the page. */
  client: Schema.optionalKey(Schema.String),
  /** The person whose call it is, by name. */
  person: Schema.optionalKey(Schema.String),
  /** The same for the same person; two people of one name have two. */
  personId: Schema.optionalKey(Schema.String),
  /** `null` when no server has a tool of that name. */
  server: Schema.NullOr(Schema.String),
  /** The server's own name of the tool, or the unknown name that the model used. */
  tool: Schema.String,
  /** Identifies the call in logs and spans. */
  callId: Schema.optionalKey(Schema.String),
  /** Names, types and sizes of the arguments. */
  shape: Schema.String,
  durationMs: Schema.Finite,
  /** `ok`, `isError`, `interrupted`, or the tag of an error. */
  outcome: Schema.String,
  /** The quota that is used up, in words, if it is one. */
  quota: Schema.optionalKey(Schema.String),
  resultChars: Schema.Finite,
  findings: Schema.Array(Finding),
  /** SHA-256, in hex, of the definition that the model got. */
  definition: Schema.optionalKey(Schema.String),
  decision: Schema.optionalKey(Schema.Struct({ allowed: Schema.Boolean, rule: Schema.String }))
})

/** A finding in the definition of a tool, prompt or resource. */
export const AuditFinding = Schema.Struct({
  ...line,
  kind: Schema.Literal("finding"),
  server: Schema.String,
  /** Its kind and name: `tool read_file`. */
  subject: Schema.String,
  findings: Schema.Array(Finding)
})

/** A changed definition. */
export const AuditDefinition = Schema.Struct({
  ...line,
  kind: Schema.Literal("definition"),
  server: Schema.String,
  /** `null` for what belongs to the whole server: its instructions, its launch. */
  tool: Schema.NullOr(Schema.String),
  change: Schema.String,
  hash: Schema.NullOr(Schema.String),
  /** The hash that was known before. */
  previous: Schema.optionalKey(Schema.String),
  /** For a renamed tool: its former name. */
  from: Schema.optionalKey(Schema.String),
  /** `server/tool`: the tool that has the same name. */
  shadows: Schema.optionalKey(Schema.String),
  /** Sums up this many changes; the line then names no tool and no definition. */
  count: Schema.optionalKey(Schema.Finite),
  pin: Schema.String
})

/** A question about a call, or the answer. */
export const AuditApproval = Schema.Struct({
  ...line,
  kind: Schema.Literal("approval"),
  agent: Schema.String,
  /** The person whose call it is. */
  person: Schema.optionalKey(Schema.String),
  personId: Schema.optionalKey(Schema.String),
  server: Schema.String,
  tool: Schema.String,
  definition: Schema.optionalKey(Schema.String),
  answer: Schema.String,
  /** Who answered: the name of a person or of a client, or `operator`. Missing where nobody has. */
  answeredBy: Schema.optionalKey(Schema.String),
  /** Of a person. */
  answeredById: Schema.optionalKey(Schema.String),
  rule: Schema.String
})

/** The number of records that are missing because they came faster than they could be written. */
export const AuditDropped = Schema.Struct({
  ...line,
  kind: Schema.Literal("dropped"),
  count: Schema.Finite,
  /** The time of the first one; `time` is that of the last. */
  since: Schema.String
})

/** One line of the audit log, by `kind`: a call, a finding, a changed definition, an approval, or dropped lines. */
export const AuditRecord = Schema.Union([AuditCall, AuditFinding, AuditDefinition, AuditApproval, AuditDropped])
/** One line of the audit log, by `kind`: a call, a finding, a changed definition, an approval, or dropped lines. */
export type AuditRecord = typeof AuditRecord.Type

const decode = Schema.decodeUnknownExit(AuditRecord)

/** `undefined` for a line that is damaged, or that this version cannot read. */
export const parseAuditLine = (text: string): AuditRecord | undefined => {
  try {
    const decoded = decode(JSON.parse(text))
    return Exit.isSuccess(decoded) ? decoded.value : undefined
  } catch {
    return undefined
  }
}

export interface AuditSubject {
  readonly agent: string | null
  readonly client: string | null
  readonly person: string | null
  readonly personId: string | null
  readonly server: string | null
  readonly tool: string | null
}

const NO_SUBJECT: AuditSubject = { agent: null, client: null, person: null, personId: null, server: null, tool: null }

/** The server and tool of a record, if any; for filters and columns. */
export const auditSubject = (record: AuditRecord): AuditSubject => {
  switch (record.kind) {
    case "call":
      return {
        ...NO_SUBJECT,
        agent: record.agent,
        client: record.client ?? null,
        person: record.person ?? null,
        personId: record.personId ?? null,
        server: record.server,
        tool: record.tool
      }
    case "approval":
      return {
        ...NO_SUBJECT,
        agent: record.agent,
        person: record.person ?? null,
        personId: record.personId ?? null,
        server: record.server,
        tool: record.tool
      }
    case "definition":
      return { ...NO_SUBJECT, server: record.server, tool: record.tool }
    case "finding":
      return { ...NO_SUBJECT, server: record.server, tool: record.subject.replace(/^tool /, "") }
    case "dropped":
      return NO_SUBJECT
  }
}
