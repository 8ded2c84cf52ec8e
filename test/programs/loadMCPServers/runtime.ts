/** A scripted `McpRuntime` behind a layer, with the strings that a test pulls. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { ResourceNotFound } from "../../../src/schemas/call/CallError.ts"
import type { ServerStatus } from "../../../src/schemas/connection/ServerState.ts"
import type { AgentTool, ToolResult } from "../../../src/schemas/call/Tool.ts"
import { type CallOptions, McpRuntime, type McpRuntimeShape } from "../../../src/services/call/McpRuntime.ts"

export const agentTool = (server: string, tool: string, over: Partial<AgentTool> = {}): AgentTool => ({
  name: `${server}__${tool}`,
  label: tool,
  description: `The tool ${tool}`,
  parameters: { type: "object", properties: { text: { type: "string" } } },
  server,
  tool,
  ...over
})

export const status: ServerStatus = {
  state: "Ready",
  transport: "stdio",
  protocolVersion: "2025-11-25",
  tools: 2,
  resources: 1,
  prompts: 0,
  pid: 7,
  connectMs: 3,
  restarts: 0,
  lastError: "an error of long ago"
}

export const textResult = (text: string): ToolResult => ({
  content: [{ type: "text", text }],
  isError: false,
  details: {
    externalContent: {
      untrusted: true,
      source: "mcp_server",
      server: "fs",
      tool: "read",
      mode: "delimit",
      wrapped: true
    },
    findings: [],
    notes: []
  }
})

export interface Called {
  readonly name: string
  readonly args: unknown
  readonly options: CallOptions | undefined
}

export const scripted = (tools: ReadonlyArray<AgentTool>, over: Partial<McpRuntimeShape> = {}) => {
  const changes = Effect.runSync(Queue.unbounded<void>())
  const state = { tools, built: 0, closed: 0, calls: [] as Array<Called> }
  const closed = Promise.withResolvers<void>()
  const runtime: McpRuntimeShape = {
    agent: "main",
    tools: Effect.sync(() => state.tools),
    allTools: Effect.sync(() => state.tools),
    call: (name, args, options) =>
      Effect.sync(() => {
        state.calls.push({ name, args, options })
        return textResult(`called ${name}`)
      }),
    status: Effect.succeed({ fs: status }),
    changes: Stream.fromQueue(changes),
    ready: Effect.void,
    refresh: Effect.void,
    resources: Effect.succeed([]),
    resourceTemplates: Effect.succeed([]),
    readResource: (uri) => Effect.fail(new ResourceNotFound({ uri, detail: "no server lists it" })),
    resourceContext: Effect.succeed(""),
    resourceUpdates: Stream.empty,
    prompts: Effect.succeed([]),
    getPrompt: () => Effect.never,
    complete: () => Effect.succeed({ values: ["a"], total: undefined, hasMore: false }),
    plan: () => Effect.die("no plan"),
    inspect: () => Effect.undefined,
    reset: () => Effect.succeed(false),
    stop: () => Effect.succeed(false),
    ...over
  }
  const layer = Layer.effect(
    McpRuntime,
    Effect.acquireRelease(
      Effect.sync(() => {
        state.built += 1
        return runtime
      }),
      () =>
        // As a process, it takes a moment to end.
        Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
          Effect.andThen(
            Effect.sync(() => {
              state.closed += 1
              closed.resolve()
            })
          )
        )
    )
  )
  return {
    state,
    layer,
    whenClosed: closed.promise,
    /** Offers other tools and says so. */
    offer: (offered: ReadonlyArray<AgentTool>) => {
      state.tools = offered
      Queue.offerUnsafe(changes, undefined)
    }
  }
}
