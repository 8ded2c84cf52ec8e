/** A running `McpRuntime` behind promises; its list of tools follows its servers until it is closed. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import * as ToolPolicyLayer from "../../layers/call/ToolPolicy.ts"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import { CALL_TOOL } from "../../schemas/call/RuntimeTools.ts"
import type { AgentPrompt, Completion, PromptResult } from "../../schemas/content/Prompt.ts"
import type { AgentResource, AgentResourceTemplate, ResourceReading } from "../../schemas/content/Resource.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import type { UnknownAgent } from "../../schemas/call/UnknownAgent.ts"
import { McpRuntime, type McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { ToolPolicy } from "../../services/call/ToolPolicy.ts"
import { attempt } from "./callbacks.ts"
import * as Log from "./log.ts"
import { ProviderClosed } from "./ProviderClosed.ts"
import { listedTools, type ToolRegistry } from "./registry.ts"
import { type CompletionInput, type CompletionSubject, readCompletion, readPromptCall, readUri } from "./requests.ts"
import { closedStatus, toStatus, type MCPServerState, type MCPServerStatus } from "./status.ts"
import { type Call, type Tool, toTool } from "./Tool.ts"

/** Listeners and time limits of `MCPToolProvider`. All are optional. */
export interface ProviderOptions {
  /** Called after the tools of a server have changed and the registry has been updated; not for the tools at the start. */
  readonly onToolsChanged?: ((serverId: string) => unknown) | undefined
  /** Aborting it closes everything, even during the start. */
  readonly signal?: AbortSignal | undefined
  /** Log records from level `info` on. Without it nothing is printed. */
  readonly onLog?: ((record: Log.LogRecord) => unknown) | undefined
  /**
   * Milliseconds to wait for servers at the start; tools that come later arrive as a change. Default: wait until each server
   * is connected or has failed, within its own `timeout`.
   */
  readonly waitMs?: number | undefined
  /** Globs like those of `deny`. If any tool is for the owner only, `mcp_call_tool` is, too. */
  readonly ownerOnly: ReadonlyArray<string>
}

/** The methods of a provider. Its promises reject with the errors of `McpError`, and after `close` with `ProviderClosed`. */
interface Provider extends AsyncDisposable {
  /**
   * The tools that the agent may use now. If the configuration has a `toolIndex` and there are more tools than its threshold,
   * search tools stand in their place. A tool stays the same object as long as its definition does not change.
   */
  readonly tools: () => ReadonlyArray<Tool>
  /** Every tool that can be called, listed or found by a search. */
  readonly allTools: () => Promise<ReadonlyArray<Tool>>
  /** Reads all lists again. When it resolves, `tools()`, the registry and `onToolsChanged` are up to date. */
  readonly refresh: () => Promise<void>
  /** Whether the tools of each server can be called. */
  readonly status: () => Readonly<Record<string, MCPServerState>>
  /** The state of each server, the reason, and its connection. */
  readonly statusDetails: () => Readonly<Record<string, MCPServerStatus>>
  /** The resources of the servers. */
  readonly resources: () => Promise<ReadonlyArray<AgentResource>>
  /** URI templates of the servers' resources. */
  readonly resourceTemplates: () => Promise<ReadonlyArray<AgentResourceTemplate>>
  /** Reads a resource. Without `server`, asks the server that lists the URI. */
  readonly readResource: (uri: string, server?: string) => Promise<ResourceReading>
  /** The resources of all servers as one block for the agent's context, between boundaries; empty when there are none. */
  readonly resourceContext: () => Promise<string>
  /** The prompts of the servers. */
  readonly prompts: () => Promise<ReadonlyArray<AgentPrompt>>
  /** Gets a prompt with these arguments. */
  readonly getPrompt: (name: string, args?: Readonly<Record<string, string>>) => Promise<PromptResult>
  /** Suggestions for an argument of a prompt or a variable of a resource template. */
  readonly complete: (ref: CompletionSubject, argument: CompletionInput) => Promise<Completion>
  /** Cancels running calls and stops every server; resolves when none of their processes is left. You may call it again. */
  readonly close: () => Promise<void>
}

// oxlint-disable typescript/no-unsafe-declaration-merging -- the constructor gives it every member
/** The tools of the servers of a configuration. `loadMCPServers` makes it; close it when you are done. */
export interface MCPToolProvider extends Provider {}
export class MCPToolProvider {
  /** Only for `loadMCPServers`. */
  constructor(members: Provider) {
    Object.assign(this, members)
  }
}
// oxlint-enable typescript/no-unsafe-declaration-merging

type StartError = ConfigError | UnknownAgent
type Live = Layer.Layer<McpRuntime, StartError>

/** This tool can call all others. */
const callsAll = ({ name, server }: AgentTool) => server === "mcp" && name === CALL_TOOL

/**
 * Owner-only are the tools that their server calls destructive, and those that match a glob, by the same rules as `deny`, so
 * that both match the same spellings.
 */
const makeIsOwnerOnly = (globs: ReadonlyArray<string>) => {
  // It is a pure layer, and the provider is made by plain code.
  const policy = Effect.runSync(Effect.provide(ToolPolicy, ToolPolicyLayer.layer))
  const rules = [{ allow: undefined, deny: globs }]
  return (tool: AgentTool): boolean =>
    tool.annotations?.destructiveHint === true ||
    !policy.decide(rules, { exposed: tool.name, server: tool.server, tool: tool.tool }).allowed
}

