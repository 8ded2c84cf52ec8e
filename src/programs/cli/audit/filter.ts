/** Selects records of the audit log. */
import { auditSubject, type AuditKind, type AuditRecord } from "../../../schemas/call/AuditRecord.ts"
import { matchesGlob } from "../../../schemas/data/Glob.ts"

export interface AuditFilter {
  /** Globs; case is ignored. */
  readonly server?: string | undefined
  readonly tool?: string | undefined
  readonly outcome?: string | undefined
  readonly agent?: string | undefined
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
  const { agent, server, tool } = auditSubject(record)
  return (
    (filter.kind === undefined || filter.kind === record.kind) &&
    (filter.since === undefined || Date.parse(record.time) >= filter.since) &&
    (filter.findings !== true || hasFindings(record)) &&
    fits(filter.server, server) &&
    fits(filter.tool, tool) &&
    fits(filter.agent, agent) &&
    fits(filter.outcome, record.kind === "call" ? record.outcome : null)
  )
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const AGO = /^(\d{1,6})\s*([smhdw])$/i
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i

/** `2h`, `7d`, or an ISO time; a date alone begins at midnight UTC, a time without a zone is local. `undefined` for other text. */
export const parseSince = (text: string, now: number): number | undefined => {
  const ago = AGO.exec(text.trim())
  if (ago !== null) return now - Number(ago[1]) * UNITS[ago[2]!.toLowerCase()]!
  const at = TIME.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
