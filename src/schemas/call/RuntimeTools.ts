/** The names of the tools that are the runtime's own; no server's tool is called like one of them. */

/** Reads what `ResultStore` keeps. */
export const READ_MORE = "mcp_read_more"

/** Three in place of very many tools: they find, describe and call them. */
export const SEARCH_TOOLS = "mcp_search_tools"
export const DESCRIBE_TOOL = "mcp_describe_tool"
export const CALL_TOOL = "mcp_call_tool"

export const RUNTIME_TOOLS: ReadonlyArray<string> = [READ_MORE, SEARCH_TOOLS, DESCRIBE_TOOL, CALL_TOOL]
