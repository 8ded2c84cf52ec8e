/** Selects records of the audit log. */
import { auditSubject, type AuditKind, type AuditRecord } from "../../../schemas/call/AuditRecord.ts"
import { matchesGlob } from "../../../schemas/data/Glob.ts"

export interface AuditFilter {
  /** Globs; case is ignored. */
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly outcome?: string | undefined
  readonly agent?: string | undefined
  readonly client?: string | undefined
  /** A name, or the id of a person. */
  readonly person?: string | undefined
  readonly kind?: AuditKind | undefined
  /** Only records with findings. */
  readonly findings?: boolean | undefined
  /** Milliseconds since 1970. */
  readonly since?: number | undefined
}

const fits = (glob: string | undefined, text: string | null): boolean =>
  glob === undefined || (text !== null && matchesGlob(glob.toLowerCase(), text.toLowerCase()))

const hasFindings = (record: AuditRecord): boolean => "findings" in record && record.findings.length > 0

export const matchesAudit = (record: AuditRecord, filter: AuditFilter): boolean => {
  const { agent, client, person, personId, server, tool } = auditSubject(record)
  return (
    (filter.kind === undefined || filter.kind === record.kind) &&
    (filter.since === undefined || Date.parse(record.time) >= filter.since) &&
    (filter.findings !== true || hasFindings(record)) &&
    fits(filter.server, server) &&
    fits(filter.tool, tool) &&
    fits(filter.agent, agent) &&
    fits(filter.client, client) &&
    (fits(filter.person, person) || fits(filter.person, personId)) &&
    fits(filter.outcome, record.kind === "call" ? record.outcome : null)
  )
}
