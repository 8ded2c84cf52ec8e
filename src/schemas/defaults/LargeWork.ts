/** Large work of a process that has small requests to answer as well. */

/** A client with a small request this recently counts as present. */
export const LARGE_OTHERS_MS = 250
/** The pause of all large work after a piece, for each millisecond of it. */
export const LARGE_REST_PER_MS = 3
/**
 * What one client may send at once while others are there, and in each millisecond after that. Each piece that is read of a connection, each
 * request and each new session counts as so many bytes more. V8 collects all garbage after about 64 MiB have arrived, which takes up to 20 ms.
 */
export const RATE_BURST_BYTES = 6 * 1024 * 1024
export const RATE_BYTES_PER_MS = 16 * 1024
export const RATE_PIECE_BYTES = 16 * 1024
export const RATE_REQUEST_BYTES = 16 * 1024
export const RATE_SESSION_BYTES = 768 * 1024
/** The longest wait that this causes. */
export const RATE_REST_MAX_MS = 2_000
/** Large work of one client before it is slowed down, and its share of the time after that. */
export const LARGE_BURST_MS = 250
export const LARGE_SHARE = 0.05
export const LARGE_REST_MAX_MS = 1_000
/** Work that cannot be split and takes longer counts more, up to a limit. */
export const LARGE_PIECE_MS = 4
export const LARGE_WHOLE_MAX_MS = 32
/** The most that a piece of small work counts: the system or a garbage collection may have interrupted it. */
export const SMALL_COUNTS_MAX_MS = 16
/**
 * The size of the young generation of the heap, with both of its halves, in a program that stays: its collection takes some 10 ms at most. A
 * smaller one is collected so often that this takes more time in all. And how much is allocated at most to have V8 give it that size.
 */
export const YOUNG_GENERATION_BYTES = 8 * 1024 * 1024
export const YOUNG_GENERATION_FILL_MAX_BYTES = 16 * 1024 * 1024
