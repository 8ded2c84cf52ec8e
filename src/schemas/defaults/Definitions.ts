/** What servers list: tools, descriptions, schemas. Defaults and limits, with their units in the names. */

export const LIST_MAX_PAGES = 64
export const LIST_MAX_ITEMS = 2_000
/** The cursor of a page: it is kept, and sent back. */
export const CURSOR_MAX_CHARS = 16 * 1024
/** Memory of the definitions in all lists of one server (`schemas/connection/Weight.ts`), and of all servers together. */
export const LIST_MAX_BYTES = 16 * 1024 * 1024
export const LISTS_MAX_BYTES = 16 * 1024 * 1024
/** How long after the last of several `list_changed` lists are read again. */
export const LIST_CHANGED_DEBOUNCE_MS = 250
/** Minimum time between two refreshes: doubled while the lists keep changing, up to the second value. */
export const LIST_REFRESH_MIN_MS = 1_000
export const LIST_REFRESH_MAX_MS = 300_000
/** After this time without a change, the interval is reset: lists that change once a minute stay slowed down. */
export const LIST_QUIET_MS = 30_000

export const DESCRIPTION_MAX_CHARS = 4 * 1024
export const PARAMETER_DESCRIPTION_MAX_CHARS = 1024
export const SCHEMA_MAX_BYTES = 64 * 1024
export const SCHEMA_MAX_DEPTH = 32
export const TOOL_NAME_MAX_CHARS = 1024
/** The instructions of a server, cut after they are masked: half a secret would not be recognized. */
export const INSTRUCTIONS_MAX_CHARS = 64 * 1024

/** Schemas for model providers: nesting that is read, including `$ref`, and what following `$ref` may add. */
export const SCHEMA_READ_MAX_DEPTH = 48
export const SCHEMA_READ_MAX_NODES = 50_000
export const SCHEMA_EXPANSION_MAX_CHARS = 48 * 1024
/** A description including the sentences about lost keywords, and one such sentence. */
export const SCHEMA_TEXT_MAX_CHARS = 2 * 1024
export const SCHEMA_NOTE_MAX_CHARS = 320
/** Choices of one enum; of more, the first are listed in the description. */
export const SCHEMA_ENUM_MAX_VALUES = 200
/** Alternatives of one union. */
export const SCHEMA_UNION_MAX = 32
/** A default, an example or one choice, as JSON. */
export const SCHEMA_VALUE_MAX_CHARS = 1024
export const SCHEMA_PATTERN_MAX_CHARS = 512
/** Descriptions in a schema that would otherwise be too large. */
export const SCHEMA_SHORT_TEXT_CHARS = 120
/** The work of checking one value against a schema (a few milliseconds), and the nesting of schemas, including `$ref`. */
export const SCHEMA_CHECK_MAX_STEPS = 200_000
export const SCHEMA_CHECK_MAX_DEPTH = 512
/** The path to a value that does not fit: its last steps, and the length of a name in it. */
export const SCHEMA_PATH_MAX_STEPS = 16
export const SCHEMA_PATH_NAME_MAX_CHARS = 32
/** The capabilities that a server declares, as JSON: beyond that they are not shown. */
export const ABOUT_CAPABILITIES_MAX_CHARS = 8_192
