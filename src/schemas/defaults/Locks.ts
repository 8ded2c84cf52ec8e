/** Locks between processes (src/system/fileLock.ts). */

/** How often a process tries to take a lock that it waits for, on average. */
export const LOCK_POLL_MS = 30
/** How often the owner touches a lock that it holds. */
export const LOCK_BEAT_MS = 20_000
/** Without a touch for so long, a lock counts as left behind if nobody can tell whether its owner runs. */
export const LOCK_AGE_MAX_MS = 180_000
/** The same for a file that names no owner: the time between creating it and writing the owner. */
export const LOCK_UNNAMED_MAX_MS = 10_000
export const LOCK_MAX_BYTES = 4 * 1024
