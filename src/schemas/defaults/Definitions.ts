/** What servers list: tools, descriptions, schemas. Defaults and bounds, with their units in the names. */

export const LIST_MAX_PAGES = 64
export const LIST_MAX_ITEMS = 2_000
/** Memory of the definitions in all lists of one server (`schemas/connection/Weight.ts`), and in those of all servers together. */
export const LIST_MAX_BYTES = 16 * 1024 * 1024
export const LISTS_MAX_BYTES = 16 * 1024 * 1024
/** Trailing edge of a burst of `list_changed`. */
export const LIST_CHANGED_DEBOUNCE_MS = 250
/** Between two refreshes, at least: the time is doubled for as long as the lists keep changing, up to the second one. */
export const LIST_REFRESH_MIN_MS = 1_000
export const LIST_REFRESH_MAX_MS = 300_000
/** Without a change after a wait, so that the next one is the shortest again: lists that change once a minute are not among those. */
export const LIST_QUIET_MS = 30_000

export const DESCRIPTION_MAX_CHARS = 4 * 1024
export const PARAMETER_DESCRIPTION_MAX_CHARS = 1024
export const SCHEMA_MAX_BYTES = 64 * 1024
export const SCHEMA_MAX_DEPTH = 32
export const TOOL_NAME_MAX_CHARS = 1024
/** What a server says of itself when it is greeted. */
export const INSTRUCTIONS_MAX_CHARS = 64 * 1024

/** Schemas as a model provider gets them: nesting that is read, `$ref` included, and what following `$ref` may add. */
export const SCHEMA_READ_MAX_DEPTH = 48
export const SCHEMA_READ_MAX_NODES = 50_000
export const SCHEMA_EXPANSION_MAX_CHARS = 48 * 1024
/** A description with what is said in it of lost keywords, and one of these sentences. */
export const SCHEMA_TEXT_MAX_CHARS = 2 * 1024
export const SCHEMA_NOTE_MAX_CHARS = 320
/** Choices of one enum; of more, the first are named in the description. */
export const SCHEMA_ENUM_MAX_VALUES = 200
/** Alternatives of one union. */
export const SCHEMA_UNION_MAX = 32
/** A default, an example or one choice, as JSON. */
export const SCHEMA_VALUE_MAX_CHARS = 1024
export const SCHEMA_PATTERN_MAX_CHARS = 512
/** Descriptions in a schema that is too large otherwise. */
export const SCHEMA_SHORT_TEXT_CHARS = 120
/** Work of checking one value against a schema (a few milliseconds), and schemas one within the other, `$ref` included. */
export const SCHEMA_CHECK_MAX_STEPS = 200_000
export const SCHEMA_CHECK_MAX_DEPTH = 512
/** Where a value does not fit: the inner end of the way there, and a name in it. */
export const SCHEMA_PATH_MAX_STEPS = 16
export const SCHEMA_PATH_NAME_MAX_CHARS = 32
