/**
 * The running parts of the plugin: the guard over results of OpenClaw's own servers, and the servers of its agents. Loaded
 * when first needed, so that a starting gateway does not wait for it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { homedir } from "node:os"
import { McpLive } from "../../layers/McpLive.ts"
import { NativeLive } from "../../layers/McpLive/NativeLive.ts"
import { OPENCLAW_IMAGE_MAX_CHARS, OPENCLAW_WRAP_CHARS } from "../../schemas/defaults/OpenClaw.ts"
import { shortened } from "../../schemas/content/Boundaries.ts"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import { nativeCredentials } from "../../schemas/agent/openclaw/NativeCredentials.ts"
import { renderStatus } from "../../schemas/content/Rendering.ts"
import { ownerOf, serverConfig } from "../../schemas/connection/ServerConfig.ts"
import type { Content, ToolResult } from "../../schemas/call/Tool.ts"
import { UnknownAgent } from "../../schemas/call/UnknownAgent.ts"
import type { AgentRuntimes } from "../../services/call/AgentRuntimes.ts"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { NativeResults, type NativeCall } from "../../services/agent/NativeResults.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { SecretResolver } from "../../services/secret/SecretResolver.ts"
import * as Log from "../loadMCPServers/log.ts"
import { makeAgents, type Offer } from "./agents.ts"
import { configSource } from "./configuration.ts"
import type { Connection, HostLogger, HostToolResult } from "./openclawApi.ts"
import { orderOf } from "./metaTool.ts"
import { hasServers, type Settings } from "./settings.ts"
import type { Closable } from "./processState.ts"

export interface Running extends Closable {
  /** `config` is OpenClaw's own: credentials in it are masked. */
  readonly guard: (call: NativeCall, content: ReadonlyArray<unknown>, config: unknown) => Promise<HostToolResult>
  readonly failed: (call: NativeCall) => Promise<void>
  /** Runs an action of the single tool for an agent. Never rejects. */
  readonly use: (agent: string | undefined, params: unknown, call: CallContext) => Promise<HostToolResult>
  /** The agents that have servers; `undefined` until their configuration is read. */
  readonly agents: () => ReadonlySet<string> | undefined
  /** The current tools of an agent; `undefined` until they are known, in which case it starts to find out. */
  readonly offer: (agent: string) => Offer | undefined
  /** The text of the resources of an agent's servers, for its prompt; empty when there is none. Never rejects. */
  readonly context: (agent: string) => Promise<string>
  /** The tools of all agents by name, and the servers whose tools are unknown. */
  readonly everything: () => Promise<Everything>
  /** The URL that OpenClaw connects to, with its secrets resolved; `null` when one is unavailable. */
  readonly connection: (server: string) => Promise<Connection | null>
  /** Starts the servers of the default agent, or of all agents whose tools have declared names, without waiting. */
  readonly warm: (all: boolean) => void
}

export interface Everything {
  readonly agents: Readonly<Record<string, ReadonlyArray<string>>>
  readonly missing: ReadonlyArray<string>
}

export interface CallContext {
  readonly signal?: AbortSignal | undefined
  readonly onUpdate?: ((partial: HostToolResult) => void) | undefined
  /** Why the tool of this name must not be called through the single tool; `undefined` when it may. */
  readonly refuses?: ((name: string) => string | undefined) | undefined
}

const sayError = (text: string): HostToolResult => ({
  content: [{ type: "text", text }],
  details: { status: "error" }
})

const BROKEN =
  "The MCP servers of this agent cannot be used: something went wrong inside the gateway. Its log says more."

/** One image that OpenClaw refuses would lose the whole result. */
const fitting = (block: Content, maxChars: number): Content => {
  if (block.type === "text") return { type: "text", text: shortened(block.text, maxChars) }
  return block.data.length <= OPENCLAW_IMAGE_MAX_CHARS
    ? block
    : { type: "text", text: "[An image, too large to be shown here]" }
}

/** `details` contain nothing from a server: programs read them without boundaries. */
const toHost = ({ content, details, isError }: ToolResult, maxChars: number): HostToolResult => ({
  content: content.map((block) => fitting(block, maxChars)),
  details: {
    ...(isError && { status: "error" }),
    ...("error" in details && { error: details.error.tag }),
    findings: (details.findings ?? []).map(({ count, kind }) => ({ kind, count }))
  }
})

