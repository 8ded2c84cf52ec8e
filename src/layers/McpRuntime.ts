/** The runtime of one agent: its servers, what they offer it, and the way of a call (`pipeline.ts`), put together. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { CALL_MAX_MS, FIRST_LIST_WAIT_MS } from "../schemas/defaults/Connections.ts"
import type { AgentConfig } from "../schemas/GatewayConfig.ts"
import { isOwn, processOf } from "../schemas/Isolation.ts"
import { ToolNotFound } from "../schemas/McpError.ts"
import { namePrefix, nearest, type NamingStyle } from "../schemas/Names.ts"
import { inLine } from "../schemas/ServerText.ts"
import type { AgentTool } from "../schemas/Tool.ts"
import { Approvals } from "../services/Approvals.ts"
import { AuditLog } from "../services/AuditLog.ts"
import { CallLimiter } from "../services/CallLimiter.ts"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { DefinitionLedger } from "../services/DefinitionLedger.ts"
import { McpRuntime } from "../services/McpRuntime.ts"
import { PromptBridge } from "../services/PromptBridge.ts"
import { Redactor } from "../services/Redactor.ts"
import { ResourceBridge } from "../services/ResourceBridge.ts"
import { ResultStore } from "../services/ResultStore.ts"
import { SecretResolver } from "../services/SecretResolver.ts"
import { ServerPool, type Places } from "../services/ServerPool.ts"
import { ToolBridge } from "../services/ToolBridge.ts"
import { ToolPolicy } from "../services/ToolPolicy.ts"
import { makeReport } from "./McpRuntime/definitions.ts"
import { warnOfIdleFilters } from "./McpRuntime/idleFilters.ts"
import { knowEarly } from "./McpRuntime/knownEarly.ts"
import { bringUp } from "./McpRuntime/late.ts"
import { makeCall } from "./McpRuntime/pipeline.ts"
import { makePrompts } from "./McpRuntime/prompts.ts"
import { makeReadMore } from "./McpRuntime/readMore.ts"
import { makeTellRefusal } from "./McpRuntime/refusals.ts"
import { makeResources } from "./McpRuntime/resources.ts"
import { makeGuard } from "./McpRuntime/secretArguments.ts"
import { statusesOf } from "./McpRuntime/status.ts"
import { makeToolIndex } from "./McpRuntime/toolIndex.ts"
import { filterRules, makeDecideBuiltin, makeView, type AgentServer, type View } from "./McpRuntime/view.ts"

export interface Options {
  readonly agent: AgentConfig
  readonly naming: NamingStyle
  /** The tools stay what they are at the first listing, for fronts that cannot tell a model of new ones. */
  readonly freezeTools?: boolean | undefined
  /** Whether `mcp_read_more` and tools for resources are listed beside those of servers; they are when left out. */
  readonly runtimeTools?: boolean | undefined
  /** Milliseconds for which the first listing waits for servers on their way; two seconds when left out, and at most. */
  readonly firstWaitMs?: number | undefined
  /** Of those, its servers of one client alone take one each. */
  readonly places?: Places | undefined
}

