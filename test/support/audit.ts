/** An audit log that a test can look into. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Finding } from "../../src/schemas/content/Finding.ts"
import {
  AuditLog,
  type ApprovalRecord,
  type CallRecord,
  type DefinitionRecord
} from "../../src/services/call/AuditLog.ts"

export interface Reported {
  readonly server: string
  readonly subject: string
  readonly findings: ReadonlyArray<Finding>
}

/** What was said of definitions, and by whom calls were approved. */
export type Decided = DefinitionRecord | ApprovalRecord

export const auditInto = (
  records: Array<CallRecord>,
  reports: Array<Reported> = [],
  decided: Array<Decided> = []
): Layer.Layer<AuditLog> =>
  Layer.succeed(AuditLog, {
    record: (record) => Effect.sync(() => void records.push(record)),
    report: (server, subject, findings) => Effect.sync(() => void reports.push({ server, subject, findings })),
    definition: (record) => Effect.sync(() => void decided.push(record)),
    approval: (record) => Effect.sync(() => void decided.push(record))
  })
