/** The other end of the control contract: a running gateway as a command sees it. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as RpcClient from "effect/rpc/RpcClient"
import { RpcClientError } from "effect/rpc/RpcClientError"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import type { Caller } from "../../../schemas/call/Caller.ts"
import { Control, type CallEvent, type PlanValue } from "../../../schemas/control/Control.ts"
import type { KeptPins } from "../../../schemas/control/PinsChange.ts"
import type { FleetValue } from "../../../schemas/control/FleetValue.ts"
import type { NodeLogsValue, NodesValue } from "../../../schemas/control/NodesValue.ts"
import type { PastLogsRequest, PastUnreadable } from "../../../schemas/control/Past.ts"
import type { DatabaseAway } from "../../../schemas/fleet/FleetError.ts"
import type { FiguresValue, OwnServerValue } from "../../../schemas/control/FiguresValue.ts"
import type { PageUnavailable } from "../../../schemas/control/Login.ts"
import { OnlyReading } from "../../../schemas/control/Powers.ts"
import type { PendingQuestion, QuestionAnswer } from "../../../schemas/control/Question.ts"
import type { ConfigError } from "../../../schemas/config/ConfigError.ts"
import type { ConfigState, Reloaded } from "../../../schemas/config/ConfigState.ts"
import type { Plan } from "../../../schemas/call/Plan.ts"
import { readPins } from "../../../schemas/call/Pins.ts"
import type { UnknownAgent } from "../../../schemas/call/UnknownAgent.ts"
import type { ToolResult } from "../../../schemas/call/Tool.ts"
import { CONTROL_ANSWER_MAX_BYTES, CONTROL_HELLO_MS } from "../../../schemas/defaults/Control.ts"
import { type Approvals, type Approve, GivenBy } from "../../../services/call/Approvals.ts"
import type { DefinitionLedger, Kept } from "../../../services/call/DefinitionLedger.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import type { Found } from "../../../system/gatewayFiles.ts"
import { connectTo } from "../../../system/localSocket.ts"
import { fileSystemSays } from "../../../system/ownFiles.ts"

/** What a command uses of a runtime, its own or that of a running gateway. */
export interface CommandRuntime extends Pick<
  McpRuntimeShape,
  "agent" | "tools" | "allTools" | "call" | "status" | "changes" | "ready" | "reset" | "stop"
> {
  /** What each tool is to the agent, and, in a running gateway, what its file would change. */
  readonly plan: (next?: undefined, caller?: Caller) => Effect.Effect<Plan | PlanValue>
  /** Only of a running gateway. */
  readonly configuration?: Effect.Effect<ConfigState>
  /** The same: of a node of a fleet, what runs at each node; `null` of others. */
  readonly nodes?: Effect.Effect<NodesValue | null>
  /** The same: what single clients and sessions have alone. */
  readonly own?: Effect.Effect<ReadonlyArray<OwnServerValue>>
}

/** The gateway cannot be reached, or has ended. */
export class GatewayLost extends Data.TaggedError("GatewayLost")<{ readonly message: string }> {}

/** What the operator decides and sees there. */
export interface Operator {
  readonly figures: Effect.Effect<FiguresValue>
  readonly reload: Effect.Effect<Reloaded, ConfigError>
  /** `null` for a gateway that is no node of a fleet. */
  readonly fleet: Effect.Effect<FleetValue | null>
  readonly drainNode: (node: string) => Effect.Effect<boolean, DatabaseAway>
  /** Lines of the logs about servers of all its nodes; `null` as above. */
  readonly nodeLogs: (asked: PastLogsRequest) => Effect.Effect<NodeLogsValue | null, PastUnreadable>
  /** Whoever runs it attends. */
  readonly questions: Stream.Stream<ReadonlyArray<PendingQuestion>>
  readonly answer: (id: string, answer: QuestionAnswer) => Effect.Effect<boolean>
  readonly audit: Stream.Stream<string>
  /** An address that lets one browser in. */
  readonly openPage: (readOnly: boolean) => Effect.Effect<string, PageUnavailable>
  readonly approvals: Pick<Approvals["Service"], "list" | "forget">
  readonly ledger: Pick<DefinitionLedger["Service"], "list" | "decide">
}

export interface Running {
  readonly runtime: CommandRuntime
  readonly operator: Operator
  /** Fails when the gateway is gone, whatever the command waits for. */
  readonly lost: Effect.Effect<never, GatewayLost>
}

const notReached = (pid: number, detail: string) =>
  new GatewayLost({
    message: `the running gateway ${pid} cannot be reached (${detail}); use --standalone to start servers for this command alone`
  })

const goneWords = (pid: number) =>
  `the running gateway ${pid} has ended; a call that was under way may have been executed`

const protocolOver = (found: Found) =>
  Effect.gen(function* () {
    const open = Effect.acquireRelease(
      Effect.tryPromise({ try: () => connectTo(found.socket), catch: fileSystemSays }),
      (socket) => Effect.sync(() => void socket.destroy())
    )
    // Connected here, so that the reason of a failure is known.
    const connection = yield* Effect.mapError(open, (detail) => notReached(found.pid, detail))
    const socket = yield* NodeSocket.fromDuplex(Effect.succeed(connection))
    return yield* RpcClient.makeProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
      Effect.provideService(Socket.Socket, socket),
      Effect.provideService(
        RpcSerialization.RpcSerialization,
        RpcSerialization.makeNdjson({ maxBufferSize: CONTROL_ANSWER_MAX_BYTES })
      )
    )
  })

