/** Results of calls, and what is kept of them. Defaults and limits, with their units in the names. */

/** Text of one result for the model, over all its blocks. */
export const RESULT_MAX_BYTES = 100 * 1024
export const RESULT_MAX_BLOCKS = 256
/** One image of a result, in base64 characters. */
export const IMAGE_MAX_CHARS = 8 * 1024 * 1024
/** All images of a result. */
export const IMAGES_MAX_CHARS = 16 * 1024 * 1024
/**
 * Names, types and URIs that are read in all blocks of a result: 256 characters for each of 256 blocks. The worst case takes
 * under 100 ms.
 */
export const RESULT_LABELS_MAX_CHARS = 64 * 1024
export const ERROR_TEXT_MAX_CHARS = 2 * 1024

/** All kept results of one runtime, and one kept result. */
export const RESULT_STORE_MAX_BYTES = 256 * 1024 * 1024
export const RESULT_STORE_ITEM_MAX_BYTES = 32 * 1024 * 1024
/** The minimum size that is counted for each: a file takes space, however short. */
export const RESULT_STORE_ITEM_MIN_BYTES = 4 * 1024
/** Kept results in memory because they are not written yet, or cannot be. */
export const RESULT_STORE_HELD_MAX_BYTES = 64 * 1024 * 1024
/** How much is written, read or searched at once. */
export const KEPT_TEXT_CHUNK_CHARS = 64 * 1024
/** What one `mcp_read_more` returns by default. */
export const READ_MORE_MAX_CHARS = 32 * 1024
/** A text to search for, the matches, and the characters that are shown on either side of each. */
export const READ_MORE_GREP_MAX_CHARS = 256
export const READ_MORE_MATCHES_MAX = 50
export const READ_MORE_AROUND_CHARS = 100
