/**
 * Tools for LangChain. You pass its classes, so that they come from your own version:
 *
 *     import { ToolMessage } from "@langchain/core/messages"
 *     import { DynamicStructuredTool } from "@langchain/core/tools"
 *     toLangChainTools(tools, { DynamicStructuredTool, ToolMessage })
 */
import { normalizeSchema } from "../../schemas/call/NormalizeSchema.ts"
import type { ExecuteResult, Tool } from "../loadMCPServers/Tool.ts"
import { dataUrl, type SchemaOptions, textOf } from "./adapter.ts"

/** The two classes of `@langchain/core` that are needed, from your own version. */
export interface LangChainClasses<StructuredTool> {
  // Only the caller knows the argument types of the classes.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly DynamicStructuredTool: new (fields: any) => StructuredTool
  /** For error results. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly ToolMessage: new (fields: any) => unknown
}

interface Config {
  readonly signal?: AbortSignal
  readonly toolCall?: { readonly id?: string }
}

/** Plain text, or, with images, the blocks that every chat model of LangChain converts. */
const toContent = ({ content }: ExecuteResult) =>
  content.every((block) => block.type === "text")
    ? textOf(content)
    : content.map((block) =>
        block.type === "text" ? block : { type: "image_url", image_url: { url: dataUrl(block) } }
      )

/** Tools for LangChain. Schemas are adapted to the rules of `provider`; default: plain JSON Schema. */
export const toLangChainTools = <StructuredTool>(
  tools: ReadonlyArray<Tool>,
  { DynamicStructuredTool, ToolMessage }: LangChainClasses<StructuredTool>,
  { provider = "json-schema" }: SchemaOptions = {}
): Array<StructuredTool> =>
  tools.map(
    (tool) =>
      new DynamicStructuredTool({
        name: tool.name,
        description: tool.description,
        schema: normalizeSchema(tool.parameters, provider),
        // The model gets the content, the program gets the whole result as `artifact`.
        responseFormat: "content_and_artifact",
        func: async (input: unknown, _manager: unknown, { signal, toolCall }: Config = {}) => {
          const result = await tool.execute(toolCall?.id ?? tool.name, input, signal)
          const content = toContent(result)
          return result.isError && toolCall?.id !== undefined
            ? [
                new ToolMessage({
                  status: "error",
                  tool_call_id: toolCall.id,
                  name: tool.name,
                  content,
                  artifact: result
                }),
                result
              ]
            : [content, result]
        }
      })
  )