/** How to ask the person at this terminal; without it the gateway's own approver is asked. */
export interface Asks {
  readonly approve?: Approve | undefined
}

/** Connects to a gateway, for the Scope. `agent` is the agent of the command; by default the gateway's main one. */
export const connect = Effect.fnUntraced(function* (found: Found, agent: string | undefined, { approve }: Asks) {
  const protocol = yield* protocolOver(found)
  const client = yield* RpcClient.make(Control).pipe(Effect.provideService(RpcClient.Protocol, protocol))
  const about = agent === undefined ? {} : { agent }
  const hello = yield* client.Hello(about).pipe(
    Effect.catchTag("RpcClientError", ({ message }) => notReached(found.pid, message)),
    Effect.timeoutOrElse({
      duration: CONTROL_HELLO_MS,
      orElse: () => notReached(found.pid, "it does not answer")
    })
  )

  const lost = yield* Deferred.make<never, GatewayLost>()
  const gone = Effect.andThen(Deferred.fail(lost, new GatewayLost({ message: goneWords(found.pid) })), Effect.never)
  /** The agent was known at the start, and over the socket everything is allowed. */
  type Impossible = UnknownAgent | OnlyReading
  const sure = <A>(asked: Effect.Effect<A, RpcClientError | Impossible>): Effect.Effect<A> =>
    asked.pipe(Effect.catch(() => gone))
  const flowing = <A>(stream: Stream.Stream<A, RpcClientError | Impossible>): Stream.Stream<A> =>
    stream.pipe(Stream.catch(() => Stream.fromEffect(gone)))
  const reached = <A, E>(asked: Effect.Effect<A, E | RpcClientError | OnlyReading>) =>
    Effect.catchIf(asked, isNoAnswer, () => gone)

  const call: CommandRuntime["call"] = (name, args, { look = "agent", onProgress } = {}) => {
    const asks = approve !== undefined
    const events = client.Call({ ...about, name, arguments: args as never, look, asks })
    const answered = Effect.fnUntraced(function* ({ id, question }: Extract<CallEvent, { readonly _tag: "Asked" }>) {
      const given = yield* askWith(approve!, question)
      const answer = given instanceof GivenBy ? given.answer : given
      yield* sure(client.Answer({ id, answer }))
    })
    return Effect.gen(function* () {
      let result: ToolResult | undefined
      yield* Stream.runForEach(events, (event) => {
        if (event._tag === "Asked") return Effect.forkChild(answered(event))
        if (event._tag === "Progress") onProgress?.(event.progress)
        else result = event.result
        return Effect.void
      })
      return result ?? (yield* gone)
    }).pipe(sure)
  }

  const runtime: CommandRuntime = {
    agent: hello.agent,
    tools: sure(client.Tools({ ...about, all: false })),
    allTools: sure(client.Tools({ ...about, all: true })),
    status: sure(client.Status(about)),
    changes: Stream.map(flowing(client.Changes(about)), () => undefined),
    ready: sure(client.Ready(about)),
    reset: (server) => sure(client.Reset({ ...about, server })),
    stop: (server) => sure(client.Stop({ ...about, server })),
    plan: (_, caller) => sure(client.Plan(caller?.identity === undefined ? about : { ...about, as: caller.identity })),
    configuration: sure(client.Configuration()),
    nodes: hello.node === undefined ? Effect.succeed(null) : sure(client.Nodes(about)),
    own: sure(client.Own(about)),
    call
  }
  const operator: Operator = {
    figures: sure(client.Figures(about)),
    reload: reached(client.Reload()),
    fleet: sure(client.Fleet()),
    drainNode: (node) => reached(client.DrainNode({ node })),
    nodeLogs: (asked) => reached(client.NodeLogs(asked)),
    questions: flowing(client.Questions()),
    answer: (id, answer) => sure(client.AnswerQuestion({ id, answer })),
    audit: flowing(client.Audit()),
    openPage: (readOnly) => Effect.map(reached(client.OpenPage({ readOnly })), ({ url }) => url),
    approvals: {
      list: reached(client.Approvals()),
      forget: (pattern) => reached(client.ForgetApprovals(pattern === undefined ? {} : { pattern }))
    },
    ledger: {
      list: Effect.map(reached(client.Pins()), (kept) => kept.map(keptOf)),
      decide: (decision) => reached(client.DecidePins(decision))
    }
  }
  return { runtime, operator, lost: Deferred.await(lost) } satisfies Running
})

const isNoAnswer = Schema.is(Schema.Union([RpcClientError, OnlyReading]))

const keptOf = (kept: typeof KeptPins.Type): Kept => {
  if (kept._tag === "Unreadable") return kept
  const pins = readPins(kept.text)
  return pins === undefined
    ? { _tag: "Unreadable", file: "pins of the running gateway", detail: "they were written by another version" }
    : { _tag: "Pins", pins }
}

/** No answer is a no. */
const askWith = (approve: Approve, question: Parameters<Approve>[0]) =>
  Effect.scoped(
    Effect.flatMap(Effect.abortSignal, (signal) => {
      const given = approve(question, signal)
      return Effect.isEffect(given) ? given : Effect.promise(async () => given)
    })
  ).pipe(Effect.orElseSucceed(() => "deny" as const))
