/** Limits of calls. Defaults and limits, with their units in the names. */

/** Calls in flight per server, and the largest value that a configuration may set. */
export const CALLS_IN_FLIGHT_MAX = 128
export const CALLS_IN_FLIGHT_CEILING = 10_000
/** The share of them that one of several clients may use, so that the others always find a place. */
export const CALLS_IN_FLIGHT_SHARE = 0.75
/** Calls per minute of one agent to one server, which may come at once; the largest value that a configuration may set. */
export const CALLS_PER_MINUTE = 100
export const CALLS_PER_MINUTE_CEILING = 60_000
export const CALLS_BURST_CEILING = 10_000
export const MINUTE_MS = 60_000
/** A failing store of rate limits is logged once in this time. */
export const BUCKET_STORE_WARNING_MS = 60_000
/** Failures in a row after which calls are paused, for how long, and the largest values that a configuration may set. */
export const CIRCUIT_FAILURES = 5
export const CIRCUIT_FAILURES_CEILING = 1_000
export const CIRCUIT_COOL_DOWN_MS = 30_000
export const CIRCUIT_COOL_DOWN_CEILING_MS = 3_600_000
/** When to try again after a call was refused because another one is trying the server. */
export const CIRCUIT_TRIAL_WAIT_MS = 1_000
/** Failures are forgotten after this time without a call. */
export const CIRCUIT_KEPT_MS = 3_600_000
/** Strings and keys in the arguments of one call, in characters: whole texts are checked without yielding. */
export const ARGUMENTS_MAX_CHARS = 4 * 1024 * 1024
/** Words of arguments that are typed on a line: as many arguments as a call of an MCP client may have. */
export const WORDS_MAX = 1_024
