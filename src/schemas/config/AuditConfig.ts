/** Whether and how the audit log is written to files. */
import { AUDIT_FILE_MAX_BYTES, AUDIT_FILES_MAX } from "../defaults/Audit.ts"

export interface AuditConfig {
  /** Without files there are still the lines of the log and the metrics. */
  readonly enabled: boolean
  /** Of one file; then the next one is begun. */
  readonly maxBytes: number
  /** The one that is being written among them. */
  readonly maxFiles: number
}

export const DEFAULT_AUDIT: AuditConfig = {
  enabled: true,
  maxBytes: AUDIT_FILE_MAX_BYTES,
  maxFiles: AUDIT_FILES_MAX
}
