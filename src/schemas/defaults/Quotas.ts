/** Quotas of calls. Defaults and limits, with their units in the names. */

/** The largest value that a configuration may set. */
export const QUOTA_CEILING = 1_000_000_000
/** A process takes at most so many calls of a quota ahead, and at most this share of what is left. */
export const QUOTA_AHEAD_MAX = 32
export const QUOTA_AHEAD_SHARE = 0.25
/** What was taken ahead and is not used for this long is given back. */
export const QUOTA_IDLE_MS = 10_000
/** A quota that is used up is not asked about again for this long: another process may give some back. */
export const QUOTA_EMPTY_MS = 1_000
/** How many quotas one statement or one change of the file is about. */
export const QUOTAS_AT_ONCE = 1_024
/** How often the database, or a process in all files, forgets quotas that are over. */
export const QUOTA_SWEEP_MS = 3_600_000
/** The files of the counts, how long each may be, and the single file of earlier versions. */
export const QUOTA_FILES = 256
export const QUOTA_FILE_MAX_BYTES = 2 * 1024 * 1024
export const QUOTA_OLD_FILE_MAX_BYTES = 16 * 1024 * 1024
/** In how many of them a process counts at the same time. */
export const QUOTA_FILES_AT_ONCE = 8
export const QUOTA_LOCK_WAIT_MS = 2_000
