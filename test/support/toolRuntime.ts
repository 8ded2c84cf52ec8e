/** A runtime of nothing but tools, each a function of the test. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { PromptNotFound, ResourceNotFound } from "../../src/schemas/call/CallError.ts"
import type { AgentTool, ToolResult } from "../../src/schemas/call/Tool.ts"
import type { CallOptions, McpRuntimeShape } from "../../src/services/call/McpRuntime.ts"

export interface TestTool {
  readonly description?: string
  readonly parameters?: AgentTool["parameters"]
  readonly run: (args: Readonly<Record<string, unknown>>, options: CallOptions) => Effect.Effect<ToolResult>
}

export const textResult = (text: string, isError = false): ToolResult => ({
  content: [{ type: "text", text }],
  isError,
  details: { error: { tag: "Test", server: "test", tool: "test", maybeExecuted: false } }
})

const NO_PARAMETERS = { type: "object", properties: {} }

export const toolRuntime = (tools: Readonly<Record<string, TestTool>>): McpRuntimeShape => {
  const listed = Object.entries(tools).map(([name, { description = `The tool ${name}.`, parameters }]): AgentTool => {
    const [, server = "test", tool = name] = name.split("__")
    return { name, label: tool, description, parameters: parameters ?? NO_PARAMETERS, server, tool }
  })
  return {
    agent: "main",
    tools: Effect.succeed(listed),
    allTools: Effect.succeed(listed),
    call: (name, args, options = {}) =>
      tools[name]?.run(args, options) ?? Effect.succeed(textResult(`There is no tool ${name}.`, true)),
    status: Effect.succeed({}),
    changes: Stream.empty,
    ready: Effect.void,
    refresh: Effect.void,
    resources: Effect.succeed([]),
    resourceTemplates: Effect.succeed([]),
    readResource: (uri) => Effect.fail(new ResourceNotFound({ uri, detail: "no server lists it" })),
    resourceContext: Effect.succeed(""),
    resourceUpdates: Stream.empty,
    prompts: Effect.succeed([]),
    getPrompt: (prompt) => Effect.fail(new PromptNotFound({ prompt, suggestion: null })),
    complete: () => Effect.succeed({ values: [], total: undefined, hasMore: false }),
    plan: () => Effect.die("no plan"),
    inspect: () => Effect.undefined,
    reset: () => Effect.succeed(false),
    stop: () => Effect.succeed(false)
  }
}
