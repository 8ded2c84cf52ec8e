/** Large work of a process beside the small requests of others. */

/** Who had a small request so lately is there. */
export const LARGE_OTHERS_MS = 250
/** Rest of all large work after a piece, for each millisecond of it. */
export const LARGE_REST_PER_MS = 3
/** Large work of one before it is slowed down; from then on its share of the time. */
export const LARGE_BURST_MS = 250
export const LARGE_SHARE = 0.05
export const LARGE_REST_MAX_MS = 1_000
/** A piece that took longer cannot have been cut, and counts the more. */
export const LARGE_PIECE_MS = 4
