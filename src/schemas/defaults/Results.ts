/** What calls give back, and what of it is kept. Defaults and bounds, with their units in the names. */

/** Text of one result that reaches the model, over all its blocks. */
export const RESULT_MAX_BYTES = 100 * 1024
export const RESULT_MAX_BLOCKS = 256
/** One image of a result, base64 characters. */
export const IMAGE_MAX_CHARS = 8 * 1024 * 1024
/** All images of a result. */
export const IMAGES_MAX_CHARS = 16 * 1024 * 1024
/** What is read of names, types and addresses in all blocks of a result: 256 of each 256 blocks. The worst of it takes under 100 ms. */
export const RESULT_LABELS_MAX_CHARS = 64 * 1024
export const ERROR_TEXT_MAX_CHARS = 2 * 1024

/** Everything that one runtime keeps of results that were too long, and one such result. */
export const RESULT_STORE_MAX_BYTES = 256 * 1024 * 1024
export const RESULT_STORE_ITEM_MAX_BYTES = 32 * 1024 * 1024
/** What each costs at least: a file takes room, however short. */
export const RESULT_STORE_ITEM_MIN_BYTES = 4 * 1024
/** What is kept in memory because it is not written yet, or cannot be. */
export const RESULT_STORE_HELD_MAX_BYTES = 64 * 1024 * 1024
/** What is written, read or searched at once. */
export const KEPT_TEXT_CHUNK_CHARS = 64 * 1024
/** What one `mcp_read_more` gives, unless asked for less. */
export const READ_MORE_MAX_CHARS = 32 * 1024
/** A text to look for, the places where it is found, and what is shown on either side of each. */
export const READ_MORE_GREP_MAX_CHARS = 256
export const READ_MORE_MATCHES_MAX = 50
export const READ_MORE_AROUND_CHARS = 100
