/**
 * Tools for LangChain. Its classes are given, not imported: whoever uses them has them, in the version of their own.
 *
 *     import { ToolMessage } from "@langchain/core/messages"
 *     import { DynamicStructuredTool } from "@langchain/core/tools"
 *     toLangChainTools(tools, { DynamicStructuredTool, ToolMessage })
 */
import { normalizeSchema } from "../../schemas/call/NormalizeSchema.ts"
import type { ExecuteResult, Tool } from "../loadMCPServers/Tool.ts"
import { dataUrl, type SchemaOptions, textOf } from "./adapter.ts"

/** The two classes of `@langchain/core` that are needed, in the version of your own. */
export interface LangChainClasses<StructuredTool> {
  // What goes in is only known to whoever gives the classes.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly DynamicStructuredTool: new (fields: any) => StructuredTool
  /** For results that say that they are errors. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly ToolMessage: new (fields: any) => unknown
}

interface Config {
  readonly signal?: AbortSignal
  readonly toolCall?: { readonly id?: string }
}

/** Text as text; with images in it, the blocks that every chat model of LangChain converts. */
const toContent = ({ content }: ExecuteResult) =>
  content.every((block) => block.type === "text")
    ? textOf(content)
    : content.map((block) =>
        block.type === "text" ? block : { type: "image_url", image_url: { url: dataUrl(block) } }
      )

/** Tools for LangChain. Schemas are brought within the rules of `provider`; plain JSON Schema when left out. */
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
        // The model gets the content, the program the whole result as `artifact`.
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
