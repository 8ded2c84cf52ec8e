/**
 * Converts our tools and results to MCP. Text goes out as it was cleaned and wrapped for a model. A server's hints about its
 * tools are left out, because they could grant permissions there; so is structured content, which has no boundaries.
 */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server"
import type { AgentTool, ToolResult } from "../../../schemas/call/Tool.ts"

export const toMcpTool = ({ description, label, name, parameters }: AgentTool): Tool => ({
  name,
  title: label,
  description,
  inputSchema: { ...parameters, type: "object" } as Tool["inputSchema"]
})

export const toMcpResult = ({ content, isError }: Pick<ToolResult, "content" | "isError">): CallToolResult => ({
  content: content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image", data: part.data, mimeType: part.mimeType }
  ),
  ...(isError ? { isError } : {})
})

export const failed = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true })

export const UNEXPECTED = failed("The call failed unexpectedly on the side of mcp-live; its log says more.")
export const TAKEN_BACK = failed(
  "This tool is gone: the session that it belongs to has ended, or has cancelled the call."
)
