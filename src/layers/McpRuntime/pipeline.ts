/**
 * The way of a call, top to bottom: resolve, authorize, admit, connect and invoke, shape and sanitize, record. Every error on
 * the way becomes a result in one place; an agent never sees an exception.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { ApprovalSubject } from "../../schemas/Approval.ts"
import { roughShapeOf, shapeOf } from "../../schemas/ArgumentShape.ts"
import { launchIdentity, sha256 } from "../../schemas/DefinitionHash.ts"
import { ARGUMENTS_MAX_CHARS } from "../../schemas/defaults/CallLimits.ts"
import type { Finding } from "../../schemas/Finding.ts"
import { canonical, exceeds, isObject, withinBounds } from "../../schemas/Json.ts"
import {
  ApprovalDenied,
  DefinitionChanged,
  InvalidArguments,
  PolicyDenied,
  type CallError
} from "../../schemas/McpError.ts"
import { TOO_LONG } from "../../schemas/ToolArguments.ts"
import type { ToolResult } from "../../schemas/Tool.ts"
import type { Approvals } from "../../services/Approvals.ts"
import type { AuditLog } from "../../services/AuditLog.ts"
import type { Caller, CallLimiter } from "../../services/CallLimiter.ts"
import type { ContentSanitizer } from "../../services/ContentSanitizer.ts"
import type { CallOptions, McpRuntimeShape } from "../../services/McpRuntime.ts"
import type { RequestOptions } from "../../services/ServerConnector.ts"
import type { ResultOrigin, ToolBridge } from "../../services/ToolBridge.ts"
import type { Decision, ToolPolicy } from "../../services/ToolPolicy.ts"
import type { Builtin } from "./Builtin.ts"
import { makeForClient } from "./callers.ts"
import { type Guard, LET_THROUGH } from "./secretArguments.ts"
import { decide, type AgentServer, type Route } from "./view.ts"

type Arguments = Readonly<Record<string, unknown>>

export interface Pipeline {
  readonly agent: string
  readonly clock: Clock.Clock
  readonly policy: ToolPolicy["Service"]
  readonly approvals: Approvals["Service"]
  readonly limiter: CallLimiter["Service"]
  readonly bridge: ToolBridge["Service"]
  readonly audit: AuditLog["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  readonly guard: Guard
  readonly decideBuiltin: (builtin: Builtin) => Decision
  readonly serverOf: (name: string) => AgentServer | undefined
  /** Where a name leads now. */
  readonly find: (name: string) => Route | Builtin | undefined
  /** The same for a name whose server is still on its way. */
  readonly resolveLate: (name: string) => Effect.Effect<Route | Builtin, CallError>
  /** A name from a model, for words. */
  readonly shown: (name: unknown) => string
}

interface CallInProgress {
  readonly name: string
  readonly startedAt: number
  /** Known once the name is resolved; the tool by the server's own name. */
  server: string | undefined
  tool: string | undefined
  definition: string | undefined
  decision: Decision | undefined
}

const NO_OPTIONS: CallOptions = {}

