/**
 * Tools for Anthropic's API: definitions for `tools`, and the answers to tool calls. Needs no library; the types match those
 * of `@anthropic-ai/sdk`.
 */
import { normalizeSchema } from "../../schemas/call/NormalizeSchema.ts"
import type { Content } from "../../schemas/call/Tool.ts"
import type { Tool } from "../loadMCPServers/Tool.ts"
import { caller, type CallOptions, describeImage } from "./adapter.ts"

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const
type ImageType = (typeof IMAGE_TYPES)[number]

type Block =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } }

/** The answer to one `tool_use` block. */
export interface AnthropicToolResult {
  type: "tool_result"
  tool_use_id: string
  content: Array<Block>
  is_error: boolean
}

/** Definitions for a request, and a function that answers tool calls. */
export interface AnthropicTools {
  /** For `tools` of `messages.create`. */
  readonly tools: Array<{
    name: string
    description: string
    input_schema: { type: "object"; [key: string]: unknown }
  }>
  /**
   * Runs the tool calls in the content of a message in parallel and returns their results: the `content` of the next user
   * message. Never rejects.
   */
  readonly run: (
    content: ReadonlyArray<{ readonly type: string }>,
    options?: CallOptions
  ) => Promise<Array<AnthropicToolResult>>
}

interface ToolUse {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: unknown
}

const isToolUse = (block: { readonly type: string }): block is ToolUse => block.type === "tool_use"

/** The API refuses empty text, and images of other types. */
const toBlocks = (content: ReadonlyArray<Content>): Array<Block> =>
  content.flatMap((block): Array<Block> => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }]
    const type = IMAGE_TYPES.find((known) => known === block.mimeType.toLowerCase())
    return type === undefined
      ? [{ type: "text", text: describeImage(block) }]
      : [{ type: "image", source: { type: "base64", media_type: type, data: block.data } }]
  })

/** Tools for Anthropic's API, with schemas adapted to its rules. */
export const toAnthropicTools = (tools: ReadonlyArray<Tool>): AnthropicTools => {
  const call = caller(tools)
  return {
    tools: tools.map(({ description, name, parameters }) => ({
      name,
      description,
      input_schema: { ...normalizeSchema(parameters, "anthropic"), type: "object" }
    })),
    run: (content, options) =>
      Promise.all(
        content.filter(isToolUse).map(async ({ id, input, name }) => {
          const result = await call(name, id, input, options)
          return {
            type: "tool_result" as const,
            tool_use_id: id,
            content: toBlocks(result.content),
            is_error: result.isError
          }
        })
      )
  }
}
