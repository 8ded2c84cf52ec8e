/** How a server is connected to, and started again. Defaults and bounds, with their units in the names. */

/** Time for one connection attempt: spawn or dial, handshake and discovery. */
export const CONNECT_TIMEOUT_MS = 30_000
/** Time a call may stay silent; a progress notification starts it again. */
export const CALL_TIMEOUT_MS = 60_000
/** Time a call may take at all, whatever progress it reports. */
export const CALL_MAX_MS = 600_000
/** Time a stdio server has to answer `server/discover` before it is taken for a legacy one. */
export const ERA_PROBE_MS = 5_000
/** How long a verdict "this server is legacy" is believed before the server is asked again. */
export const ERA_CACHE_MS = 24 * 60 * 60 * 1000
/** Servers of which such a verdict is kept. */
export const ERA_MEMORY_MAX = 1_000

/** First restart delay, doubled each time. */
export const RESTART_BASE_MS = 1_000
export const RESTART_CAP_MS = 30_000
/** Restarts allowed within `RESTART_WINDOW_MS` before a server is given up. */
export const MAX_RESTARTS = 5
export const RESTART_WINDOW_MS = 300_000
/** A connection that lived this long, and still answers, clears the count of restarts. */
export const HEALTHY_AFTER_MS = 60_000
/** How often a server that is reached over HTTP is asked whether it is there. */
export const ALIVE_EVERY_MS = 30_000
/** A lazy server that had no call for this long is stopped until the next one. */
export const LAZY_IDLE_TTL_MS = 600_000

/** How long the first listing of tools waits for servers that are still connecting. */
export const FIRST_LIST_WAIT_MS = 2_000
/** How long a command waits for the others when one server is ready; what it does then has the rest of two seconds. */
export const OTHERS_WAIT_MS = 1_500
