/**
 * Answers the requests of the control contract with the runtimes of this process. Calls go through the stages of any other call, as those of
 * one client, the operator, who has limits and kept results apart from the agents'. Each subject has a file of its own beside this one.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { callerWith, type Caller } from "../../schemas/call/Caller.ts"
import { renderPins } from "../../schemas/call/Pins.ts"
import { DEFAULT_AUDIT } from "../../schemas/config/AuditConfig.ts"
import { placesOf } from "../../schemas/content/FindingPlaces.ts"
import { heldByAgent } from "../../schemas/connection/Isolation.ts"
import { Control } from "../../schemas/control/Control.ts"
import { Personal } from "../../schemas/control/Personal.ts"
import { NeedsAll } from "../../schemas/control/Powers.ts"
import type { GatewayKind, RunningGateway } from "../../schemas/control/Gateway.ts"
import { Approvals } from "../../services/call/Approvals.ts"
import { AuditFeed } from "../../services/call/AuditFeed.ts"
import { AuditTrail } from "../../services/call/AuditTrail.ts"
import { CallQuotas } from "../../services/call/CallQuotas.ts"
import { ControlPage } from "../../services/control/ControlPage.ts"
import { DefinitionLedger } from "../../services/call/DefinitionLedger.ts"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { ConfigEditor } from "../../services/config/ConfigEditor.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import { ServerLives } from "../../services/connection/ServerLives.ts"
import { ServerLogs } from "../../services/connection/ServerLogs.ts"
import { ServerLogTrail } from "../../services/connection/ServerLogTrail.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { Joined } from "../../services/fleet/Joined.ts"
import { NodeControl } from "../../services/fleet/NodeControl.ts"
import { Desk } from "../../services/control/Desk.ts"
import { PersonalHandlers } from "../../services/control/PersonalHandlers.ts"
import { Authorizer } from "../../services/login/Authorizer.ts"
import { makeCalls } from "./ControlHandlers/calls.ts"
import { makeContext } from "./ControlHandlers/context.ts"
import { makeEvents } from "./ControlHandlers/events.ts"
import { figuresOf, ownOf } from "./ControlHandlers/figures.ts"
import { makeHistory } from "./ControlHandlers/history.ts"
import { makeFleetView } from "./ControlHandlers/fleet.ts"
import { makeLogin } from "./ControlHandlers/login.ts"
import { makeMasked } from "./ControlHandlers/masked.ts"
import { makePast } from "./ControlHandlers/past.ts"
import { makePersonal } from "./ControlHandlers/personal.ts"
import { pinsChanges } from "./ControlHandlers/pins.ts"
import { layerNeedsAll, powersOf } from "./ControlHandlers/powers.ts"
import { makeRemembered } from "./ControlHandlers/remembered.ts"
import { makeRuntimes } from "./ControlHandlers/runtimes.ts"
import { makeServerView } from "./ControlHandlers/server.ts"
import { traceOf } from "./ControlHandlers/trace.ts"

export interface Self extends RunningGateway {
  readonly kind: GatewayKind
}

const makePlanOf = (live: LiveConfig["Service"]) =>
  Effect.fnUntraced(function* ({ agent, plan }: McpRuntimeShape, caller: Caller | undefined) {
    const preview = yield* Effect.result(live.preview)
    if (preview._tag === "Failure") return { plan: yield* plan(undefined, caller), fault: preview.failure.message }
    const { change, config } = preview.success
    const next = config.agents.find(({ id }) => id === agent)
    const servers = next?.servers.map((server) => heldByAgent(agent, server)) ?? []
    return { plan: yield* plan(next && { ...next, servers }, caller), change }
  })

const makeHandlers = Effect.fnUntraced(function* (self: Self) {
  const approvals = yield* Approvals
  const ledger = yield* DefinitionLedger
  const desk = yield* Desk
  const page = yield* ControlPage
  const feed = yield* AuditFeed
  const logs = yield* ServerLogs
  const live = yield* LiveConfig
  const sanitizer = yield* ContentSanitizer
  const lives = yield* ServerLives

  const masked = makeMasked(yield* Redactor)
  const runtimes = yield* makeRuntimes
  const remembered = yield* makeRemembered
  const calls = yield* makeCalls
  const figures = figuresOf(remembered)
  const authorizer = yield* Authorizer
  const own = ownOf(runtimes, authorizer)
  const events = makeEvents({ remembered, figures, desk, ledger, live, masked })
  const history = makeHistory({ remembered, lives, sanitizer, masked })
  const server = makeServerView({ remembered, sanitizer, masked })
  const isWritten = (live.current().audit ?? DEFAULT_AUDIT).enabled
  const trail = yield* AuditTrail
  const past = makePast({
    remembered,
    audit: trail,
    logs: yield* ServerLogTrail,
    isWritten: () => isWritten,
    masked
  })
  const context = makeContext(masked)
  const planOf = makePlanOf(live)
  const editor = yield* ConfigEditor
  const login = makeLogin(authorizer, masked)
  const trace = traceOf(remembered)
  const fleet = yield* makeFleetView({
    runs: (about) =>
      Effect.scoped(
        Effect.flatMap(runtimes.of(about), (runtime) => Effect.all({ servers: figures(runtime), own: own(runtime) }))
      ),
    logs: past.logs
  })

  const joined = yield* Joined
  const personal = makePersonal({
    kind: self.kind,
    remembered,
    past,
    trace,
    desk,
    masked,
    audit: trail,
    authorizer,
    quotas: yield* CallQuotas,
    nodes: joined === undefined ? undefined : Context.get(joined.services, NodeControl)
  })

  const operator = Control.of({
    Hello: (request, { client }) =>
      Effect.gen(function* () {
        const { agent } = yield* runtimes.of(request)
        return { ...self, agents: [...runtimes.agents], agent, powers: yield* powersOf(client) }
      }),

    Events: (request, { client }) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const runtime = yield* runtimes.of(request)
          return events({ runtime, powers: yield* powersOf(client), after: request.after })
        })
      ),
    History: (request) => Effect.flatMap(runtimes.of(request), history.history),
    Tallies: ({ since }) => history.tallies(since),
    Timeline: ({ server: name }) => history.timeline(name),
    PastLogs: past.logs,
    PastCalls: (request) => past.calls(request),
    Trace: ({ call }) => Effect.sync(() => masked(trace(call))),

    Status: (request) => Effect.flatMap(runtimes.of(request), ({ status }) => status),
    Changes: (request) =>
      Stream.unwrap(
        Effect.map(runtimes.of(request), ({ changes, status }) =>
          Stream.mapEffect(Stream.buffer(changes, { capacity: 1, strategy: "sliding" }), () => status)
        )
      ),
    Ready: (request) => Effect.flatMap(runtimes.of(request), ({ ready }) => ready),
    Figures: (request) => Effect.flatMap(runtimes.of(request), figures),
    Own: (request) => Effect.flatMap(runtimes.of(request), own),
    Server: (request) => Effect.flatMap(runtimes.of(request), (runtime) => server(runtime, request.server)),
    Reset: (request) => Effect.flatMap(runtimes.of(request), ({ reset }) => reset(request.server)),
    Stop: (request) => Effect.flatMap(runtimes.of(request), ({ stop }) => stop(request.server)),

    Fleet: () => fleet.look,
    Nodes: (request) => Effect.map(fleet.nodes(request), masked),
    NodeLogs: fleet.logs,
    DrainNode: ({ node }) => fleet.drain(node),

    Login: (request) => Stream.unwrap(Effect.map(runtimes.of(request), (runtime) => login(runtime, request.server))),

    Configuration: () => Effect.sync(live.state),
    Reload: () => live.reload,
    Plan: (request) =>
      Effect.flatMap(runtimes.of(request), (runtime) =>
        planOf(runtime, request.as === undefined ? undefined : callerWith(undefined, request.as))
      ),

    ConfigFile: () => editor.file,
    CheckConfig: ({ text }) => editor.check(text),
    SaveConfig: ({ hash, text }) => editor.save(text, hash),
    ProposeServer: (request) => editor.proposeServer(request.text, request.server),
    ProposeImport: ({ take, text }) => editor.proposeImport(text, take),

    Tools: (request) => Effect.flatMap(runtimes.of(request), ({ allTools, tools }) => (request.all ? allTools : tools)),
    Context: (request) => Effect.flatMap(runtimes.of(request), context),
    Call: (request) => Stream.unwrap(Effect.map(runtimes.of(request), (runtime) => calls.call(runtime, request))),
    Answer: ({ answer, id }) => calls.answer(id, answer),

    FindingPlaces: ({ text }) => Effect.sync(() => placesOf(text, (part) => sanitizer.clean(part).findings)),

    Audit: () => feed.lines,
    Logs: ({ server: name }) =>
      name === undefined ? logs.lines : Stream.filter(logs.lines, (line) => line.server === name),
    Questions: () => desk.questions,
    AnswerQuestion: ({ answer, id }) => desk.answer(id, answer),
    Approvals: () => approvals.list,
    ForgetApprovals: ({ pattern }) => approvals.forget(pattern),
    Pins: () =>
      Effect.map(ledger.list, (kept) =>
        kept.map((one) => (one._tag === "Pins" ? { _tag: one._tag, text: [...renderPins(one.pins)].join("") } : one))
      ),
    PinsChanges: () => Effect.map(ledger.list, (kept) => masked(pinsChanges(kept, masked))),
    DecidePins: (decision) => ledger.decide(decision),

    OpenPage: (asked) => Effect.map(page.address(asked), (url) => ({ url }))
  })
  return { operator, personal }
})

/** People have a contract of their own, in which nothing needs more than they have. */
const layerPersonal = (handlers: ReturnType<typeof makePersonal>) =>
  Layer.effect(
    PersonalHandlers,
    Layer.build(
      Layer.merge(
        Personal.toLayer(handlers),
        Layer.succeed(NeedsAll, (handled) => handled)
      )
    )
  )

/** Answers for `self`. */
export const layer = (self: Self) =>
  Layer.unwrap(
    Effect.map(makeHandlers(self), ({ operator, personal }) =>
      Layer.mergeAll(Control.toLayer(operator), layerNeedsAll, layerPersonal(personal))
    )
  )
