/** Processes of servers and helpers, and sandboxes. */

/** Shutdown of a process tree: stdin is closed, and what is left after this gets SIGTERM. */
export const STDIN_GRACE_MS = 1_000
/** What is left so long after the beginning of the shutdown gets SIGKILL. */
export const FORCE_KILL_AFTER_MS = 5_000
/** How long the system then has to end it. */
export const KILLED_WITHIN_MS = 1_000
/** How often to check whether a process has ended. */
export const PROCESS_POLL_MS = 20
/** The most processes that a survey reads. */
export const PROCESSES_MAX = 65_536
/** How much of the environment of a process is read, and how long that may take. */
export const PROCESS_ENVIRONMENT_MAX_BYTES = 256 * 1024
export const PROCESS_READ_WAIT_MS = 500
/** How many descriptors a process may have open, if the system does not tell. */
export const DESCRIPTORS_UNKNOWN = 4_096
/** How long to remember which open files a server would inherit. */
export const DESCRIPTORS_KNOWN_MS = 1000
/** The highest number of such a file. Keeping it from a server costs about a microsecond for each number below it, at each start. */
export const DESCRIPTORS_COVERED_MAX = 16_384

/** How often to look for processes that servers have started. */
export const PROCESS_WATCH_MS = 250
/** How long to look for a process that starts another and ends, again and again; and how long to chase it once it is seen. */
export const PROCESS_SIGHT_MS = 8
export const PROCESS_CHASE_MS = 100
/** How long `taskkill` may take on Windows. */
export const TASKKILL_WAIT_MS = 4_000
/** The longest command line of Windows' command interpreter. */
export const BATCH_LINE_MAX_CHARS = 8_191
/** The size of a sandbox's own /tmp, its empty home and its shared memory, each. They are in memory. */
export const SANDBOX_TMP_MAX_BYTES = 1024 * 1024 * 1024
/** How long the system's sandbox program may take to show that it works. */
export const SANDBOX_PROBE_MS = 10_000
/** Helper processes: what is kept of their stderr, and how long to wait for their pipes to close once they have exited. */
export const HELPER_STDERR_MAX_BYTES = 64 * 1024
export const HELPER_PIPES_MS = 1_000
/** What the system's program for sandboxes may write while it shows that it works. */
export const SANDBOX_PROBE_MAX_BYTES = 64 * 1024