export const open = async (settings: Settings, logger: HostLogger): Promise<Running> => {
  const log = Log.layer(({ level, message, server }) => {
    const line = server === undefined ? message : `[${server}] ${message}`
    if (level === "debug") logger.debug?.(line)
    else logger[level](line)
  })
  // Both parts share a redactor, so each masks the values that the other knows.
  const memoMap = Layer.makeMemoMapUnsafe()
  const { dataDirectory, maxResultChars: maxChars } = settings
  const native = ManagedRuntime.make(Layer.provideMerge(NativeLive({ dataDirectory, maxChars }), log), { memoMap })
  const live = ManagedRuntime.make(
    Layer.provideMerge(
      McpLive({ dataDirectory, replace: { config: configSource(settings, process.env, homedir()) } }),
      log
    ),
    { memoMap }
  )
  const scope = Scope.makeUnsafe("parallel")
  const agents = makeAgents(scope)

  let known: unknown
  const know = (config: unknown) =>
    Redactor.use(({ register }) => Effect.sync(() => nativeCredentials(config).forEach((value) => register(value))))

  /** Logged once; a model only learns that there are no servers. */
  let told = false
  const tellConfig = (error: ConfigError) => {
    if (!told) logger.error(`mcp-live: the configuration cannot be used:\n${error.message}`)
    told = true
    return sayError("This agent has no MCP servers: their configuration has errors. The gateway's log names them.")
  }

  const unusable = (cause: Cause.Cause<ConfigError | UnknownAgent>): HostToolResult => {
    const failed = cause.reasons.find(Cause.isFailReason)?.error
    if (failed instanceof UnknownAgent) return sayError("This agent has no MCP servers.")
    if (failed !== undefined) return tellConfig(failed)
    if (Cause.hasInterruptsOnly(cause)) return sayError("The call was cancelled.")
    logger.error(`mcp-live: ${Cause.pretty(cause)}`)
    return sayError(BROKEN)
  }

  /** Runs in the background. */
  const start = (effect: Effect.Effect<unknown, ConfigError, AgentRuntimes>) =>
    live.runCallback(effect, {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) unusable(exit.cause)
      }
    })

  const follow = (runtime: McpRuntimeShape, params: unknown, { onUpdate, refuses }: CallContext) => {
    const order = orderOf(params, { room: maxChars - OPENCLAW_WRAP_CHARS, refuses })
    switch (order._tag) {
      case "Wrong":
        return Effect.succeed(sayError(`The call was not made: ${order.why}.`))
      case "Status":
        return Effect.map(runtime.status, (servers): HostToolResult => ({
          content: [{ type: "text", text: renderStatus(servers) }],
          details: {}
        }))
      case "Call": {
        const onProgress = ({
          message,
          progress,
          total
        }: {
          message: string | undefined
          progress: number
          total: number | undefined
        }) => {
          const text = message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)
          onUpdate?.({ content: [{ type: "text", text }], details: {} })
        }
        return Effect.map(runtime.call(order.name, order.args, { onProgress }), (result) => toHost(result, maxChars))
      }
    }
  }

  return {
    guard: async (call, content, config) => {
      if (config !== known) await native.runPromise(know(config))
      known = config
      const result = await native.runPromise(NativeResults.use(({ guard }) => guard(call, content)))
      return toHost(result, maxChars)
    },
    failed: (call) => native.runPromise(NativeResults.use(({ failed }) => failed(call))),
    use: async (agent, params, call) => {
      // Without an agent there is no default: the caller is unknown.
      if (agent === undefined) return sayError("There are no MCP servers without an agent.")
      const used = Effect.flatMap(agents.runtimeOf(agent), (runtime) => follow(runtime, params, call))
      const exit = await live.runPromiseExit(used, { signal: call.signal })
      return Exit.isSuccess(exit) ? exit.value : unusable(exit.cause)
    },
    agents: agents.ids,
    offer: (agent) => {
      if (!agents.isFollowed(agent)) start(agents.follow(agent))
      return agents.offer(agent)
    },
    context: async (agent) => {
      const exit = await live.runPromiseExit(
        // A context itself starts no server, and waits for none.
        Effect.flatMap(agents.runtimeOf(agent), ({ resourceContext, tools }) => Effect.andThen(tools, resourceContext))
      )
      if (Exit.isSuccess(exit)) return exit.value
      unusable(exit.cause)
      return ""
    },
    everything: () => live.runPromise(agents.everything),
    connection: async (server) => {
      const given = settings.connections[server]
      if (given === undefined) return null
      const { headers = {}, url } = given
      const owner = ownerOf(serverConfig(server, { kind: "http", url, headers }))
      const value = (text: string) =>
        SecretResolver.use(({ resolve }) => Effect.map(resolve(owner, text), Redacted.value))
      const exit = await live.runPromiseExit(
        Effect.all({
          url: value(url),
          headers: Effect.forEach(Object.entries(headers), ([name, text]) =>
            Effect.map(value(text), (resolved) => [name, resolved] as const)
          )
        })
      )
      if (Exit.isFailure(exit)) {
        const failed = exit.cause.reasons.find(Cause.isFailReason)?.error
        logger.error(
          `mcp-live: [${server}] is left out: ${failed === undefined ? "something went wrong" : failed.message}`
        )
        return null
      }
      return { url: exit.value.url, headers: Object.fromEntries(exit.value.headers) }
    },
    warm: (all) => {
      if (hasServers(settings)) start(all ? Effect.andThen(agents.begin, agents.followAll) : agents.begin)
    },
    close: async () => {
      await Promise.all([Effect.runPromise(Scope.close(scope, Exit.void)), live.dispose(), native.dispose()])
    }
  }
}
