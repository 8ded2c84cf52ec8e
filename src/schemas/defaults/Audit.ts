/** The audit log. Defaults and limits, with their units in the names. */

/** Argument shapes in the audit log: keys of one call, characters of a key, nesting. */
export const SHAPE_MAX_KEYS = 20
export const SHAPE_KEY_MAX_CHARS = 40
export const SHAPE_MAX_DEPTH = 3
/** One file of the audit log, the smallest value that a configuration may set, and how many files are kept. */
export const AUDIT_FILE_MAX_BYTES = 10 * 1024 * 1024
export const AUDIT_FILE_MIN_BYTES = 64 * 1024
export const AUDIT_FILES_MAX = 5
/** Records that wait to be written; beyond that, new ones are counted and dropped. */
export const AUDIT_QUEUED_MAX = 8_192
/** Records are collected for this time or up to this number, and written in chunks of at most so many records or bytes. */
export const AUDIT_GATHER_MS = 250
export const AUDIT_GATHER_MAX = 4_096
export const AUDIT_BATCH_MAX = 1_024
export const AUDIT_WRITE_MAX_BYTES = 512 * 1024
/** After a write error, writing is tried again this often. */
export const AUDIT_RETRY_MS = 10_000
/** Time to write the remaining records when everything is closed. */
export const AUDIT_CLOSE_MS = 2_000
/** Of one record: the shape of its arguments, and its findings. */
export const AUDIT_SHAPE_MAX_CHARS = 4_096
export const AUDIT_FINDINGS_MAX = 32
/** How much of a file is read at once; a longer line is damaged. */
export const AUDIT_READ_BYTES = 256 * 1024
/** Records that wait for somebody who follows them in this process; beyond that, the oldest are left out. */
export const AUDIT_FEED_WAITING_MAX = 1_024
/** Records that are shown by default. */
export const AUDIT_SHOWN = 50
/** How often files are checked for new records with --follow. */
export const AUDIT_FOLLOW_MS = 500
/** Pairs of server and outcome with a metric of their own; later ones share one. */
export const METRIC_SERIES_MAX = 1_024
/** How much of the files one page of the past looks through. */
export const PAST_SCAN_MAX_BYTES = 16 * 1024 * 1024
