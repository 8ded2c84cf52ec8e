/** The built-in agent with a runtime, a model and secrets of the test's choice. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { layerEmbedded, layerEmbeddedKept } from "../../../../src/layers/agent/AgentGateway.ts"
import * as ContentSanitizer from "../../../../src/layers/content/ContentSanitizer.ts"
import * as ModelSource from "../../../../src/layers/agent/ModelSource.ts"
import * as Redactor from "../../../../src/layers/content/Redactor.ts"
import * as SecretResolver from "../../../../src/layers/secret/SecretResolver.ts"
import * as SessionTools from "../../../../src/layers/agent/SessionTools.ts"
import type { AgentEvent } from "../../../../src/schemas/agent/AgentEvent.ts"
import type { ModelConfig } from "../../../../src/schemas/config/GatewayConfig.ts"
import { PromptNotFound, ResourceNotFound } from "../../../../src/schemas/call/CallError.ts"
import type { ServerStatus } from "../../../../src/schemas/connection/ServerState.ts"
import type { AgentTool, ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { AgentGateway } from "../../../../src/services/agent/AgentGateway.ts"
import { ConfigSource } from "../../../../src/services/config/ConfigSource.ts"
import type { McpRuntimeShape } from "../../../../src/services/call/McpRuntime.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"

export const KEY = "sk-canary-0123456789"

export const tool = (name: string): AgentTool => ({
  name,
  label: name,
  description: "A tool of the file server",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  server: "fs",
  tool: name.replace("mcp_fs_", "")
})

export const result = (text: string, isError = false): ToolResult => ({
  content: [{ type: "text", text }],
  isError,
  details: { error: { tag: "Test", server: "fs", tool: "read", maybeExecuted: false } }
})

const status: ServerStatus = {
  state: "Ready",
  transport: "stdio",
  protocolVersion: "2025-11-25",
  tools: 1,
  resources: 0,
  prompts: 0,
  pid: 1,
  connectMs: 5,
  restarts: 0,
  lastError: null
}

export type Call = { readonly name: string; readonly args: Readonly<Record<string, unknown>> }

const TOOLS = [tool("mcp_fs_read"), tool("mcp_fs_list")]

export const runtimeOf = (
  answerCall: (call: Call) => Effect.Effect<ToolResult>,
  overrides: Partial<McpRuntimeShape> = {}
): McpRuntimeShape => ({
  agent: "main",
  tools: Effect.succeed(TOOLS),
  allTools: Effect.succeed(TOOLS),
  call: (name, args) => answerCall({ name, args }),
  status: Effect.succeed({ fs: status, web: { ...status, state: "Failed", lastError: "cannot start 'nope'" } }),
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
  reset: (server) => Effect.succeed(server === "fs"),
  stop: (server) => Effect.succeed(server === "fs"),
  ...overrides
})

interface Setup {
  readonly model?: Partial<ModelConfig>
  readonly runtime?: McpRuntimeShape
  readonly env?: Record<string, string>
  /** Where conversations are kept; in memory when left out. */
  readonly directory?: string
}

/** The gateway with a runtime, a config and secrets of the test's choice. */
export const gateway = ({
  directory,
  env = {},
  model,
  runtime = runtimeOf(() => Effect.succeed(result("text of the file")))
}: Setup) => {
  return (directory === undefined ? layerEmbedded : layerEmbeddedKept({ directory })).pipe(
    Layer.provide(ModelSource.layer),
    Layer.provide([
      Layer.succeed(McpRuntime, runtime),
      Layer.succeed(ConfigSource, {
        load: Effect.succeed({
          file: "openclaw.json",
          agents: [
            {
              id: "main",
              model: model === undefined ? undefined : { id: "test", baseUrl: undefined, apiKey: undefined, ...model },
              servers: [],
              rules: [],
              toolIndexThreshold: 0
            }
          ],
          defaultAgent: "main",
          warnings: []
        })
      }),
      SessionTools.layer,
      ContentSanitizer.layer,
      SecretResolver.layer({ env: { MODEL_KEY: KEY } }),
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))
    ]),
    Layer.provide(Redactor.layer)
  )
}

export const say = (message: string, sessionKey = "s") =>
  AgentGateway.use((agent) => agent.send(sessionKey, message).pipe(Stream.runCollect))

export const textOf = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => (event._tag === "Text" ? event.delta : event._tag === "Notice" ? event.text : "")).join("")

/** What happened, without the accounts of single steps. */
export const tags = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => event._tag).filter((tag) => tag !== "Usage")

/** The sentence that a message fails with. */
export const failure = (message: string) => Effect.map(Effect.flip(say(message)), (error) => error.detail)
