/** Connecting and restarting servers. Defaults and limits, with their units in the names. */

/** Time for one connection attempt: spawn or dial, handshake and discovery. */
export const CONNECT_TIMEOUT_MS = 30_000
/** How long a call may be silent; a progress notification starts this again. */
export const CALL_TIMEOUT_MS = 60_000
/** How long a call may take in total, whatever progress it reports. */
export const CALL_MAX_MS = 600_000
/** Time for a stdio server to answer `server/discover` before it counts as a legacy one. */
export const ERA_PROBE_MS = 5_000
/** How long it is remembered that a server is a legacy one. */
export const ERA_CACHE_MS = 24 * 60 * 60 * 1000
/** Servers for which this is remembered. */
export const ERA_MEMORY_MAX = 1_000

/** First restart delay; doubled each time. */
export const RESTART_BASE_MS = 1_000
export const RESTART_CAP_MS = 30_000
/** Restarts within `RESTART_WINDOW_MS` after which a server has failed for good. */
export const MAX_RESTARTS = 5
export const RESTART_WINDOW_MS = 300_000
/** A connection that has lived this long and still answers resets the count of restarts. */
export const HEALTHY_AFTER_MS = 60_000
/** How often an HTTP server is pinged. */
export const ALIVE_EVERY_MS = 30_000
/** A lazy server without a call for this long is stopped until the next one. */
export const LAZY_IDLE_TTL_MS = 600_000

/** How long the first list of tools waits for servers that are starting. */
export const FIRST_LIST_WAIT_MS = 2_000
/** How long a command waits for other servers once one is ready; the rest of two seconds is for the command itself. */
export const OTHERS_WAIT_MS = 1_500
