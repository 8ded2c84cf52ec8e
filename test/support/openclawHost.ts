/** As much of OpenClaw as its plugin sees: what it registers, and how OpenClaw then calls it. */
import type {
  HostApi,
  HostTool,
  HostToolContext,
  HostToolResult,
  MiddlewareContext,
  HookEvent
} from "../../src/programs/openclawPlugin/host.ts"
import type { HostResult, HostResultEvent } from "../../src/schemas/openclaw/NativeResult.ts"

type Guard = Parameters<HostApi["registerAgentToolResultMiddleware"]>[0]
type Hook = Parameters<HostApi["on"]>[1]

export interface FakeHost {
  readonly api: HostApi
  readonly logged: Array<string>
  readonly connections: ReadonlyMap<string, () => Promise<unknown>>
  /** Whether the plugin offers a tool to an agent, or guards results. */
  readonly tool: (context: HostToolContext) => HostTool | null
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
  let factory: ((context: HostToolContext) => HostTool | null) | undefined
  let guard: Guard | undefined
  let service: { start: () => void; stop: () => Promise<void> } | undefined
  const log = (level: string) => (text: string) => void logged.push(`${level}: ${text}`)
  const tool: FakeHost["tool"] = (context) => factory?.(context) ?? null
  let calls = 0
  return {
    logged,
    connections,
    tool,
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
