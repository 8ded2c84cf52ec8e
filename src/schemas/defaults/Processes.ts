/** Processes of servers, and what holds them. Defaults and bounds, with their units in the names. */

/** Shutdown of a process tree: stdin ends; what is left after this gets SIGTERM. */
export const STDIN_GRACE_MS = 1_000
/** What is left so long after the beginning gets SIGKILL. */
export const FORCE_KILL_AFTER_MS = 5_000
/** How long the system then has to end what cannot refuse. */
export const KILLED_WITHIN_MS = 1_000
/** Between two looks whether a process is gone. */
export const PROCESS_POLL_MS = 20
/** Processes of a machine that one look takes in. */
export const PROCESSES_MAX = 65_536
/** What is read of the environment of a process, and how long that may take. */
export const PROCESS_ENVIRONMENT_MAX_BYTES = 256 * 1024
export const PROCESS_READ_WAIT_MS = 500
/** Files, pipes and connections that one process may have open, where the system does not say. */
export const DESCRIPTORS_UNKNOWN = 4_096
/** How long it is remembered which files stand open here that a server would inherit. */
export const DESCRIPTORS_KNOWN_MS = 1000
/** The highest number of such a file: to keep it from a server takes about a microsecond for each number up to it, at each start. */
export const DESCRIPTORS_COVERED_MAX = 16_384

/** Between two looks for processes that servers have started. */
export const PROCESS_WATCH_MS = 250
/** How long it is looked for one that starts another and ends, again and again, and how long it is chased once it is seen. */
export const PROCESS_SIGHT_MS = 8
export const PROCESS_CHASE_MS = 100
/** Windows' own program for ending a process tree. */
export const TASKKILL_WAIT_MS = 4_000
/** The longest command line that Windows' command interpreter takes. */
export const BATCH_LINE_MAX_CHARS = 8_191
/** A sandbox's own /tmp, its empty home and its shared memory, each: they lie in memory. */
export const SANDBOX_TMP_MAX_BYTES = 1024 * 1024 * 1024
/** How long the system's program for sandboxes may take to show that it works. */
export const SANDBOX_PROBE_MS = 10_000
