/** The names of the runtime's own tools; no tool of a server gets such a name. */

/** Reads kept results. */
export const READ_MORE = "mcp_read_more"

/** These three replace very many tools: they find, describe and call them. */
export const SEARCH_TOOLS = "mcp_search_tools"
export const DESCRIBE_TOOL = "mcp_describe_tool"
export const CALL_TOOL = "mcp_call_tool"

export const RUNTIME_TOOLS: ReadonlyArray<string> = [READ_MORE, SEARCH_TOOLS, DESCRIBE_TOOL, CALL_TOOL]
