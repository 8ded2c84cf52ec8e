/** Resources, prompts, completions and the tool search. Defaults and limits, with their units in the names. */

/** A resource in the agent's context is read again after this time. */
export const RESOURCE_REFRESH_MS = 300_000
/** The block of resources in the agent's context, in total. */
export const RESOURCE_CONTEXT_MAX_BYTES = 64 * 1024
/** Resources of one server in the agent's context. */
export const RESOURCE_CONTEXT_MAX_ITEMS = 32
/** How long a context waits for a resource, and how many of one server are read at a time. */
export const RESOURCE_CONTEXT_WAIT_MS = 2_000
export const RESOURCE_CONTEXT_CONCURRENCY = 4
/** When a resource that could not be read for the context is tried again. */
export const RESOURCE_CONTEXT_RETRY_MS = 30_000
/** The least space for the text of one resource in the context: less is not worth its boundaries. */
export const CONTEXT_BLOCK_MIN_BYTES = 256
/** Resources that `list_resources` lists by default, and at most. */
export const RESOURCE_LIST_MAX_ITEMS = 100
/** A text that listed resources must have. */
export const RESOURCE_QUERY_MAX_CHARS = 256
/** One resource of the list, in a line. */
export const RESOURCE_LIST_LINE_MAX_CHARS = 200
/** Values of one completion (Completion). */
export const COMPLETION_MAX_VALUES = 100
/** A longer suggestion cannot be shown completely and is left out. */
export const COMPLETION_VALUE_MAX_CHARS = 1024
/** Arguments of one prompt. */
export const PROMPT_ARGUMENTS_MAX = 64
/** With more tools than this, they are searched instead of listed. */
export const TOOL_INDEX_THRESHOLD = 60
/** Tools that one search lists by default. */
export const TOOL_SEARCH_MAX_RESULTS = 10
/** Tools in one listing, tools that are described at once, one line of a listing; characters and words of a query. */
export const TOOL_LIST_MAX_RESULTS = 500
export const TOOL_DESCRIBE_MAX = 10
export const TOOL_SEARCH_LINE_MAX_CHARS = 200
export const TOOL_QUERY_MAX_CHARS = 4_096
export const TOOL_QUERY_MAX_WORDS = 32
