/** Tools for the Vercel AI SDK, for the option `tools` of `generateText`, `streamText` and agents. */
import { dynamicTool, jsonSchema, type ToolSet } from "ai"
import { toAiSdkOutput } from "../../schemas/agent/AiSdkOutput.ts"
import { normalizeSchema } from "../../schemas/call/NormalizeSchema.ts"
import type { ExecuteResult, Tool } from "../loadMCPServers/Tool.ts"
import type { SchemaOptions } from "./adapter.ts"

/**
 * Tools by name, for the option `tools` of `generateText`, `streamText` and agents of the AI SDK. Schemas are adapted to the
 * rules of `provider`; default: plain JSON Schema.
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
