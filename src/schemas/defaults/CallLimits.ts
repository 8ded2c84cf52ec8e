/** How much is called at a time. Defaults and bounds, with their units in the names. */

/** Calls in flight per server, and what a configuration may say at most. */
export const CALLS_IN_FLIGHT_MAX = 128
export const CALLS_IN_FLIGHT_CEILING = 10_000
/** The part of them that one of several clients may have: the others find a place beside one that takes all it can. */
export const CALLS_IN_FLIGHT_SHARE = 0.75
/** Calls a minute of one agent to one server, which may come at once; what a configuration may say at most. */
export const CALLS_PER_MINUTE = 100
export const CALLS_PER_MINUTE_CEILING = 60_000
export const CALLS_BURST_CEILING = 10_000
export const MINUTE_MS = 60_000
/** A store of rate limits that fails is complained about once in this time. */
export const BUCKET_STORE_WARNING_MS = 60_000
/** Failures in a row after which a server is left alone, for how long, and what a configuration may say at most. */
export const CIRCUIT_FAILURES = 5
export const CIRCUIT_FAILURES_CEILING = 1_000
export const CIRCUIT_COOL_DOWN_MS = 30_000
export const CIRCUIT_COOL_DOWN_CEILING_MS = 3_600_000
/** Who is refused because somebody else is trying such a server may come back after so long. */
export const CIRCUIT_TRIAL_WAIT_MS = 1_000
/** That a server failed is forgotten when it was not called for so long. */
export const CIRCUIT_KEPT_MS = 3_600_000
/** Strings and names in the arguments of one call, in characters: whole texts go to a server in one turn each. */
export const ARGUMENTS_MAX_CHARS = 4 * 1024 * 1024
