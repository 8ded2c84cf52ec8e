/** Processes of servers, and their sandboxes. Defaults and limits, with their units in the names. */

/** Shutdown of a process tree: stdin is closed; processes that are left after this time get SIGTERM. */
export const STDIN_GRACE_MS = 1_000
/** Processes that are left this long after the beginning get SIGKILL. */
export const FORCE_KILL_AFTER_MS = 5_000
/** How long the system then has to end them. */
export const KILLED_WITHIN_MS = 1_000
/** Time between two checks whether a process has ended. */
export const PROCESS_POLL_MS = 20
/** Processes of a machine that are examined. */
export const PROCESSES_MAX = 65_536
/** How much of the environment of a process is read, and how long that may take. */
export const PROCESS_ENVIRONMENT_MAX_BYTES = 256 * 1024
export const PROCESS_READ_WAIT_MS = 500
/** Files, pipes and connections that one process may have open, if the system does not say. */
export const DESCRIPTORS_UNKNOWN = 4_096
/** How long the list of our open files that a server would inherit is cached. */
export const DESCRIPTORS_KNOWN_MS = 1000
/**
 * The highest descriptor number that is kept from servers: it takes about a microsecond for each number up to it, at each start.
 */
export const DESCRIPTORS_COVERED_MAX = 16_384

/** Time between two checks for processes that servers have started. */
export const PROCESS_WATCH_MS = 250
/** How long to look for a process that keeps starting another one and ending, and how long it is chased once it is seen. */
export const PROCESS_SIGHT_MS = 8
export const PROCESS_CHASE_MS = 100
/** Time for Windows' own program that ends a process tree. */
export const TASKKILL_WAIT_MS = 4_000
/** The longest command line of Windows' command interpreter. */
export const BATCH_LINE_MAX_CHARS = 8_191
/** A sandbox's own /tmp, empty home and shared memory, each: they are in memory. */
export const SANDBOX_TMP_MAX_BYTES = 1024 * 1024 * 1024
/** How long the system's sandbox program may take to show that it works. */
export const SANDBOX_PROBE_MS = 10_000
