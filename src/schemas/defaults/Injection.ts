/** Tools of a session that are given to an OpenClaw gateway. Defaults and limits, with their units in the names. */

/** How much longer the gateway waits for a call than we do, so that our error arrives. */
export const INJECTED_GRACE_MS = 30_000
/** How often a change of the gateway's configuration is tried, and the pause after a conflict. */
export const INJECTED_PATCH_TRIES = 8
export const INJECTED_CONFLICT_PAUSE_MS = 50
/** The pause when the gateway accepts no change now, doubled each time: it accepts only so many per minute. */
export const INJECTED_PATCH_PAUSE_MS = 1_000
export const INJECTED_PATCH_PAUSE_MAX_MS = 20_000
/** How long the end of a session waits until its tools are removed from the gateway. */
export const INJECTED_TAKEN_BACK_MS = 5_000
/** Entries of dead processes: how many are checked, how many at once, and the time for an owner to answer. */
export const INJECTED_LEFTOVERS_MAX = 1_024
export const INJECTED_PROBES_AT_ONCE = 16
export const INJECTED_PROBE_MS = 2_000
/** Tools of one node, characters of a description, and bytes of one result: the gateway's limits, with room for the frame. */
export const NODE_TOOLS_MAX = 128
export const NODE_DESCRIPTION_MAX_CHARS = 1024
export const NODE_RESULT_MAX_BYTES = 20 * 1024 * 1024
/** Concurrent calls of a node. */
export const NODE_CALLS_MAX = 256
