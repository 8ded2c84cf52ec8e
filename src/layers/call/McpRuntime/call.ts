/**
 * The stages of a call: resolve, authorize, approve, admit, dispatch, shape, record. Each stage takes what is known of the
 * call and returns what is known after it, or fails with a `CallError`. Every error becomes a result in one place; an agent
 * never sees an exception.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Caller } from "../../../schemas/call/Caller.ts"
import type { ContentPolicy } from "../../../schemas/content/ContentPolicy.ts"
import { budgetFor, contentFor, originSeenBy, readerOf } from "../../../schemas/call/Look.ts"
import { ARGUMENTS_MAX_CHARS } from "../../../schemas/defaults/CallLimits.ts"
import { exceeds, isObject, withinBounds } from "../../../schemas/data/Json.ts"
import {
  type ApprovalDenied,
  DefinitionChanged,
  InvalidArguments,
  PolicyDenied,
  type CallError
} from "../../../schemas/call/CallError.ts"
import { TOO_LONG } from "../../../schemas/call/ToolArguments.ts"
import { newTrail, trailNow } from "../../../schemas/call/Trail.ts"
import type { ToolResult } from "../../../schemas/call/Tool.ts"
import type { Stage } from "../../../schemas/telemetry/Calls.ts"
import type { Approvals } from "../../../services/call/Approvals.ts"
import type { Journaling } from "../../../services/call/CallJournal.ts"
import type { CallOptions, McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { RequestOptions, ServerConnection } from "../../../services/connection/ServerConnector.ts"
import type { ResultOrigin, ToolBridge } from "../../../services/call/ToolBridge.ts"
import type { Admit } from "./admit.ts"
import { approvalRequest, denial } from "./approvalRequest.ts"
import type { Recording } from "../../../services/telemetry/Telemetry.ts"
import { makeForClient } from "./forClient.ts"
import type { Catalog } from "./catalog.ts"
import { type Leave, makeJournaled } from "./journaled.ts"
import { makeRecord, type Asked, type Call, type RecordParts } from "./record.ts"
import { tightened, unapproved, type OwnRoute, type Route, type ServerRoute } from "./Route.ts"
import { type Guard, LET_THROUGH } from "./secretArguments.ts"
import type { Standings } from "./standing.ts"

export interface Parts extends RecordParts {
  /** Whose calls they are that name nobody themselves. */
  readonly caller?: Caller | undefined
  readonly catalog: Catalog
  readonly standings: Standings
  readonly approvals: Approvals["Service"]
  readonly admit: Admit
  readonly bridge: ToolBridge["Service"]
  readonly guard: Guard
  /** Waits as before a list of tools. */
  readonly listedFor: (caller: Caller | undefined) => Effect.Effect<void>
  /** The content policy of the server with this name. */
  readonly contentOf: (server: string) => ContentPolicy | undefined
  /** Whoever makes spans of stages that take time. */
  readonly telemetry: Recording
  /** Whoever remembers outside of this process which calls have left it. */
  readonly journal: Journaling
}

/** How a stage ends without failing: with the result, or with another route with which the call continues. */
type Outcome = ToolResult | Route

const NO_OPTIONS: CallOptions = {}

const isServerCall = (call: Call): call is Call<ServerRoute> => call.route._tag === "ServerRoute"
const isRoute = (outcome: Outcome): outcome is Route => "_tag" in outcome

