/** The runtime of one agent: puts together its servers, what they offer, and the stages of a call (`call.ts`). */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { FIRST_LIST_WAIT_MS } from "../../schemas/defaults/Connections.ts"
import type { AgentConfig } from "../../schemas/config/GatewayConfig.ts"
import type { Caller } from "../../schemas/call/Caller.ts"
import { isOwn } from "../../schemas/connection/Isolation.ts"
import type { NamingStyle } from "../../schemas/call/Names.ts"
import { callSpan } from "../../schemas/telemetry/Calls.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import { Approvals } from "../../services/call/Approvals.ts"
import { AuditLog } from "../../services/call/AuditLog.ts"
import { CallJournal } from "../../services/call/CallJournal.ts"
import { CallQuotas } from "../../services/call/CallQuotas.ts"
import { CallerRules } from "../../services/call/CallerRules.ts"
import { CallLimiter } from "../../services/call/CallLimiter.ts"
import type { FollowAgent } from "../../services/config/LiveConfig.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { DefinitionLedger } from "../../services/call/DefinitionLedger.ts"
import { CallersRuntime, McpRuntime, type McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { PromptBridge } from "../../services/content/PromptBridge.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { ResourceBridge } from "../../services/content/ResourceBridge.ts"
import { ResultStore } from "../../services/call/ResultStore.ts"
import { SecretResolver } from "../../services/secret/SecretResolver.ts"
import { ServerPool, type Places } from "../../services/connection/ServerPool.ts"
import { ToolBridge } from "../../services/call/ToolBridge.ts"
import { Telemetry } from "../../services/telemetry/Telemetry.ts"
import { ToolPolicy } from "../../services/call/ToolPolicy.ts"
import { makeAdmit } from "./McpRuntime/admit.ts"
import { makeCall } from "./McpRuntime/call.ts"
import { makeCatalog, type Catalog, type View } from "./McpRuntime/catalog.ts"
import { makeReport } from "./McpRuntime/definitions.ts"
import { warnOfIdleFilters } from "./McpRuntime/idleFilters.ts"
import { knowEarly } from "./McpRuntime/knownEarly.ts"
import { makePrepared } from "./McpRuntime/prepared.ts"
import { makePrompts } from "./McpRuntime/prompts.ts"
import { makeIsReadable } from "./McpRuntime/readable.ts"
import { makeReadMore } from "./McpRuntime/readMore.ts"
import { makeSeenBy } from "./McpRuntime/seenBy.ts"
import { makeTellRefusal } from "./McpRuntime/refusals.ts"
import { makePlan } from "./McpRuntime/plan.ts"
import { makeResources } from "./McpRuntime/resources.ts"
import { makeGuard } from "./McpRuntime/secretArguments.ts"
import { makeServers } from "./McpRuntime/servers.ts"
import { makeStandings } from "./McpRuntime/standing.ts"
import { statusesOf } from "./McpRuntime/status.ts"
import { makeToolIndex } from "./McpRuntime/toolIndex.ts"

/** The agent, and how its tools are listed. */
export interface Options {
  readonly agent: AgentConfig
  /** Whose calls they are that name nobody themselves. */
  readonly caller?: Caller | undefined
  readonly naming: NamingStyle
  /** The tools stay as they were in the first list, for clients that cannot tell a model about new ones. */
  readonly freezeTools?: boolean | undefined
  /** Whether `mcp_read_more` and the resource tools are listed. Default: true. */
  readonly runtimeTools?: boolean | undefined
  /** How long the first list waits for servers that are starting, in milliseconds. Default and maximum: two seconds. */
  readonly firstWaitMs?: number | undefined
  /** Each server that belongs to one client takes one of these places. */
  readonly places?: Places | undefined
  /** Tells of each new configuration of the agent. Without it, the agent stays as it is. */
  readonly follow?: FollowAgent | undefined
}

const make = Effect.fnUntraced(function* (options: Options) {
  const {
    agent,
    caller,
    firstWaitMs = FIRST_LIST_WAIT_MS,
    freezeTools = false,
    naming,
    places,
    runtimeTools = true
  } = options
  const { follow = () => Effect.void } = options
  const pool = yield* ServerPool
  const policy = yield* ToolPolicy
  const ledger = yield* DefinitionLedger
  const limiter = yield* CallLimiter
  const bridge = yield* ToolBridge
  const audit = yield* AuditLog
  const store = yield* ResultStore
  const sanitizer = yield* ContentSanitizer
  const telemetry = yield* Telemetry
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock

  const secrets = yield* SecretResolver
  // In the background, because a file may be slow.
  yield* Effect.forkIn(knowEarly(secrets, agent.servers), scope)

  const servers = yield* makeServers(agent, (config, { after }) =>
    pool.lease(config, { after, places: isOwn(config) ? places : undefined })
  )
  yield* Effect.forkIn(warnOfIdleFilters(servers.all()), scope)
  const redactor = yield* Redactor
  const guard = makeGuard(redactor, yield* makeTellRefusal)
  const prepared = makePrepared(servers.all, redactor)
  const report = yield* makeReport(audit)
  const admit = makeAdmit(limiter, yield* CallQuotas)
  const ruling = yield* CallerRules
  const standings = makeStandings(policy, ruling)
  const parts = { naming, servers: servers.all, sanitizer, guard, admit, standings, secrets: prepared.version, report }
  const resources = yield* makeResources({
    ...parts,
    serverChanges: servers.changes,
    bridge: yield* ResourceBridge,
    toolBridge: bridge
  })
  const prompts = makePrompts({ ...parts, bridge: yield* PromptBridge })
  const contentOf = (server: string) => servers.named(server)?.config.content
  const isReadable = makeIsReadable(standings, () => catalog.view())
  const catalog: Catalog = yield* makeCatalog({
    ...parts,
    servers,
    policy,
    ledger,
    bridge,
    ofServers: runtimeTools ? resources.ownTools : () => [],
    companions: runtimeTools ? [makeReadMore({ store, sanitizer, isReadable })] : [],
    index: makeToolIndex({ bridge, contentOf }),
    firstWaitMs
  })
  const { firstListing, ready, shown, view } = catalog
  /** A server of their own is not started for somebody whom the rules show nothing of it. */
  const listedFor = (caller: Caller | undefined) =>
    Effect.andThen(
      firstListing((server) => standings.unstarted(caller, server) === undefined),
      prepared.upToDate
    )
  const listed = listedFor(undefined)
  const call = makeCall({
    agent: agent.id,
    caller,
    catalog,
    clock,
    standings,
    approvals: yield* Approvals,
    admit,
    bridge,
    audit,
    sanitizer,
    guard,
    listedFor,
    contentOf,
    telemetry,
    journal: yield* CallJournal
  })

  yield* follow((next) =>
    Effect.forkIn(knowEarly(secrets, next.servers), scope).pipe(
      Effect.andThen(servers.apply(next)),
      Effect.flatMap((fresh) => Effect.forkIn(warnOfIdleFilters(fresh), scope)),
      Effect.asVoid
    )
  )

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

  const lists = {
    resources: resources.resources,
    resourceTemplates: resources.resourceTemplates,
    prompts: prompts.prompts
  }
  const whole: McpRuntimeShape = {
    agent: agent.id,
    tools: Effect.map(listed, () => (freezeTools ? (frozen ??= look().tools) : look().tools)),
    allTools: Effect.map(prepared.upToDate, () => look().all),
    call: (name, args, options) => {
      const { current } = telemetry
      if (current === undefined) return call(name, args, options)
      const { person } = (current.people === true ? (options?.caller ?? caller) : undefined) ?? {}
      return current.during(callSpan(shown(name), agent.id, person), call(name, args, options))
    },
    status: Effect.map(Clock.currentTimeMillis, (now) =>
      statusesOf(servers.all(), looked ? view() : undefined, { policy, limiter, now })
    ),
    changes: Stream.suspend(() =>
      Stream.mergeAll(
        [
          Stream.map(ledger.changes, () => undefined),
          Stream.switchMap(servers.changes, (present) =>
            Stream.mergeAll(
              // Also told when the last server is gone.
              [
                Stream.make(undefined),
                ...present.map(({ supervised }) => Stream.map(supervised.changes, () => undefined))
              ],
              { concurrency: "unbounded" }
            )
          )
        ],
        { concurrency: "unbounded" }
      )
    ),
    ready,
    refresh: Effect.forEach(servers.all(), ({ supervised }) => supervised.refresh, {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.withSpan("McpRuntime.refresh")),
    resources: Effect.andThen(listed, lists.resources),
    resourceTemplates: Effect.andThen(listed, lists.resourceTemplates),
    readResource: resources.readResource,
    resourceContext: resources.resourceContext,
    resourceUpdates: resources.resourceUpdates,
    prompts: Effect.andThen(listed, lists.prompts),
    getPrompt: prompts.getPrompt,
    complete: prompts.complete,
    reset: Effect.fn("McpRuntime.reset")(function* (name: string) {
      const server = servers.named(name)
      if (server === undefined) return false
      limiter.forgive(server.caller.process)
      yield* server.supervised.reset
      return true
    }),
    plan: makePlan({ agent: agent.id, catalog, servers, policy, standings, upToDate: prepared.upToDate }),
    inspect: (name) =>
      Effect.sync(() => {
        const server = servers.named(name)
        return server && { config: server.config, snapshot: server.supervised.snapshot() }
      }),
    stop: Effect.fn("McpRuntime.stop")(function* (name: string) {
      const server = servers.named(name)
      if (server === undefined) return false
      yield* server.supervised.stop
      return true
    })
  }
  const forCallers = { ...whole, as: makeSeenBy({ whole, lists, catalog, standings, listedFor, ruling }) }
  return Context.make(McpRuntime, forCallers).pipe(Context.add(CallersRuntime, forCallers))
})

/** The runtime of one agent over the services that it needs. `McpLive` composes all of them. */
export const layer = (
  options: Options
): Layer.Layer<
  McpRuntime | CallersRuntime,
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
> => Layer.effectContext(make(options))