export const openProvider = async (
  live: Live,
  registry: ToolRegistry | undefined,
  options: ProviderOptions
): Promise<MCPToolProvider> => {
  const { onToolsChanged, ownerOnly, signal, waitMs } = options
  signal?.throwIfAborted()
  const log = Log.layer(options.onLog)
  const runtime = ManagedRuntime.make(Layer.provideMerge(live, log))
  let closing: Promise<void> | undefined

  const isClosed = () => closing !== undefined

  /** Closing interrupts what is running, and nothing runs after it. */
  const orReject = async <A, E>(use: (mcp: McpRuntimeShape) => Effect.Effect<A, E>): Promise<A> => {
    const exit = await runtime.runPromiseExit(McpRuntime.use(use))
    if (Exit.isSuccess(exit)) return exit.value
    throw isClosed() ? new ProviderClosed() : Cause.squash(exit.cause)
  }

  // ---- the tools ---------------------------------------------------------------------------------------------------

  const call: Call = async (name, params, abort, onProgress) => {
    // A value that is not an object gives an error result, like every other wrong call.
    const args = params as Readonly<Record<string, unknown>>
    const called = McpRuntime.use((mcp) => mcp.call(name, args, { onProgress }))
    const exit = await runtime.runPromiseExit(called, { signal: abort })
    return Exit.isSuccess(exit) ? exit.value : undefined
  }

  const isNamedOwnerOnly = makeIsOwnerOnly(ownerOnly)
  let anyOwnerOnly = ownerOnly.length > 0
  const isOwnerOnly = (tool: AgentTool) => isNamedOwnerOnly(tool) || (anyOwnerOnly && callsAll(tool))
  const listed = listedTools(registry, isOwnerOnly, (tool, owned) => toTool(tool, { call, isClosed, ownerOnly: owned }))

  const takeOver = Effect.fnUntraced(function* (mcp: McpRuntimeShape) {
    const tools = yield* mcp.tools
    // The tool search can lead to owner-only tools.
    anyOwnerOnly = ownerOnly.length > 0 || (yield* mcp.allTools).some(isNamedOwnerOnly)
    return yield* listed.follow(tools)
  })

  const firstListing = Effect.fnUntraced(function* (mcp: McpRuntimeShape) {
    const settled = Effect.andThen(mcp.tools, mcp.ready)
    yield* waitMs === undefined ? settled : Effect.timeoutOption(settled, waitMs)
    yield* takeOver(mcp)
  })

  const follow = Effect.fnUntraced(function* (mcp: McpRuntimeShape) {
    const changed = yield* takeOver(mcp)
    for (const server of changed) {
      // The listener is called before anything else happens, but not waited for.
      const told = attempt(`[${server}] onToolsChanged`, () => onToolsChanged?.(server))
      yield* Effect.forkDetach(told, { startImmediately: true })
    }
  })

  // ---- start and end --------------------------------------------------------------------------------------------------

  const presentStatus = () => mapValues(runtime.runSync(McpRuntime.use((mcp) => mcp.status)), toStatus)
  let isLoaded = false
  let lastStatus: Readonly<Record<string, MCPServerStatus>> = {}

  const stop = async (): Promise<void> => {
    signal?.removeEventListener("abort", close)
    if (isLoaded) lastStatus = mapValues(presentStatus(), closedStatus)
    await runtime.dispose()
    await Effect.runPromise(Effect.provide(listed.clear, log))
  }
  const close = (): Promise<void> => (closing ??= stop())

  try {
    await runtime.runPromise(McpRuntime.use(firstListing), { signal })
    signal?.throwIfAborted()
  } catch (error) {
    await close()
    signal?.throwIfAborted()
    throw error
  }
  isLoaded = true
  signal?.addEventListener("abort", close, { once: true })
  runtime.runFork(McpRuntime.use((mcp) => Stream.runForEach(mcp.changes, () => follow(mcp))))

  const details = () => (isClosed() ? lastStatus : presentStatus())

  return new MCPToolProvider({
    tools: listed.current,
    allTools: () => orReject((mcp) => Effect.map(mcp.allTools, listed.toTools)),
    refresh: () => orReject((mcp) => Effect.andThen(mcp.refresh, follow(mcp))),
    status: () => mapValues(details(), ({ state }) => state),
    statusDetails: details,
    resources: () => orReject((mcp) => mcp.resources),
    resourceTemplates: () => orReject((mcp) => mcp.resourceTemplates),
    readResource: (uri, server) =>
      orReject((mcp) => Effect.flatMap(readUri(uri, server), (read) => mcp.readResource(...read))),
    resourceContext: () => orReject((mcp) => mcp.resourceContext),
    prompts: () => orReject((mcp) => mcp.prompts),
    getPrompt: (name, args) =>
      orReject((mcp) => Effect.flatMap(readPromptCall(name, args), (read) => mcp.getPrompt(...read))),
    complete: (ref, argument) =>
      orReject((mcp) => Effect.flatMap(readCompletion(ref, argument), (read) => mcp.complete(...read))),
    close,
    [Symbol.asyncDispose]: close
  })
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, f: (value: A) => B): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, f(value)]))
