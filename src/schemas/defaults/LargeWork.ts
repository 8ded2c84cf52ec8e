/** Large work of a process beside the small requests of others. */

/** Who had a small request so lately is there. */
export const LARGE_OTHERS_MS = 250
/** Rest of all large work after a piece, for each millisecond of it. */
export const LARGE_REST_PER_MS = 3
/** Large work of one before it is slowed down; from then on its share of the time. */
export const LARGE_BURST_MS = 250
export const LARGE_SHARE = 0.05
export const LARGE_REST_MAX_MS = 1_000
/** What cannot be cut and takes longer counts the more, up to a bound. */
export const LARGE_PIECE_MS = 4
export const LARGE_WHOLE_MAX_MS = 32
/** What a piece of small work counts at most: it may have been interrupted by the system, or by a garbage collection. */
export const SMALL_COUNTS_MAX_MS = 16
