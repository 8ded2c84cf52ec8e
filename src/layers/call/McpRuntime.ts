/** The runtime of one agent: puts together its servers, what they offer, and the stages of a call (`call.ts`). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { FIRST_LIST_WAIT_MS } from "../../schemas/defaults/Connections.ts"
import type { AgentConfig } from "../../schemas/config/GatewayConfig.ts"
import { isOwn } from "../../schemas/connection/Isolation.ts"
import type { NamingStyle } from "../../schemas/call/Names.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import { Approvals } from "../../services/call/Approvals.ts"
import { AuditLog } from "../../services/call/AuditLog.ts"
import { CallLimiter } from "../../services/call/CallLimiter.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { DefinitionLedger } from "../../services/call/DefinitionLedger.ts"
import { McpRuntime } from "../../services/call/McpRuntime.ts"
import { PromptBridge } from "../../services/content/PromptBridge.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { ResourceBridge } from "../../services/content/ResourceBridge.ts"
import { ResultStore } from "../../services/call/ResultStore.ts"
import { SecretResolver } from "../../services/secret/SecretResolver.ts"
import { ServerPool, type Places } from "../../services/connection/ServerPool.ts"
import { ToolBridge } from "../../services/call/ToolBridge.ts"
import { ToolPolicy } from "../../services/call/ToolPolicy.ts"
import { toAgentServer } from "./McpRuntime/AgentServer.ts"
import { makeCall } from "./McpRuntime/call.ts"
import { makeCatalog, type View } from "./McpRuntime/catalog.ts"
import { makeReport } from "./McpRuntime/definitions.ts"
import { warnOfIdleFilters } from "./McpRuntime/idleFilters.ts"
import { knowEarly } from "./McpRuntime/knownEarly.ts"
import { makePrepared } from "./McpRuntime/prepared.ts"
import { makePrompts } from "./McpRuntime/prompts.ts"
import { makeReadMore } from "./McpRuntime/readMore.ts"
import { makeTellRefusal } from "./McpRuntime/refusals.ts"
import { makeResources } from "./McpRuntime/resources.ts"
import { makeGuard } from "./McpRuntime/secretArguments.ts"
import { statusesOf } from "./McpRuntime/status.ts"
import { makeToolIndex } from "./McpRuntime/toolIndex.ts"

/** The agent, and how its tools are listed. */
export interface Options {
  readonly agent: AgentConfig
  readonly naming: NamingStyle
  /** The tools stay as they were in the first list, for clients that cannot tell a model about new ones. */
  readonly freezeTools?: boolean | undefined
  /** Whether `mcp_read_more` and the resource tools are listed. Default: true. */
  readonly runtimeTools?: boolean | undefined
  /** How long the first list waits for servers that are starting, in milliseconds. Default and maximum: two seconds. */
  readonly firstWaitMs?: number | undefined
  /** Each server that belongs to one client takes one of these places. */
  readonly places?: Places | undefined
}

