/**
 * What stands in one line of the audit log. Every text in it was cleaned and had known secrets masked before it was written;
 * a line never holds a value that went into a call or came out of it.
 *
 * `v` goes up when a reader of today would misread the lines of tomorrow. Keys that are new do not count for that: they are
 * passed over.
 */
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"

export const AUDIT_VERSION = 1

/** How a definition that a server gave compares with what was known of it, or what the operator then said of it. */
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

// Words that may be added to are plain texts here: an older program reads what a newer one has written.
const Finding = Schema.Struct({ kind: Schema.String, detail: Schema.String, count: Schema.Finite })

const line = {
  v: Schema.Literal(AUDIT_VERSION),
  /** ISO 8601, UTC. */
  time: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/))
}

/** A call, also one that was refused before any server heard of it. */
export const AuditCall = Schema.Struct({
  ...line,
  kind: Schema.Literal("call"),
  agent: Schema.String,
  /** `null` when no server has a tool of that name. */
  server: Schema.NullOr(Schema.String),
  /** The server's own name of it, or the unknown name that was asked for. */
  tool: Schema.String,
  /** What tells calls apart in logs and spans. */
  callId: Schema.optionalKey(Schema.String),
  /** Names, types and sizes of the arguments. */
  shape: Schema.String,
  durationMs: Schema.Finite,
  /** `ok`, `isError`, `interrupted`, or the tag of an error. */
  outcome: Schema.String,
  resultChars: Schema.Finite,
  findings: Schema.Array(Finding),
  /** SHA-256 of the definition that the model was given, in hex. */
  definition: Schema.optionalKey(Schema.String),
  decision: Schema.optionalKey(Schema.Struct({ allowed: Schema.Boolean, rule: Schema.String }))
})

/** Something suspicious in a definition: of a tool, a prompt or a resource. */
export const AuditFinding = Schema.Struct({
  ...line,
  kind: Schema.Literal("finding"),
  server: Schema.String,
  /** What it is and its name: `tool read_file`. */
  subject: Schema.String,
  findings: Schema.Array(Finding)
})

/** A definition that is not what it was. */
export const AuditDefinition = Schema.Struct({
  ...line,
  kind: Schema.Literal("definition"),
  server: Schema.String,
  /** `null` for what is the server's as a whole: its instructions, how it is launched. */
  tool: Schema.NullOr(Schema.String),
  change: Schema.String,
  hash: Schema.NullOr(Schema.String),
  /** The one that was known before. */
  previous: Schema.optionalKey(Schema.String),
  /** Of a tool with another name: the one that is gone. */
  from: Schema.optionalKey(Schema.String),
  /** `server/tool`: what it is named like. */
  shadows: Schema.optionalKey(Schema.String),
  /** Of a line that stands for several changes: how many. It names no tool and no definition. */
  count: Schema.optionalKey(Schema.Finite),
  pin: Schema.String
})

/** Somebody was asked whether a call may be made, and what they said. */
export const AuditApproval = Schema.Struct({
  ...line,
  kind: Schema.Literal("approval"),
  agent: Schema.String,
  server: Schema.String,
  tool: Schema.String,
  definition: Schema.optionalKey(Schema.String),
  answer: Schema.String,
  rule: Schema.String
})

/** So many records are not here: they came faster than they could be written. */
export const AuditDropped = Schema.Struct({
  ...line,
  kind: Schema.Literal("dropped"),
  count: Schema.Finite,
  /** When the first of them came; `time` is when the last did. */
  since: Schema.String
})

/**
 * One line of the audit log, by `kind`: a call, what was suspicious, a definition that changed, an approval, lines
 * that were dropped.
 */
export const AuditRecord = Schema.Union([AuditCall, AuditFinding, AuditDefinition, AuditApproval, AuditDropped])
/**
 * One line of the audit log, by `type`: a call, what was suspicious, a definition that changed, an approval, lines
 * that were dropped.
 */
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

/** Whose tool a record is about, as far as it is about one; for filters and for columns. */
export const auditSubject = (
  record: AuditRecord
): { readonly agent: string | null; readonly server: string | null; readonly tool: string | null } => {
  switch (record.kind) {
    case "call":
    case "approval":
      return { agent: record.agent, server: record.server, tool: record.tool }
    case "definition":
      return { agent: null, server: record.server, tool: record.tool }
    case "finding":
      return { agent: null, server: record.server, tool: record.subject.replace(/^tool /, "") }
    case "dropped":
      return { agent: null, server: null, tool: null }
  }
}
