/** Tools for the Vercel AI SDK: what `generateText`, `streamText` and agents take as `tools`. */
import { dynamicTool, jsonSchema, type ToolSet } from "ai"
import { toAiSdkOutput } from "../../schemas/agent/AiSdkOutput.ts"
import { normalizeSchema } from "../../schemas/call/NormalizeSchema.ts"
import type { ExecuteResult, Tool } from "../loadMCPServers/Tool.ts"
import type { SchemaOptions } from "./adapter.ts"

/**
 * Tools by name, as `generateText`, `streamText` and agents of the AI SDK take them for `tools`. Schemas are brought
 * within the rules of `provider`; plain JSON Schema when left out.
 */
export const toAiSdkTools = (tools: ReadonlyArray<Tool>, { provider = "json-schema" }: SchemaOptions = {}): ToolSet =>
  Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      dynamicTool({
        description: tool.description,
        inputSchema: jsonSchema(normalizeSchema(tool.parameters, provider)),
        execute: (input, { abortSignal, toolCallId }) => tool.execute(toolCallId, input, abortSignal),
        toModelOutput: ({ output }) => toAiSdkOutput(output as ExecuteResult)
      })
    ])
  )
