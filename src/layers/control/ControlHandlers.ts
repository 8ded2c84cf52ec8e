/**
 * Answers the requests of the control contract with the runtimes of this process. Calls go through the stages of any other call, as those of
 * one client, the operator, who has limits and kept results apart from the agents'.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as RcMap from "effect/RcMap"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import type { ApprovalAnswer } from "../../schemas/call/Approval.ts"
import { renderPins } from "../../schemas/call/Pins.ts"
import type { Look } from "../../schemas/call/Look.ts"
import { heldByAgent } from "../../schemas/connection/Isolation.ts"
import { UnknownAgent } from "../../schemas/call/UnknownAgent.ts"
import { Control, type CallEvent } from "../../schemas/control/Control.ts"
import { makeFigures, NO_CALLS } from "../../schemas/control/Figures.ts"
import type { GatewayKind, RunningGateway } from "../../schemas/control/Gateway.ts"
import { CONTROL_AGENT_KEPT_MS, CONTROL_PROGRESS_WAITING_MAX } from "../../schemas/defaults/Control.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import { AgentRuntimes } from "../../services/call/AgentRuntimes.ts"
import { Approvals, type Approver } from "../../services/call/Approvals.ts"
import { AuditFeed } from "../../services/call/AuditFeed.ts"
import { Desk } from "../../services/control/Desk.ts"
import { ServerLogs } from "../../services/connection/ServerLogs.ts"
import { DefinitionLedger } from "../../services/call/DefinitionLedger.ts"
import { McpRuntime, type McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { usageOf } from "../../system/process/usage.ts"

/** The client of all calls that come over the contract. */
const OPERATOR = "operator"

export interface Self extends RunningGateway {
  readonly kind: GatewayKind
}

/** The questions of calls that wait for an answer over the contract. */
const makeQuestions = () => {
  const open = new Map<string, Deferred.Deferred<ApprovalAnswer>>()
  return {
    /** `told` shows the question to whoever can answer it. */
    ask: (told: (id: string) => void) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const id = randomUUID()
          const answered = Deferred.makeUnsafe<ApprovalAnswer>()
          open.set(id, answered)
          return { id, answered }
        }),
        ({ answered, id }) =>
          Effect.andThen(
            Effect.sync(() => told(id)),
            Deferred.await(answered)
          ),
        ({ id }) => Effect.sync(() => void open.delete(id))
      ),
    answer: (id: string, answer: ApprovalAnswer) =>
      Effect.suspend(() => {
        const answered = open.get(id)
        return answered === undefined ? Effect.succeed(false) : Deferred.succeed(answered, answer)
      })
  }
}

interface CallRequest {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly look: Look
  readonly asks: boolean
}

