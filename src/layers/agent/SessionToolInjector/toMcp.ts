/**
 * Converts our tools, and calls that come from outside, to MCP. Text goes out as it was cleaned and wrapped for a model. A server's hints about its
 * tools are left out, because they could grant permissions there; so is structured content, which has no boundaries.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type { AgentTool, ToolResult } from "../../../schemas/call/Tool.ts"
import type { JsonObject } from "../../../schemas/data/Json.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"

export const toMcpTool = ({ description, label, name, parameters }: AgentTool): JsonObject => ({
  name,
  title: label,
  description,
  inputSchema: { ...parameters, type: "object" }
})

const toMcpResult = ({ content, isError }: Pick<ToolResult, "content" | "isError">): CallToolResult => ({
  content: content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image", data: part.data, mimeType: part.mimeType }
  ),
  ...(isError ? { isError } : {})
})

export const failed = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true })

const UNEXPECTED = failed("The call failed unexpectedly on the side of mcp-live; its log says more.")
export const TAKEN_BACK = failed(
  "This tool is gone: the session that it belongs to has ended, or has cancelled the call."
)

/** A defect becomes one fixed sentence; the log says more. */
export const callTool = (
  tools: Pick<McpRuntimeShape, "call">,
  ...call: Parameters<McpRuntimeShape["call"]>
): Effect.Effect<CallToolResult> =>
  tools.call(...call).pipe(
    Effect.map(toMcpResult),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("a tool call of a gateway failed unexpectedly", defect), UNEXPECTED)
    )
  )