/** Of a name that is written down: short enough for a log. */
const NAME_CHARS = 128
/** Progress is asked for even when nobody listens: it shows that a silent call is alive. */
const ignoreProgress = () => {}

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

  // Nobody waits for it: a file may be slow.
  yield* Effect.forkIn(knowEarly(yield* SecretResolver, agent.servers), scope)

  // Servers are let go together: stopping one may take seconds, stopping twenty must not take twenty times as long.
  const leases = yield* Scope.fork(scope, "parallel")
  const servers = yield* Effect.forEach(
    agent.servers,
    (config) =>
      pool.lease(config, isOwn(config) ? places : undefined).pipe(
        Scope.provide(leases),
        Effect.map((supervised): AgentServer => ({
          config,
          supervised,
          rules: [...agent.rules, ...filterRules(config)],
          requestOptions: {
            idleMs: config.toolTimeout,
            totalMs: Math.max(CALL_MAX_MS, config.toolTimeout),
            onProgress: ignoreProgress
          },
          caller: { agent: agent.id, server: config.name, process: processOf(config), limits: config.limits }
        }))
      ),
    { concurrency: "unbounded" }
  )
  yield* Effect.forkIn(warnOfIdleFilters(servers), scope)
  const byName = new Map(servers.map((server) => [server.config.name, server]))
  const guard = makeGuard(yield* Redactor, yield* makeTellRefusal)
  const parts = { naming, servers, sanitizer, guard, report: yield* makeReport(audit) }
  const resources = yield* makeResources({ ...parts, bridge: yield* ResourceBridge, toolBridge: bridge })
  const prompts = makePrompts({ ...parts, bridge: yield* PromptBridge })
  const decideBuiltin = makeDecideBuiltin(policy, agent, servers)
  const view: () => View = makeView({
    ...parts,
    agent,
    policy,
    ledger,
    bridge,
    decideBuiltin,
    ofServers: runtimeTools ? resources.builtins : () => [],
    companions: runtimeTools ? [makeReadMore({ store, sanitizer })] : [],
    index: makeToolIndex({
      bridge,
      contentOf: (server) => byName.get(server)?.config.content,
      tools: () => view().searched,
      call: (name, args, options) => call(name, args, options)
    })
  })

  /** A name from a model, which may be anything, and may be what a server told it to say. */
  const shown = (name: unknown): string =>
    typeof name === "string" ? inLine(name, sanitizer.label, NAME_CHARS) : `(${typeof name})`

  // ---- servers on their way ----------------------------------------------------------------------------------------

  const unknown = ({ supervised }: Pick<AgentServer, "supervised">) => supervised.snapshot().catalogue === undefined

  /** A sleeping server whose tools nobody has seen yet cannot be called by anybody: it is started to be listed. */
  const wakeUnknown = Effect.suspend(() =>
    Effect.forEach(servers.filter(unknown), ({ supervised }) => supervised.wake, { discard: true })
  )

  /** One after the other is as fast as all together: nothing is started by it. */
  const allSettled = (some: ReadonlyArray<AgentServer>) =>
    Effect.forEach(some, ({ supervised }) => supervised.settled, { discard: true })
  const ready = allSettled(servers)

  const waitMs = Math.min(firstWaitMs, FIRST_LIST_WAIT_MS)
  const begun = clock.currentTimeMillisUnsafe()
  /** Who has been on its way from the beginning was waited for by whoever waited until now. */
  const settleSoon = Effect.suspend(() => {
    const asleep = servers.filter(
      ({ supervised }) => unknown({ supervised }) && supervised.snapshot().state._tag === "Idle"
    )
    const left = Math.max(0, begun + waitMs - clock.currentTimeMillisUnsafe())
    return Effect.andThen(
      wakeUnknown,
      Effect.all([Effect.timeoutOption(allSettled(asleep), waitMs), Effect.timeoutOption(ready, left)], {
        concurrency: "unbounded"
      })
    )
  })

  let firstListing: Fiber.Fiber<unknown> | undefined
  /** Waits for servers on their way, once and not for long. */
  const waitOnce = Effect.suspend(() => {
    if (firstListing !== undefined) return Fiber.await(firstListing)
    return settleSoon.pipe(
      Effect.forkIn(scope),
      Effect.tap((fiber) => Effect.sync(() => (firstListing = fiber))),
      Effect.flatMap(Fiber.await)
    )
  })

  // ---- calls ------------------------------------------------------------------------------------------------------

  /** The name may belong to a server that nobody has seen the tools of: those are woken, or waited for, and asked. */
  const resolveLate = Effect.fnUntraced(function* (name: string) {
    const owners = servers.filter(
      (server) => unknown(server) && shown(name).startsWith(namePrefix(naming, server.config.toolPrefix))
    )
    const failure = yield* bringUp(owners)
    const found = find(name)
    if (found !== undefined) return found
    if (failure !== undefined) return yield* failure
    // One that is switched off says so itself.
    for (const { config, supervised } of owners) if (!config.enabled) yield* supervised.use(() => Effect.void)
    return yield* new ToolNotFound({
      tool: shown(name),
      suggestion: nearest(
        shown(name),
        view().all.map((tool) => tool.name)
      )
    })
  })

  const find = (name: string) => {
    const { builtins, routes } = view()
    return routes.get(name) ?? builtins.get(name)
  }

  const call = makeCall({
    agent: agent.id,
    clock,
    policy,
    approvals: yield* Approvals,
    limiter,
    bridge,
    audit,
    sanitizer,
    guard,
    decideBuiltin,
    serverOf: (name) => byName.get(name),
    find,
    resolveLate,
    shown
  })

  let frozen: ReadonlyArray<AgentTool> | undefined

  /** A status is not the first to look: of servers that come up together, the slower one would be named like the other. */
  let looked = false
  const look = (): View => {
    looked = true
    return view()
  }

  return McpRuntime.of({
    agent: agent.id,
    tools: Effect.map(waitOnce, () => (freezeTools ? (frozen ??= look().tools) : look().tools)),
    allTools: Effect.sync(() => look().all),
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
    resources: Effect.andThen(waitOnce, resources.resources),
    resourceTemplates: Effect.andThen(waitOnce, resources.resourceTemplates),
    readResource: resources.readResource,
    resourceContext: resources.resourceContext,
    resourceUpdates: resources.resourceUpdates,
    prompts: Effect.andThen(waitOnce, prompts.prompts),
    getPrompt: prompts.getPrompt,
    complete: prompts.complete,
    reset: Effect.fn("McpRuntime.reset")(function* (name: string) {
      const server = byName.get(name)
      if (server === undefined) return false
      limiter.forgive(server.caller.process)
      yield* server.supervised.reset
      return true
    })
  })
})

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