export const makeCall = (parts: Parts): McpRuntimeShape["call"] => {
  const { agent, approvals, bridge, catalog, clock, guard, listedFor, standings, telemetry } = parts
  const record = makeRecord(parts)
  const journaled = makeJournaled(agent, parts.journal)
  const originFor = makeForClient<ResultOrigin>()
  /** The options of a call without any. */
  const plain: CallOptions = parts.caller === undefined ? NO_OPTIONS : { caller: parts.caller }
  const owned = (options: CallOptions): CallOptions =>
    options.caller !== undefined || parts.caller === undefined ? options : { ...options, caller: parts.caller }

  const inSpan = <A, E>(stage: Stage, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    telemetry.current === undefined ? effect : telemetry.current.during({ name: stage }, effect)

  const begin = ({ args, name, options, startedAt, trail }: Asked, route: Route): Call => {
    const standing = standings.of(options.caller)
    const decision = tightened(standings.decide(standing, route), options)
    return { name, args, options, startedAt, trail, route, standing, decision }
  }

  // ---- authorize ---------------------------------------------------------------------------------------------------

  const refusal = ({ args, decision, route }: Call): CallError | undefined => {
    const { exposed: tool } = route
    if (!decision.allowed) return new PolicyDenied({ tool, rule: decision.rule })
    if (!isObject(args)) return new InvalidArguments({ tool, detail: "they are not an object" })
    if (!withinBounds(args)) return new InvalidArguments({ tool, detail: "they are nested too deep or too many" })
    if (exceeds(args, ARGUMENTS_MAX_CHARS)) return new InvalidArguments({ tool, detail: TOO_LONG })
    return route._tag === "ServerRoute" ? unapproved(route) : undefined
  }

  const authorize = (call: Call): Effect.Effect<Call, CallError> => {
    const refused = refusal(call)
    if (refused !== undefined) return Effect.fail(refused)
    if (!isServerCall(call)) return Effect.succeed(call)
    const guarded = guard(call.route.server.config, call.route.exposed, call.args)
    return guarded === LET_THROUGH ? Effect.succeed(call) : Effect.as(guarded, call)
  }

  // ---- approve -----------------------------------------------------------------------------------------------------

  /** The tool that it calls asks for approval itself. */
  const asksLater = ({ args, options, route }: Call): boolean => {
    const leadsTo = route._tag === "OwnRoute" ? route.own.leadsTo : undefined
    const target = leadsTo?.(args, catalog.viewFor(options.caller).searched)
    const next = target === undefined ? undefined : catalog.find(target)
    return next !== undefined && tightened(standings.decide(standings.of(options.caller), next), options).ask === true
  }

  const approve = (call: Call): Effect.Effect<Call, ApprovalDenied> => {
    const { decision, options, trail } = call
    trail.authorized = trailNow()
    if (decision.ask !== true || asksLater(call)) {
      trail.approved = trail.authorized
      return Effect.succeed(call)
    }
    const decided = Effect.flatMap(approvals.decide(approvalRequest(agent, call), options.approver), (verdict) => {
      if (!verdict.allowed) return Effect.fail(denial(call, verdict.reason))
      trail.approved = trailNow()
      return Effect.succeed(call)
    })
    return inSpan("approve", decided)
  }

  // ---- admit -------------------------------------------------------------------------------------------------------

  /** A call that reaches a server takes a place there. */
  const admit = (
    call: Call,
    dispatched: () => Effect.Effect<Outcome, CallError>
  ): Effect.Effect<Outcome, CallError> => {
    const { options, route } = call
    const owner = route._tag === "OwnRoute" && route.own.asksNobody === true ? undefined : route.server
    const admitted = () => {
      call.trail.admitted = trailNow()
      return dispatched()
    }
    return owner === undefined ? Effect.suspend(admitted) : parts.admit(owner, options, admitted, route.agentTool.tool)
  }

  // ---- dispatch and shape ------------------------------------------------------------------------------------------

  const requestOptionsOf = ({ options, route: { origin, requestOptions } }: Call<ServerRoute>): RequestOptions => {
    if (options === plain) return requestOptions
    const { onProgress, timeoutMs } = options
    return {
      ...requestOptions,
      idleMs: timeoutMs ?? requestOptions.idleMs,
      totalMs: Math.max(requestOptions.totalMs, timeoutMs ?? 0),
      onProgress:
        onProgress === undefined
          ? requestOptions.onProgress
          : (report: Record<string, unknown>) => onProgress(bridge.toProgress(report, origin.content))
    }
  }

  /**
   * A person may think for minutes, and a server may restart in the meantime. So before a call is sent, its tool must still
   * be the one that was authorized. If the tool has changed, the call starts again from the beginning.
   */
  const recheck = (call: Call<ServerRoute>): ServerRoute | CallError | undefined => {
    const { decision, options, route } = call
    if (standings.forbids(call, options.caller)) return route
    const now = catalog.find(route.exposed)
    if (now === route) return undefined
    if (now?._tag === "ServerRoute") {
      const isSame = now.standing.hash === route.standing.hash && now.server === route.server
      if (isSame) return unapproved(now)
      return decision.ask === true ? denial(call, "changed") : now
    }
    if (decision.ask === true) return denial(call, "changed")
    // It is not listed any more, so its definition is unknown.
    const { name: server, pin } = route.server.config
    return pin === "block"
      ? new DefinitionChanged({ server, tool: route.agentTool.tool, change: "changed" })
      : undefined
  }

  /** Another server, or none, has its place since the call was authorized. */
  const moved = (call: Call<ServerRoute>): Effect.Effect<Outcome, CallError> =>
    call.decision.ask === true
      ? Effect.fail(denial(call, "changed"))
      : catalog.resolve(call.route.exposed, call.options.caller)

  const request = (call: Call<ServerRoute>, leave: Leave): Effect.Effect<Outcome, CallError> => {
    const { args, options, route } = call
    if (!catalog.isPresent(route.server)) return moved(call)
    const { meta } = options
    const { tool: name } = route
    const params = meta === undefined ? { name, arguments: args } : { name, arguments: args, _meta: meta }
    const requestOptions = requestOptionsOf(call)
    const send = (
      connection: ServerConnection,
      mayRunAgain: RequestOptions["mayRunAgain"]
    ): Effect.Effect<Outcome, CallError> => {
      const changed = recheck(call)
      if (changed !== undefined) {
        return changed._tag === "ServerRoute" ? Effect.succeed<Outcome>(changed) : Effect.fail(changed)
      }
      const given = mayRunAgain === undefined ? requestOptions : { ...requestOptions, mayRunAgain }
      return Effect.map(connection.request("tools/call", params, given), (raw) => {
        call.trail.answered = trailNow()
        const result = bridge.toResult(
          raw,
          originSeenBy(options.look, originFor(route.origin, options)),
          budgetFor(options.look, route.budget)
        )
        call.trail.shaped = trailNow()
        return result
      })
    }
    return route.server.supervised.use((connection) => leave((again) => send(connection, again)))
  }

  const run = ({ args, options, route }: Call<OwnRoute>): Effect.Effect<ToolResult, CallError> =>
    route.own.run(args, { options, searched: catalog.viewFor(options.caller).searched, call: start })

  const dispatch = (call: Call): Effect.Effect<Outcome, CallError> =>
    inSpan(
      "dispatch",
      isServerCall(call)
        ? journaled(call, (leave) => admit(call, () => request(call, leave)))
        : admit(call, () => run(call as Call<OwnRoute>))
    )

  // ---- record ------------------------------------------------------------------------------------------------------

  /** A failure becomes a result; a bug is logged and becomes a fixed sentence; an interruption stays one. */
  const settle = (call: Asked | Call, cause: Cause.Cause<CallError>): Effect.Effect<ToolResult> => {
    const name = catalog.shown(call.name)
    const { look, reader = readerOf(look) } = call.options
    const error = Cause.findErrorOption(cause)
    if (Option.isSome(error)) {
      const ofServer = "server" in error.value ? parts.contentOf(error.value.server) : undefined
      const content = ofServer === undefined ? undefined : contentFor(look, ofServer)
      const ownName = "route" in call ? call.route.agentTool.tool : undefined
      return Effect.succeed(bridge.toErrorResult(error.value, name, { content, ownName, reader }))
    }
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    return Effect.as(
      Effect.logError(`tools/call ${name}: unexpected failure`, cause),
      bridge.toDefectResult(name, reader)
    )
  }

  /** Ends the stages for the caller: errors become results and the call is recorded, unless it continues on another route. */
  const concluded = (call: Asked | Call, stages: Effect.Effect<Outcome, CallError>): Effect.Effect<ToolResult> => {
    let continues = false
    const settled = Effect.matchCauseEffect(stages, {
      onFailure: (cause) => settle(call, cause),
      onSuccess: (outcome) => {
        if (!isRoute(outcome)) return Effect.succeed(outcome)
        continues = true
        return walk(call, outcome)
      }
    })
    return Effect.onExitPrimitive(settled, (exit) =>
      continues ? undefined : record(call, Exit.isSuccess(exit) ? exit.value : undefined)
    )
  }

  // ---- all stages ----------------------------------------------------------------------------------------------------

  const walk = (asked: Asked, route: Route, resolvedAt = trailNow()): Effect.Effect<ToolResult> => {
    const call = begin(asked, route)
    asked.trail.resolved = resolvedAt
    // Stages that need not wait take no step of the fiber.
    const stages = now(() => Effect.flatMapEager(Effect.flatMapEager(authorize(call), approve), dispatch))
    return concluded(call, stages)
  }

  const start: McpRuntimeShape["call"] = (name, args, given) =>
    Effect.suspend(() => {
      const options = given === undefined ? plain : owned(given)
      const trail = newTrail()
      const asked = { name, args, options, startedAt: clock.currentTimeMillisUnsafe(), trail }
      const route = catalog.find(name)
      if (route === undefined) return concluded(asked, catalog.resolve(name, options.caller))
      return route._tag === "OwnRoute" && route.own.searches === true
        ? concluded(asked, Effect.as(listedFor(options.caller), route))
        : walk(asked, route, trail.began)
    })
  return start
}

/** Like `Effect.suspend`, for an effect that is run where it is made: exceptions become defects, without an extra frame. */
const now = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return make()
  } catch (bug) {
    return Effect.die(bug)
  }
}
