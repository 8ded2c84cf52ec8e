/**
 * The runtime of one agent. A call walks one pipeline, top to bottom: resolve, authorize, admit, connect and invoke, shape
 * and sanitize, record. Every error on the way becomes a result in one place; an agent never sees an exception.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { shapeOf } from "../schemas/ArgumentShape.ts"
import { CALL_MAX_MS, FIRST_LIST_WAIT_MS } from "../schemas/Defaults.ts"
import type { Finding } from "../schemas/Finding.ts"
import type { AgentConfig } from "../schemas/GatewayConfig.ts"
import { isObject, withinBounds } from "../schemas/Json.ts"
import { InvalidArguments, PolicyDenied, ToolNotFound, type CallError } from "../schemas/McpError.ts"
import { namePrefix, nearest, type NamingStyle } from "../schemas/Names.ts"
import { inLine } from "../schemas/ServerText.ts"
import type { AgentTool, ToolResult } from "../schemas/Tool.ts"
import { AuditLog } from "../services/AuditLog.ts"
import { CallLimiter } from "../services/CallLimiter.ts"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { McpRuntime, type CallOptions, type McpRuntimeShape } from "../services/McpRuntime.ts"
import { PromptBridge } from "../services/PromptBridge.ts"
import { Redactor } from "../services/Redactor.ts"
import { ResourceBridge } from "../services/ResourceBridge.ts"
import { ResultStore } from "../services/ResultStore.ts"
import type { RequestOptions } from "../services/ServerConnector.ts"
import { SecretResolver } from "../services/SecretResolver.ts"
import { ServerPool } from "../services/ServerPool.ts"
import { ToolBridge } from "../services/ToolBridge.ts"
import { ToolPolicy, type Decision } from "../services/ToolPolicy.ts"
import type { Builtin } from "./McpRuntime/Builtin.ts"
import { makeReport } from "./McpRuntime/definitions.ts"
import { knowEarly } from "./McpRuntime/knownEarly.ts"
import { bringUp } from "./McpRuntime/late.ts"
import { makePrompts } from "./McpRuntime/prompts.ts"
import { makeReadMore } from "./McpRuntime/readMore.ts"
import { makeTellRefusal } from "./McpRuntime/refusals.ts"
import { makeResources } from "./McpRuntime/resources.ts"
import { makeGuard } from "./McpRuntime/secretArguments.ts"
import { statusOf } from "./McpRuntime/status.ts"
import { makeToolIndex } from "./McpRuntime/toolIndex.ts"
import {
  decide,
  filterRules,
  makeDecideBuiltin,
  makeView,
  type AgentServer,
  type Route,
  type View
} from "./McpRuntime/view.ts"

export interface Options {
  readonly agent: AgentConfig
  readonly naming: NamingStyle
  /** The tools stay what they are at the first listing, for fronts that cannot tell a model of new ones. */
  readonly freezeTools?: boolean | undefined
}

const NO_OPTIONS: CallOptions = {}
/** Of a name that is written down: short enough for a log. */
const NAME_CHARS = 128
/** Progress is asked for even when nobody listens: it shows that a silent call is alive. */
const ignoreProgress = () => {}

