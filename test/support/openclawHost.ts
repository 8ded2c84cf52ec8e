/** As much of OpenClaw as its plugin sees: what it registers, and how OpenClaw then calls it. */
import type {
  HostApi,
  HostTool,
  HostToolContext,
  HostToolResult,
  MiddlewareContext,
  HookEvent
} from "../../src/programs/openclawPlugin/openclawApi.ts"
import type { HostResult, HostResultEvent } from "../../src/programs/openclawPlugin/nativeResult.ts"

type Guard = Parameters<HostApi["registerAgentToolResultMiddleware"]>[0]
type Hook = Parameters<HostApi["on"]>[1]

export interface FakeHost {
  readonly api: HostApi
  readonly logged: Array<string>
  readonly connections: ReadonlyMap<string, () => Promise<unknown>>
  /** The tools that the plugin offers to an agent, and the single one of them that leads to others. */
  readonly tools: (context: HostToolContext) => ReadonlyArray<HostTool>
  readonly tool: (context: HostToolContext) => HostTool | null
  /** What the plugin adds to a prompt. */
  readonly prompt: (context?: MiddlewareContext) => Promise<string | undefined>
  readonly guards: () => boolean
  readonly hooks: () => ReadonlyArray<string>
  readonly start: () => void
  readonly stopService: () => Promise<void>
  readonly emit: (name: string, event: HookEvent, context?: MiddlewareContext) => Promise<void>
  /** What the model gets of a result, as OpenClaw would hand it on. */
  readonly shown: (event: Partial<HostResultEvent> & { result: HostResult }) => Promise<HostResult>
  readonly use: (agentId: string | undefined, params: unknown, signal?: AbortSignal) => Promise<HostToolResult>
}

export const CONTEXT: MiddlewareContext = { agentId: "main", sessionKey: "agent:main:t" }

export const fakeHost = (pluginConfig: unknown, registrationMode = "full", config: unknown = {}): FakeHost => {
  const logged: Array<string> = []
  const hooks = new Map<string, Array<Hook>>()
  const connections = new Map<string, () => Promise<unknown>>()
  let factory: Parameters<HostApi["registerTool"]>[0] | undefined
  let guard: Guard | undefined
  let service: { start: () => void; stop: () => Promise<void> } | undefined
  const log = (level: string) => (text: string) => void logged.push(`${level}: ${text}`)
  const tools: FakeHost["tools"] = (context) => factory?.(context) ?? []
  const tool: FakeHost["tool"] = (context) => tools(context).find(({ name }) => name === "mcp_live") ?? null
  let calls = 0
  return {
    logged,
    connections,
    tools,
    tool,
    prompt: async (context = CONTEXT) => {
      for (const hook of hooks.get("before_prompt_build") ?? []) {
        const added = await hook({}, context)
        if (added !== undefined) return added.prependContext
      }
      return undefined
    },
    guards: () => guard !== undefined,
    hooks: () => [...hooks.keys()],
    start: () => service?.start(),
    stopService: async () => service?.stop(),
    emit: async (name, event, context = CONTEXT) => {
      for (const hook of hooks.get(name) ?? []) await hook(event, context)
    },
    shown: async (event) => {
      const whole = { toolName: "parrot__give", toolCallId: `c${++calls}`, args: {}, ...event }
      return (await guard?.(whole, CONTEXT))?.result ?? event.result
    },
    use: async (agentId, params, signal) => {
      const offered = tool(agentId === undefined ? {} : { agentId })
      if (offered === null) throw new Error("there is no tool")
      return offered.execute("t1", params, signal)
    },
    api: {
      registrationMode,
      pluginConfig,
      config,
      logger: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
      registerTool: (given) => {
        factory = given
      },
      registerAgentToolResultMiddleware: (given) => {
        guard = given
      },
      registerMcpServerConnectionResolver: ({ resolve, serverName }) => void connections.set(serverName, resolve),
      registerService: (given) => {
        service = given
      },
      on: (name, hook) => void hooks.set(name, [...(hooks.get(name) ?? []), hook])
    }
  }
}
