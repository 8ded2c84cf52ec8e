/** What is recorded of each call. Defaults and bounds, with their units in the names. */

/** Argument shapes in the audit log: keys of one call, characters of a key, nesting. */
export const SHAPE_MAX_KEYS = 20
export const SHAPE_KEY_MAX_CHARS = 40
export const SHAPE_MAX_DEPTH = 3
/** One file of the audit log, what a configuration may say at least, and how many files are kept. */
export const AUDIT_FILE_MAX_BYTES = 10 * 1024 * 1024
export const AUDIT_FILE_MIN_BYTES = 64 * 1024
export const AUDIT_FILES_MAX = 5
/** Records that wait to be written; beyond, new ones are counted and dropped. */
export const AUDIT_QUEUED_MAX = 8_192
/** Records are gathered for so long or so many, and written in pieces of at most so many records or bytes. */
export const AUDIT_GATHER_MS = 250
export const AUDIT_GATHER_MAX = 4_096
export const AUDIT_BATCH_MAX = 1_024
export const AUDIT_WRITE_MAX_BYTES = 512 * 1024
/** After files could not be written they are tried again so often. */
export const AUDIT_RETRY_MS = 10_000
/** What is left when everything is closed has so long. */
export const AUDIT_CLOSE_MS = 2_000
/** Of one record: the shape of its arguments, and its findings. */
export const AUDIT_SHAPE_MAX_CHARS = 4_096
export const AUDIT_FINDINGS_MAX = 32
/** What is read of a file of the audit log in one piece; a line that is longer is damaged. */
export const AUDIT_READ_BYTES = 256 * 1024
/** Records that are shown when nothing else is said. */
export const AUDIT_SHOWN = 50
/** How often files are looked at for new records while somebody follows them. */
export const AUDIT_FOLLOW_MS = 500
/** Pairs of server and outcome that get a metric of their own; what comes later shares one. */
export const METRIC_SERIES_MAX = 1_024