const make = Effect.fnUntraced(function* ({ agent, freezeTools = false, naming }: Options) {
  const pool = yield* ServerPool
  const policy = yield* ToolPolicy
  const limiter = yield* CallLimiter
  const bridge = yield* ToolBridge
  const audit = yield* AuditLog
  const store = yield* ResultStore
  const sanitizer = yield* ContentSanitizer
  const clock = yield* Clock.Clock
  const traced = (yield* Tracer.Tracer) !== Tracer.nativeTracer
  const scope = yield* Effect.scope

  // Nobody waits for it: a file may be slow.
  yield* Effect.forkIn(knowEarly(yield* SecretResolver, agent.servers), scope)

  // Servers are let go together: stopping one may take seconds, stopping twenty must not take twenty times as long.
  const leases = yield* Scope.fork(scope, "parallel")
  const servers = yield* Effect.forEach(
    agent.servers,
    (config) =>
      pool.lease(config).pipe(
        Scope.provide(leases),
        Effect.map((supervised): AgentServer => ({
          config,
          supervised,
          rules: [...agent.rules, ...filterRules(config)],
          requestOptions: {
            idleMs: config.toolTimeout,
            totalMs: Math.max(CALL_MAX_MS, config.toolTimeout),
            onProgress: ignoreProgress
          }
        }))
      ),
    { concurrency: "unbounded" }
  )
  const policies = new Map(servers.map(({ config }) => [config.name, config.content]))
  const guard = makeGuard(yield* Redactor, yield* makeTellRefusal)
  const parts = { naming, servers, sanitizer, guard, report: yield* makeReport(audit) }
  const resources = yield* makeResources({ ...parts, bridge: yield* ResourceBridge, toolBridge: bridge })
  const prompts = makePrompts({ ...parts, bridge: yield* PromptBridge })
  const decideBuiltin = makeDecideBuiltin(policy, agent, servers)
  const view: () => View = makeView({
    ...parts,
    agent,
    policy,
    bridge,
    decideBuiltin,
    ofServers: resources.builtins,
    companions: [makeReadMore({ store, sanitizer })],
    index: makeToolIndex({
      bridge,
      contentOf: (server) => policies.get(server),
      tools: () => view().searched,
      call: (name, args, options) => call(name, args, options)
    })
  })

  /** A name from a model, which may be anything, and may be what a server told it to say. */
  const shown = (name: unknown): string =>
    typeof name === "string" ? inLine(name, sanitizer.label, NAME_CHARS) : `(${typeof name})`

  // ---- servers on their way ----------------------------------------------------------------------------------------

  const unknown = ({ supervised }: AgentServer) => supervised.snapshot().catalogue === undefined

  /** A sleeping server whose tools nobody has seen yet cannot be called by anybody: it is started to be listed. */
  const wakeUnknown = Effect.suspend(() =>
    Effect.forEach(servers.filter(unknown), ({ supervised }) => supervised.wake, { discard: true })
  )

  const ready = Effect.forEach(servers, ({ supervised }) => supervised.settled, {
    concurrency: "unbounded",
    discard: true
  })

  let firstListing: Fiber.Fiber<unknown> | undefined
  /** Waits for servers on their way, once and not for long. */
  const waitOnce = Effect.suspend(() => {
    if (firstListing !== undefined) return Fiber.await(firstListing)
    return wakeUnknown.pipe(
      Effect.andThen(ready),
      Effect.timeoutOption(FIRST_LIST_WAIT_MS),
      Effect.forkIn(scope),
      Effect.tap((fiber) => Effect.sync(() => (firstListing = fiber))),
      Effect.flatMap(Fiber.await)
    )
  })

  // ---- the pipeline ------------------------------------------------------------------------------------------------

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

  const find = (name: string): Route | Builtin | undefined => {
    const { builtins, routes } = view()
    return routes.get(name) ?? builtins.get(name)
  }

  const refusal = (tool: string, decision: Decision, args: unknown): PolicyDenied | InvalidArguments | undefined => {
    if (!decision.allowed) return new PolicyDenied({ tool, rule: decision.rule })
    if (!isObject(args)) return new InvalidArguments({ tool, detail: "they are not an object" })
    return withinBounds(args)
      ? undefined
      : new InvalidArguments({ tool, detail: "they are nested too deep or too many" })
  }

  const invoke = (route: Route, args: Readonly<Record<string, unknown>>, options: CallOptions) => {
    const { server, tool } = route
    const params = { name: tool, arguments: args }
    const requestOptions = options === NO_OPTIONS ? route.requestOptions : withOptions(route, options)
    return server.supervised.use((connection) => connection.request("tools/call", params, requestOptions))
  }

  const withOptions = (
    { origin, requestOptions: defaults }: Route,
    { onProgress, timeoutMs }: CallOptions
  ): RequestOptions => ({
    ...defaults,
    idleMs: timeoutMs ?? defaults.idleMs,
    totalMs: Math.max(defaults.totalMs, timeoutMs ?? 0),
    onProgress:
      onProgress === undefined
        ? defaults.onProgress
        : (report: Record<string, unknown>) => onProgress(bridge.toProgress(report, origin.content))
  })

  /** From the route on: authorize, admit, connect, invoke, shape. */
  const follow = (
    call: CallInProgress,
    route: Route,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions
  ): Effect.Effect<ToolResult, CallError> => {
    const { config } = route.server
    call.server = config.name
    call.tool = route.agentTool.tool
    const refused =
      refusal(route.exposed, decide(policy, route), args) ??
      guard(config, route.exposed, args) ??
      limiter.enter(call.server)
    if (refused !== undefined) return Effect.fail(refused)
    call.entered = true
    return Effect.map(invoke(route, args, options), (raw) => bridge.toResult(raw, route.origin, route.budget))
  }

  /** A tool of the runtime itself; one that asks a server takes a place there like any other call. */
  const runBuiltin = (
    call: CallInProgress,
    builtin: Builtin,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions
  ): Effect.Effect<ToolResult, CallError> => {
    const { name, server, tool } = builtin.agentTool
    call.server = server
    call.tool = tool
    const refused =
      refusal(name, decideBuiltin(builtin), args) ?? (builtin.ofRuntime === true ? undefined : limiter.enter(server))
    if (refused !== undefined) return Effect.fail(refused)
    call.entered = builtin.ofRuntime !== true
    return builtin.run(args, options)
  }

  const onwards = (
    call: CallInProgress,
    found: Route | Builtin,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions
  ) => ("exposed" in found ? follow(call, found, args, options) : runBuiltin(call, found, args, options))

  /** Everything of a call that can go wrong. */
  const walk = (
    call: CallInProgress,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions
  ): Effect.Effect<ToolResult, CallError> => {
    const found = find(call.name)
    return found === undefined
      ? Effect.flatMap(resolveLate(call.name), (late) => onwards(call, late, args, options))
      : onwards(call, found, args, options)
  }

  /** A failure becomes a result; a bug is logged and becomes one fixed sentence; only an interruption stays one. */
  const settle = (name: string, cause: Cause.Cause<CallError>): Effect.Effect<ToolResult> => {
    const error = Cause.findErrorOption(cause)
    if (Option.isSome(error)) {
      const content = "server" in error.value ? policies.get(error.value.server) : undefined
      return Effect.succeed(bridge.toErrorResult(error.value, shown(name), content))
    }
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    return Effect.as(
      Effect.logError(`tools/call ${shown(name)}: unexpected failure`, cause),
      bridge.toDefectResult(shown(name))
    )
  }

  const record = (
    { name, server, startedAt, tool }: CallInProgress,
    args: unknown,
    endedAt: number,
    result: ToolResult | undefined
  ) =>
    audit.record({
      agent: agent.id,
      server,
      tool: tool ?? shown(name),
      shape: () => shapeOf(args, sanitizer.label),
      durationMs: endedAt - startedAt,
      outcome: result === undefined ? "interrupted" : outcomeOf(result),
      resultChars: result === undefined ? 0 : sizeOf(result),
      findings: result === undefined ? NO_FINDINGS : findingsOf(result)
    })

  // Combinators instead of a generator: this is the hot path, and none of its own steps waits.
  const call: McpRuntimeShape["call"] = (name, args, options = NO_OPTIONS) =>
    Effect.suspend(() => {
      const call: CallInProgress = {
        name,
        startedAt: clock.currentTimeMillisUnsafe(),
        server: undefined,
        tool: undefined,
        entered: false
      }
      return Effect.onExitPrimitive(
        Effect.catchCause(
          now(() => walk(call, args, options)),
          (cause) => settle(name, cause)
        ),
        (exit) => {
          // Here and nowhere else, so that no end of a call keeps its place.
          if (call.entered) limiter.leave(call.server!)
          return record(call, args, clock.currentTimeMillisUnsafe(), Exit.isSuccess(exit) ? exit.value : undefined)
        }
      )
    })

  let frozen: ReadonlyArray<AgentTool> | undefined

  return McpRuntime.of({
    agent: agent.id,
    tools: Effect.map(waitOnce, () => (freezeTools ? (frozen ??= view().tools) : view().tools)),
    allTools: Effect.sync(() => view().all),
    call: traced
      ? (name, args, options) =>
          Effect.withSpan(call(name, args, options), "McpRuntime.call", { attributes: { tool: shown(name) } })
      : call,
    status: Effect.sync(() => Object.fromEntries(servers.map((server) => [server.config.name, statusOf(server)]))),
    changes: Stream.mergeAll(
      servers.map(({ supervised }) => Stream.map(supervised.changes, () => undefined)),
      { concurrency: "unbounded" }
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
      const server = servers.find(({ config }) => config.name === name)
      if (server === undefined) return false
      yield* server.supervised.reset
      return true
    })
  })
})

/** `Effect.suspend` for an effect that is run where it is made: a bug in making it is a defect of it, without a frame more. */
const now = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return make()
  } catch (bug) {
    return Effect.die(bug)
  }
}

interface CallInProgress {
  readonly name: string
  readonly startedAt: number
  /** Known once the name is resolved; the tool by the server's own name. */
  server: string | undefined
  tool: string | undefined
  /** Whether it has a place at the limiter. */
  entered: boolean
}

const NO_FINDINGS: ReadonlyArray<Finding> = []

const findingsOf = ({ details }: ToolResult): ReadonlyArray<Finding> =>
  "findings" in details ? details.findings : NO_FINDINGS

const outcomeOf = ({ details, isError }: ToolResult): string =>
  "error" in details ? details.error.tag : isError ? "isError" : "ok"

const sizeOf = ({ content }: ToolResult): number => {
  let size = 0
  for (const block of content) size += block.type === "text" ? block.text.length : block.data.length
  return size
}

export const layer = (
  options: Options
): Layer.Layer<
  McpRuntime,
  never,
  | ServerPool
  | ToolPolicy
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