const make = Effect.fnUntraced(function* (options: Options) {
  const { agent, firstWaitMs = FIRST_LIST_WAIT_MS, freezeTools = false, naming, places, runtimeTools = true } = options
  const pool = yield* ServerPool
  const policy = yield* ToolPolicy
  const ledger = yield* DefinitionLedger
  const limiter = yield* CallLimiter
  const bridge = yield* ToolBridge
  const audit = yield* AuditLog
  const store = yield* ResultStore
  const sanitizer = yield* ContentSanitizer
  const traced = (yield* Tracer.Tracer) !== Tracer.nativeTracer
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock

  // In the background, because a file may be slow.
  yield* Effect.forkIn(knowEarly(yield* SecretResolver, agent.servers), scope)

  // Released in parallel: stopping one server may take seconds, and twenty must not take twenty times as long.
  const leases = yield* Scope.fork(scope, "parallel")
  const servers = yield* Effect.forEach(
    agent.servers,
    (config) =>
      pool.lease(config, isOwn(config) ? places : undefined).pipe(
        Scope.provide(leases),
        Effect.map((supervised) => toAgentServer(agent, config, supervised))
      ),
    { concurrency: "unbounded" }
  )
  yield* Effect.forkIn(warnOfIdleFilters(servers), scope)
  const byName = new Map(servers.map((server) => [server.config.name, server]))
  const redactor = yield* Redactor
  const guard = makeGuard(redactor, yield* makeTellRefusal)
  const prepared = makePrepared(servers, redactor)
  const parts = { naming, servers, sanitizer, guard, secrets: prepared.version, report: yield* makeReport(audit) }
  const resources = yield* makeResources({ ...parts, bridge: yield* ResourceBridge, toolBridge: bridge })
  const prompts = makePrompts({ ...parts, bridge: yield* PromptBridge })
  const contentOf = (server: string) => byName.get(server)?.config.content
  const catalog = yield* makeCatalog({
    ...parts,
    agent,
    policy,
    ledger,
    bridge,
    ofServers: runtimeTools ? resources.ownTools : () => [],
    companions: runtimeTools ? [makeReadMore({ store, sanitizer })] : [],
    index: makeToolIndex({ bridge, contentOf }),
    firstWaitMs
  })
  const { firstListing, ready, shown, view } = catalog
  const listed = Effect.andThen(firstListing, prepared.upToDate)
  const call = makeCall({
    agent: agent.id,
    catalog,
    clock,
    policy,
    approvals: yield* Approvals,
    limiter,
    bridge,
    audit,
    sanitizer,
    guard,
    listed,
    contentOf
  })

  let frozen: ReadonlyArray<AgentTool> | undefined

  /**
   * A status must not trigger the first review: of servers that start together, the slower one would then be reported as
   * imitating the other.
   */
  let looked = false
  const look = (): View => {
    looked = true
    return view()
  }

  return McpRuntime.of({
    agent: agent.id,
    tools: Effect.map(listed, () => (freezeTools ? (frozen ??= look().tools) : look().tools)),
    allTools: Effect.map(prepared.upToDate, () => look().all),
    call: traced
      ? (name, args, options) =>
          Effect.withSpan(call(name, args, options), "McpRuntime.call", { attributes: { tool: shown(name) } })
      : call,
    status: Effect.map(Clock.currentTimeMillis, (now) =>
      statusesOf(servers, looked ? view() : undefined, { policy, limiter, now })
    ),
    changes: Stream.suspend(() =>
      Stream.mergeAll(
        [
          Stream.map(ledger.changes, () => undefined),
          ...servers.map(({ supervised }) => Stream.map(supervised.changes, () => undefined))
        ],
        { concurrency: "unbounded" }
      )
    ),
    ready,
    refresh: Effect.forEach(servers, ({ supervised }) => supervised.refresh, {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.withSpan("McpRuntime.refresh")),
    resources: Effect.andThen(listed, resources.resources),
    resourceTemplates: Effect.andThen(listed, resources.resourceTemplates),
    readResource: resources.readResource,
    resourceContext: resources.resourceContext,
    resourceUpdates: resources.resourceUpdates,
    prompts: Effect.andThen(listed, prompts.prompts),
    getPrompt: prompts.getPrompt,
    complete: prompts.complete,
    reset: Effect.fn("McpRuntime.reset")(function* (name: string) {
      const server = byName.get(name)
      if (server === undefined) return false
      limiter.forgive(server.caller.process)
      yield* server.supervised.reset
      return true
    }),
    stop: Effect.fn("McpRuntime.stop")(function* (name: string) {
      const server = byName.get(name)
      if (server === undefined) return false
      yield* server.supervised.stop
      return true
    })
  })
})

/** The runtime of one agent over the services that it needs. `McpLive` composes all of them. */
export const layer = (
  options: Options
): Layer.Layer<
  McpRuntime,
  never,
  | ServerPool
  | ToolPolicy
  | DefinitionLedger
  | Approvals
  | CallLimiter
  | ToolBridge
  | AuditLog
  | ResourceBridge
  | PromptBridge
  | ResultStore
  | ContentSanitizer
  | Redactor
  | SecretResolver
> => Layer.effect(McpRuntime, make(options))