const makeHandlers = Effect.fnUntraced(function* (self: Self) {
  const main = yield* McpRuntime
  const runtimes = yield* AgentRuntimes
  const { endSession, forget, list } = yield* Approvals
  const ledger = yield* DefinitionLedger
  const desk = yield* Desk
  const feed = yield* AuditFeed
  const logs = yield* ServerLogs
  const live = yield* LiveConfig
  const questions = makeQuestions()
  const others = yield* RcMap.make({ lookup: runtimes.get, idleTimeToLive: CONTROL_AGENT_KEPT_MS })

  /** For the Scope of the request. */
  const runtimeOf = Effect.fnUntraced(function* ({ agent = main.agent }: { readonly agent?: string }) {
    if (agent === main.agent) return main
    if (!runtimes.agents.includes(agent)) return yield* new UnknownAgent({ agent, known: [...runtimes.agents] })
    return yield* RcMap.get(others, agent)
  })

  const calling = (runtime: McpRuntimeShape, { arguments: args, asks, look, name }: CallRequest) =>
    Stream.callback<CallEvent>((queue) =>
      Effect.gen(function* () {
        const session = `${OPERATOR}:${randomUUID()}`
        const tell = (event: CallEvent) => Queue.offerUnsafe(queue, event)
        const approver: Approver = {
          session,
          approve: (question) => questions.ask((id) => tell({ _tag: "Asked", id, question }))
        }
        const result = yield* runtime
          .call(name, args, {
            client: OPERATOR,
            look,
            ...(asks ? { approver } : {}),
            // Whoever reads slowly gets fewer reports.
            onProgress: (progress) => {
              if (Queue.sizeUnsafe(queue) < CONTROL_PROGRESS_WAITING_MAX) tell({ _tag: "Progress", progress })
            }
          })
          .pipe(Effect.ensuring(endSession(session)))
        tell({ _tag: "Result", result })
        Queue.endUnsafe(queue)
      })
    )

  const figures = makeFigures()
  const clock = yield* Clock.Clock
  yield* feed.onCall(({ durationMs, findings, outcome, resultChars, server = "" }) => {
    const found = findings.reduce((sum, { count }) => sum + count, 0)
    const at = clock.currentTimeMillisUnsafe()
    figures.add({ at, server, ok: outcome === "ok", durationMs, resultChars, findings: found })
  })

  const figuresOf = Effect.fnUntraced(function* ({ status }: McpRuntimeShape) {
    const servers = yield* status
    const leaders = Object.values(servers).flatMap(({ pid }) => pid ?? [])
    const used = yield* Effect.promise(() => usageOf(new Set(leaders)))
    const calls = figures.at(yield* Clock.currentTimeMillis)
    return Object.fromEntries(
      Object.entries(servers).map(([name, one]) => {
        const usage = one.pid === null ? undefined : used?.get(one.pid)
        return [name, { status: one, calls: calls[name] ?? NO_CALLS, ...(usage === undefined ? {} : { usage }) }]
      })
    )
  })

  const ownOf = Effect.fnUntraced(function* ({ agent }: McpRuntimeShape) {
    const servers = yield* runtimes.own(agent)
    const used = yield* Effect.promise(() => usageOf(new Set(servers.flatMap(({ status }) => status.pid ?? []))))
    return servers.map((one) => {
      const usage = one.status.pid === null ? undefined : used?.get(one.status.pid)
      return usage === undefined ? one : { ...one, usage }
    })
  })

  const planOf = Effect.fnUntraced(function* ({ agent, plan }: McpRuntimeShape) {
    const preview = yield* Effect.result(live.preview)
    if (preview._tag === "Failure") return { plan: yield* plan(), fault: preview.failure.message }
    const { change, config } = preview.success
    const next = config.agents.find(({ id }) => id === agent)
    const servers = next?.servers.map((server) => heldByAgent(agent, server)) ?? []
    return { plan: yield* plan(next && { ...next, servers }), change }
  })

  return Control.of({
    Hello: (request) =>
      Effect.map(runtimeOf(request), ({ agent }) => ({ ...self, agents: [...runtimes.agents], agent })),
    Status: (request) => Effect.flatMap(runtimeOf(request), ({ status }) => status),
    Changes: (request) =>
      Stream.unwrap(
        Effect.map(runtimeOf(request), ({ changes, status }) =>
          Stream.mapEffect(Stream.buffer(changes, { capacity: 1, strategy: "sliding" }), () => status)
        )
      ),
    Ready: (request) => Effect.flatMap(runtimeOf(request), ({ ready }) => ready),
    Figures: (request) => Effect.flatMap(runtimeOf(request), figuresOf),
    Own: (request) => Effect.flatMap(runtimeOf(request), ownOf),
    Reset: (request) => Effect.flatMap(runtimeOf(request), ({ reset }) => reset(request.server)),
    Stop: (request) => Effect.flatMap(runtimeOf(request), ({ stop }) => stop(request.server)),
    Configuration: () => Effect.sync(live.state),
    Reload: () => live.reload,
    Plan: (request) => Effect.flatMap(runtimeOf(request), planOf),
    Tools: (request) => Effect.flatMap(runtimeOf(request), ({ allTools, tools }) => (request.all ? allTools : tools)),
    Call: (request) => Stream.unwrap(Effect.map(runtimeOf(request), (runtime) => calling(runtime, request))),
    Answer: ({ answer, id }) => questions.answer(id, answer),
    Audit: () => feed.lines,
    Logs: ({ server }) =>
      server === undefined ? logs.lines : Stream.filter(logs.lines, (line) => line.server === server),
    Questions: () => desk.questions,
    AnswerQuestion: ({ answer, id }) => desk.answer(id, answer),
    Approvals: () => list,
    ForgetApprovals: ({ pattern }) => forget(pattern),
    Pins: () =>
      Effect.map(ledger.list, (kept) =>
        kept.map((one) => (one._tag === "Pins" ? { _tag: one._tag, text: [...renderPins(one.pins)].join("") } : one))
      ),
    DecidePins: (decision) => ledger.decide(decision)
  })
})

/** Answers for `self`. */
export const layer = (self: Self) => Control.toLayer(makeHandlers(self))
