/** Servers of a session that are put into a gateway. Defaults and bounds, with their units in the names. */

/** What an OpenClaw gateway calls a session's tools by: one request, requests of one session, streams that wait for news. */
export const INJECTED_REQUEST_MAX_BYTES = 4 * 1024 * 1024
export const INJECTED_REQUESTS_MAX = 64
export const INJECTED_SUBSCRIPTIONS_MAX = 4
/** Connections to the listener, whoever makes them, and the time that each request has to arrive. */
export const INJECTED_CONNECTIONS_MAX = 512
export const INJECTED_RECEIVE_MS = 30_000
/** So much longer than we do, the gateway waits for a call: then our words about it arrive. */
export const INJECTED_GRACE_MS = 30_000
/** How often a change of the gateway's configuration is tried, and the pause where somebody else was faster. */
export const INJECTED_PATCH_TRIES = 8
export const INJECTED_CONFLICT_PAUSE_MS = 50
/** The same where the gateway takes no change now, doubled each time: it takes so many a minute. */
export const INJECTED_PATCH_PAUSE_MS = 1_000
export const INJECTED_PATCH_PAUSE_MAX_MS = 20_000
/** How long the end of a session waits until its tools are taken from the gateway. */
export const INJECTED_TAKEN_BACK_MS = 5_000
/** Entries of a process that is gone: how many are looked at, how many at once, and the time that an owner has to answer. */
export const INJECTED_LEFTOVERS_MAX = 1_024
export const INJECTED_PROBES_AT_ONCE = 16
export const INJECTED_PROBE_MS = 2_000
/** Tools of one node, characters of a description, and bytes of one result: the gateway's limits, with room for the frame. */
export const NODE_TOOLS_MAX = 128
export const NODE_DESCRIPTION_MAX_CHARS = 1024
export const NODE_RESULT_MAX_BYTES = 20 * 1024 * 1024
/** Calls of a node that run at the same time. */
export const NODE_CALLS_MAX = 256
