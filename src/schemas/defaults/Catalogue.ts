/** Resources, prompts, completions, and the search for tools. Defaults and bounds, with their units in the names. */

/** A resource in the agent's context is read anew after so long. */
export const RESOURCE_REFRESH_MS = 300_000
/** The block of resources in the agent's context, over all of them. */
export const RESOURCE_CONTEXT_MAX_BYTES = 64 * 1024
/** Resources of one server that go into the agent's context. */
export const RESOURCE_CONTEXT_MAX_ITEMS = 32
/** How long a context waits for a resource that it reads, and how many it reads of one server at a time. */
export const RESOURCE_CONTEXT_WAIT_MS = 2_000
export const RESOURCE_CONTEXT_CONCURRENCY = 4
/** A resource that could not be read for the context is tried again after so long. */
export const RESOURCE_CONTEXT_RETRY_MS = 30_000
/** Text of one resource in the context, when there is that much: with less it is not worth its frame. */
export const CONTEXT_BLOCK_MIN_BYTES = 256
/** Resources that `list_resources` names, unless asked for fewer. */
export const RESOURCE_LIST_MAX_ITEMS = 100
/** A resource of the list, in a line. */
export const RESOURCE_LIST_LINE_MAX_CHARS = 200
/** Values of one completion (Completion). */
export const COMPLETION_MAX_VALUES = 100
/** A suggestion that is longer cannot be shown whole and is left out. */
export const COMPLETION_VALUE_MAX_CHARS = 1024
/** Arguments of one prompt. */
export const PROMPT_ARGUMENTS_MAX = 64
/** More tools than this are searched instead of listed. */
export const TOOL_INDEX_THRESHOLD = 60
/** Tools that one search names, unless asked for fewer. */
export const TOOL_SEARCH_MAX_RESULTS = 10
/** Tools that one listing names, tools that are described at once, one line of a listing, words of a query. */
export const TOOL_LIST_MAX_RESULTS = 500
export const TOOL_DESCRIBE_MAX = 10
export const TOOL_SEARCH_LINE_MAX_CHARS = 200
export const TOOL_QUERY_MAX_WORDS = 32
