/** What the nodes of a fleet store together. Defaults and limits, with their units in the names. */

/** How long what was read counts while a node cannot hear of changes: for an outage of the database, and not for longer. */
export const REMEMBERED_UNHEARD_MS = 60_000
/** How many rows of one table a node remembers. */
export const REMEMBERED_MAX = 10_000
/** While changes are not heard, everything is compared this often. */
export const UNHEARD_POLL_MS = 1_000

/** The pins of one server: what one message of the database may have, with a margin. */
export const PINS_ROW_MAX_BYTES = 8 * 1024 * 1024
/** Rows of pins that are read at once. */
export const PINS_ROWS_AT_ONCE = 16

/** A lease is renewed this often, and ends after so long without that: its node is dead or cut off. */
export const LEASE_BEAT_MS = 1_000
export const LEASE_MS = 5_000
/** Whoever waits for a lease is told when it is given back, and asks again after this time at the latest. */
export const LEASE_POLL_MS = 500
/** Writes that the database could not take are tried again this often. */
export const OWED_RETRY_MS = 500

/** A node takes tokens for about the calls of this time, and gives back what it did not use. */
export const TOKENS_AHEAD_MS = 1_000
export const TOKENS_IDLE_MS = 1_000
/** After it was refused, a node does not ask for tokens again for this time, even if the next one comes sooner. */
export const TOKENS_REFUSED_MIN_MS = 10
/** A call that waits longer for tokens counts by the share of its node, as while the database is away. */
export const TOKENS_WAIT_MS = 1_000
/** After the database was away: until all nodes have told what they used. */
export const TOKENS_SETTLE_MS = 2_000
/** Buckets in one statement. */
export const TOKENS_BUCKETS_AT_ONCE = 256
/** Full buckets are removed this often: a missing one is full. */
export const TOKENS_SWEEP_MS = 60_000

/** Kept results can be read on for this time, at every node. */
export const RESULTS_KEPT_MS = 6 * 3_600_000
export const RESULTS_SWEEP_MS = 300_000
/** Parts of a text in one statement. */
export const RESULT_PARTS_AT_ONCE = 16
/** A handle is known before its text is stored: it is looked for again, so often and after this time each. */
export const RESULT_LATE_MS = 200
export const RESULT_LATE_TRIES = 3

/** Conversations of all nodes. */
export const FLEET_CONVERSATIONS_MAX = 10_000

/** A node has this share more of the places for calls in flight than it needs. */
export const PLACES_AHEAD = 0.25
/** A logout is kept for so much longer than its session: the clocks of nodes may be off by a minute (`CLOCK_OFF_MAX_MS`). */
export const LOGOUTS_KEPT_MORE_MS = 120_000
