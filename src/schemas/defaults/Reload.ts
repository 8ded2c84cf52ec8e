/** Changes of the configuration while a gateway runs. Defaults and limits, with their units in the names. */

/** A file that changes is read when it has stayed the same for so long. */
export const RELOAD_QUIET_MS = 250
/** Files are also looked at this often, because not every file system reports changes. */
export const RELOAD_LOOK_MS = 5_000
/** The most files that are watched. */
export const RELOAD_FILES_MAX = 64
/** How many servers are asked at once whether a secret of theirs has another value. */
export const RELOAD_SECRETS_AT_ONCE = 8
/** Agents that share a server give it up together, within this time; if one keeps it, the others do not wait for its end. */
export const RELOAD_SHARED_MS = 100
/** A server that is replaced or stopped waits this long for the calls that are under way; then they end with `ConnectionLost`. */
export const RELOAD_DRAIN_MS = 30_000
