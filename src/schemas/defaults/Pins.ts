/** Tool pinning. Defaults and limits, with their units in the names. */

/** The pin file of one server: approved and waiting definitions. */
export const PINS_FILE_MAX_BYTES = 64 * 1024 * 1024
/** What is written for one server at once and over time: a reviewed list applies before it is written. */
export const PINS_WRITE_BURST_BYTES = 32 * 1024 * 1024
export const PINS_WRITE_BYTES_PER_SECOND = 64 * 1024
/** A file is written in pieces of about this size. */
export const PINS_PIECE_CHARS = 128 * 1024
/** Servers, by name and launch, whose pins are listed. */
export const PINS_FILES_MAX = 4_096
/** How many of them one process keeps in memory. With more servers than this, each review would read files again. */
export const PINS_KNOWN_MAX = 4_096
/** How often it is checked whether another process has approved something. */
export const PINS_WATCH_MS = 1_000
/** How long to wait for another process that writes approved definitions. */
export const PINS_LOCK_WAIT_MS = 5_000
/** The most words that may change between two texts that are compared word by word. */
export const WORD_DIFF_MAX_EDITS = 500
/** Places of one definition that are shown to differ. */
export const DEFINITION_DIFF_MAX_PLACES = 500
/** The least hex digits to name a definition. */
export const PIN_HASH_MIN_CHARS = 8
/** Reported changes that one process remembers. */
export const PIN_CHANGES_KNOWN_MAX = 16_384
/** Names of tools for which a process remembers what they look like, and how long one may be. */
export const SHADOW_NAMES_KNOWN_MAX = 16_384
export const SHADOW_NAME_KNOWN_MAX_CHARS = 128
