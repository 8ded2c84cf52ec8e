/** What a model gets from the servers of an agent, as it reads it. */
import * as Effect from "effect/Effect"
import { tokensOf } from "../../../schemas/call/Plan.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import type { ContextTool, ContextValue } from "../../../schemas/control/ContextView.ts"
import { RESOURCE_CONTEXT_MAX_BYTES } from "../../../schemas/defaults/Catalogue.ts"
import { TOKEN_CHARS } from "../../../schemas/defaults/Control.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { Masked } from "./masked.ts"

const sent = (tool: AgentTool): ContextTool => {
  const { description, name, parameters, server } = tool
  return { name, description, parameters, server, tokens: tokensOf(tool) }
}

const sumOf = (tools: ReadonlyArray<ContextTool>): number => tools.reduce((sum, { tokens }) => sum + tokens, 0)

export const makeContext = (masked: Masked) =>
  Effect.fnUntraced(function* (runtime: McpRuntimeShape) {
    const tools = (yield* runtime.tools).map(sent)
    const all = yield* runtime.allTools
    const names = Object.keys(yield* runtime.status)
    const budgets = yield* Effect.forEach(names, (name) =>
      Effect.map(runtime.inspect(name), (server) =>
        server === undefined ? [] : [[name, server.config.budget] as const]
      )
    )
    const resourceBlock = yield* runtime.resourceContext
    const listed = new Set(tools.map(({ name }) => name))
    const isSearched = all.some(({ name }) => !listed.has(name))
    return masked<ContextValue>({
      agent: runtime.agent,
      resourceBlock,
      resourceTokens: Math.ceil(resourceBlock.length / TOKEN_CHARS),
      tools,
      toolTokens: sumOf(tools),
      isSearched,
      searchedTokens: isSearched ? sumOf(all.filter(({ name }) => !listed.has(name)).map(sent)) : 0,
      budgets: {
        resourceBytes: RESOURCE_CONTEXT_MAX_BYTES,
        results: Object.fromEntries(budgets.flat().map(([name, { blocks, bytes }]) => [name, { blocks, bytes }]))
      }
    })
  })