export const makeCall = (parts: Pipeline): McpRuntimeShape["call"] => {
  const { agent, approvals, audit, bridge, clock, find, guard, limiter, policy, sanitizer, shown } = parts
  const callerFor = makeForClient<Caller>()
  const originFor = makeForClient<ResultOrigin>()

  // ---- authorize ---------------------------------------------------------------------------------------------------

  const unfit = (tool: string, decision: Decision, args: unknown): PolicyDenied | InvalidArguments | undefined => {
    if (!decision.allowed) return new PolicyDenied({ tool, rule: decision.rule })
    if (!isObject(args)) return new InvalidArguments({ tool, detail: "they are not an object" })
    if (!withinBounds(args)) return new InvalidArguments({ tool, detail: "they are nested too deep or too many" })
    return exceeds(args, ARGUMENTS_MAX_CHARS) ? new InvalidArguments({ tool, detail: TOO_LONG }) : undefined
  }

  const unapproved = ({ agentTool, server, standing }: Route): DefinitionChanged | undefined =>
    standing.pin === "approved" || !standing.withheld
      ? undefined
      : new DefinitionChanged({ server: server.config.name, tool: agentTool.tool, change: standing.pin })

  /** What the operator's rule made of it stands in the record of the call, a person's no included. */
  const denial = (call: CallInProgress, tool: string, reason: ApprovalDenied["reason"]): ApprovalDenied => {
    const { rule } = call.decision!
    call.decision = { allowed: false, rule }
    return new ApprovalDenied({ server: call.server!, tool, rule, reason })
  }

  const approve = (
    call: CallInProgress,
    subject: Omit<ApprovalSubject, "agent">,
    exposed: string,
    args: Arguments,
    { approver }: CallOptions
  ): Effect.Effect<void, ApprovalDenied> => {
    const { rule } = call.decision!
    return Effect.flatMap(approvals.decide({ agent, ...subject, exposed, rule, args }, approver), (verdict) =>
      verdict.allowed ? Effect.void : Effect.fail(denial(call, exposed, verdict.reason))
    )
  }

  // ---- a tool of a server ------------------------------------------------------------------------------------------

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

  /**
   * A person thinks for minutes, a server sleeps, or comes back as another one: what was let through must still be what is
   * called when there is a connection to call it on.
   */
  const changed = (call: CallInProgress, route: Route): ApprovalDenied | DefinitionChanged | undefined => {
    const now = find(route.exposed)
    if (now === route) return undefined
    const isThere = now !== undefined && "standing" in now
    if (call.decision?.ask === true && !(isThere && now.standing.hash === route.standing.hash)) {
      return denial(call, route.exposed, "changed")
    }
    if (isThere) {
      call.definition = now.standing.hash
      return unapproved(now)
    }
    // It is not listed any more, so nothing says what it is.
    const { name: server, pin } = route.server.config
    return pin === "block"
      ? new DefinitionChanged({ server, tool: route.agentTool.tool, change: "changed" })
      : undefined
  }

  const invoke = (call: CallInProgress, route: Route, args: Arguments, options: CallOptions) => {
    const { server, tool } = route
    const { meta } = options
    const params = { name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
    const requestOptions = options === NO_OPTIONS ? route.requestOptions : withOptions(route, options)
    return server.supervised.use((connection): Effect.Effect<unknown, CallError> => {
      const refused = changed(call, route)
      return refused === undefined ? connection.request("tools/call", params, requestOptions) : Effect.fail(refused)
    })
  }

  /** From the route on: authorize, admit, connect, invoke, shape. */
  const follow = (
    call: CallInProgress,
    route: Route,
    args: Arguments,
    options: CallOptions
  ): Effect.Effect<ToolResult, CallError> => {
    const { agentTool, budget, exposed, origin, server, standing } = route
    const { config } = server
    const decision = tightened(decide(policy, route), options)
    call.server = config.name
    call.tool = agentTool.tool
    call.definition = standing.hash
    call.decision = decision
    const refused = unfit(exposed, decision, args) ?? unapproved(route)
    if (refused !== undefined) return Effect.fail(refused)
    const guarded = guard(config, exposed, args)
    const called = Effect.map(
      limiter.admit(callerFor(server.caller, options), invoke(call, route, args, options)),
      (raw) => bridge.toResult(raw, originFor(origin, options), budget)
    )
    const subject = () => ({
      server: config.name,
      launch: launchIdentity(config),
      tool: agentTool.tool,
      definition: standing.hash
    })
    const result =
      decision.ask === true ? Effect.andThen(approve(call, subject(), exposed, args, options), called) : called
    return guarded === LET_THROUGH ? result : Effect.andThen(guarded, result)
  }

  // ---- a tool of the runtime itself --------------------------------------------------------------------------------

  const isAskedFor = (name: string, options: CallOptions): boolean => {
    const found = find(name)
    if (found === undefined) return false
    const decision = "standing" in found ? decide(policy, found) : parts.decideBuiltin(found)
    return tightened(decision, options).ask === true
  }

  /** One that asks a server takes a place there like any other call. */
  const runBuiltin = (
    call: CallInProgress,
    builtin: Builtin,
    args: Arguments,
    options: CallOptions
  ): Effect.Effect<ToolResult, CallError> => {
    const { description, name, parameters, server, tool } = builtin.agentTool
    const decision = tightened(parts.decideBuiltin(builtin), options)
    call.server = server
    call.tool = tool
    call.decision = decision
    const refused = unfit(name, decision, args)
    if (refused !== undefined) return Effect.fail(refused)
    const owner = builtin.ofRuntime === true ? undefined : parts.serverOf(server)
    const run = Effect.suspend(() => builtin.run(args, options))
    const result =
      owner === undefined || builtin.asksNobody === true ? run : limiter.admit(callerFor(owner.caller, options), run)
    if (decision.ask !== true) return result
    // The tool that it leads to asks by itself.
    const target = builtin.leadsTo?.(args)
    if (target !== undefined && isAskedFor(target, options)) return result
    const definition = sha256(canonical({ name, description, parameters }))
    const launch = owner === undefined ? "" : launchIdentity(owner.config)
    return Effect.andThen(approve(call, { server, launch, tool, definition }, name, args, options), result)
  }

  // ---- the whole way -----------------------------------------------------------------------------------------------

  const onwards = (call: CallInProgress, found: Route | Builtin, args: Arguments, options: CallOptions) =>
    "exposed" in found ? follow(call, found, args, options) : runBuiltin(call, found, args, options)

  /** Everything of a call that can go wrong. */
  const walk = (call: CallInProgress, args: Arguments, options: CallOptions): Effect.Effect<ToolResult, CallError> => {
    const found = find(call.name)
    return found === undefined
      ? Effect.flatMap(parts.resolveLate(call.name), (late) => onwards(call, late, args, options))
      : onwards(call, found, args, options)
  }

  /** A failure becomes a result; a bug is logged and becomes one fixed sentence; only an interruption stays one. */
  const settle = ({ name, tool }: CallInProgress, cause: Cause.Cause<CallError>): Effect.Effect<ToolResult> => {
    const error = Cause.findErrorOption(cause)
    if (Option.isSome(error)) {
      const content = "server" in error.value ? parts.serverOf(error.value.server)?.config.content : undefined
      return Effect.succeed(bridge.toErrorResult(error.value, shown(name), { content, ownName: tool }))
    }
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    return Effect.as(
      Effect.logError(`tools/call ${shown(name)}: unexpected failure`, cause),
      bridge.toDefectResult(shown(name))
    )
  }

  const record = (
    { decision, definition, name, server, startedAt, tool }: CallInProgress,
    args: unknown,
    endedAt: number,
    result: ToolResult | undefined
  ) =>
    audit.record({
      agent,
      server,
      tool: tool ?? shown(name),
      shape: (rough) => (rough === true ? roughShapeOf : shapeOf)(args, sanitizer.label),
      durationMs: endedAt - startedAt,
      endedAt,
      outcome: result === undefined ? "interrupted" : outcomeOf(result),
      resultChars: result === undefined ? 0 : sizeOf(result),
      findings: result === undefined ? NO_FINDINGS : findingsOf(result),
      definition,
      decision
    })

  // Combinators instead of a generator: this is the hot path, and none of its own steps waits.
  return (name, args, options = NO_OPTIONS) =>
    Effect.suspend(() => {
      const call: CallInProgress = {
        name,
        startedAt: clock.currentTimeMillisUnsafe(),
        server: undefined,
        tool: undefined,
        definition: undefined,
        decision: undefined
      }
      return Effect.onExitPrimitive(
        Effect.catchCause(
          now(() => walk(call, args, options)),
          (cause) => settle(call, cause)
        ),
        (exit) => record(call, args, clock.currentTimeMillisUnsafe(), Exit.isSuccess(exit) ? exit.value : undefined)
      )
    })
}

/** `Effect.suspend` for an effect that is run where it is made: a bug in making it is a defect of it, without a frame more. */
const now = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return make()
  } catch (bug) {
    return Effect.die(bug)
  }
}

const ASKS_ALWAYS: Decision = { allowed: true, ask: true, rule: "ask about every call, in this session" }

/** The caller may have a person asked about what nobody else asks about, and nothing besides. */
const tightened = (decision: Decision, { askAlways }: CallOptions): Decision =>
  askAlways === true && decision.allowed && decision.ask !== true ? ASKS_ALWAYS : decision

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
