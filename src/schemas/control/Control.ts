/**
 * The contract by which a running gateway is asked and steered: by commands over a socket, and by any other program that is let in. What
 * crosses it has passed the same stages as for an agent (rules, limits, cleaning, masking, audit log); no secret crosses it.
 *
 * A request without `agent` is about the main agent of the gateway: the one it was started for. When you change the contract so that the
 * two ends would misunderstand each other, raise `CONTROL_CONTRACT`.
 */
import * as Schema from "effect/Schema"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import { ApprovalsFailed } from "../call/Approval.ts"
import { LOOKS } from "../call/Look.ts"
import { Plan } from "../call/Plan.ts"
import { Identity } from "../login/Identity.ts"
import { PinsFailed } from "../call/PinsFailed.ts"
import { UnknownAgent } from "../call/UnknownAgent.ts"
import { ConfigChange } from "../config/ConfigChange.ts"
import { ConfigError } from "../config/ConfigError.ts"
import { ConfigState, Reloaded } from "../config/ConfigState.ts"
import { LoginFailed } from "../login/Login.ts"
import { ServerLogLine } from "../connection/ServerLogLine.ts"
import { FindingPlace } from "../content/FindingPlaces.ts"
import { FINDING_PLACES_TEXT_MAX_CHARS } from "../defaults/Texts.ts"
import type { JsonObject } from "../data/Json.ts"
import {
  CheckedConfig,
  ConfigFileValue,
  ConfigRefused,
  ConfigText,
  ImportProposal,
  Proposal,
  ProposedServer,
  SavedConfig
} from "./ConfigFile.ts"
import { ContextValue } from "./ContextView.ts"
import { EventPosition, NumberedEvent } from "./Events.ts"
import { FiguresValue, OwnServerValue } from "./FiguresValue.ts"
import { HistoryValue, TalliesValue, TimelineValue } from "./History.ts"
import { LoginEvent, PageAddress, PageUnavailable } from "./Login.ts"
import { PastCallsRequest, PastCallsValue, PastLogsRequest, PastLogsValue, PastUnreadable } from "./Past.ts"
import { KeptPins, PinsChangesValue, PinsDecision } from "./PinsChange.ts"
import { NeedsAll, POWERS } from "./Powers.ts"
import { FleetValue } from "./FleetValue.ts"
import { NodeLogsValue, NodesValue } from "./NodesValue.ts"
import { DatabaseAway } from "../fleet/FleetError.ts"
import { ServerView, UnknownServer } from "./ServerView.ts"
import { TraceValue } from "./Trace.ts"
import { PendingQuestion, QuestionAnswer } from "./Question.ts"
import { GATEWAY_KINDS, RunningGateway } from "./Gateway.ts"
import {
  AnswerValue,
  ApprovalValue,
  ProgressValue,
  QuestionValue,
  ResultValue,
  StatusesValue,
  ToolValue
} from "./Values.ts"

/** The agent that a request is about. */
const agent = { agent: Schema.optionalKey(Schema.String) }

/** What a gateway says first. */
export const Hello = Schema.Struct({
  ...RunningGateway.fields,
  kind: Schema.Literals(GATEWAY_KINDS),
  agents: Schema.Array(Schema.String),
  /** The agent that the request is about. */
  agent: Schema.String,
  /** What this connection may do. */
  powers: Schema.Literals(POWERS),
  /** The name of the person who has logged in on the page: of the gateway, they see what is theirs, and nothing else. */
  person: Schema.optionalKey(Schema.String)
})
export type Hello = typeof Hello.Type

/** What happens during a call, in order; the last one is the result. */
export const CallEvent = Schema.Union([
  Schema.TaggedStruct("Progress", { progress: ProgressValue }),
  /** A rule requires approval. Answer with `Answer`; the question is withdrawn when the call ends. */
  Schema.TaggedStruct("Asked", { id: Schema.String, question: QuestionValue }),
  Schema.TaggedStruct("Result", { result: ResultValue })
])
export type CallEvent = typeof CallEvent.Type

/** The plan of an agent, and what the file, as it is now, would change: `change`, or `fault`, why it cannot be used. */
export const PlanValue = Schema.Struct({
  plan: Plan,
  change: Schema.optionalKey(ConfigChange),
  fault: Schema.optionalKey(Schema.String)
})
export type PlanValue = typeof PlanValue.Type

/**
 * Requests that change something, make calls wait for an answer, or ask others on behalf of the person, have `NeedsAll`: who may only look gets
 * `OnlyReading`.
 */
export class Control extends RpcGroup.make(
  Rpc.make("Hello", { payload: agent, success: Hello, error: UnknownAgent }),

  // ---- what happens ------------------------------------------------------------------------------------------------

  /**
   * What happens from now on, after the present state. With `after`, also what happened since then, as far as it is kept. Whoever has the
   * stream and all powers attends to questions, as with `Questions`.
   */
  Rpc.make("Events", {
    payload: { ...agent, after: Schema.optionalKey(EventPosition) },
    success: NumberedEvent,
    error: UnknownAgent,
    stream: true
  }),
  /** The last hour, of the servers of the agent. */
  Rpc.make("History", { payload: agent, success: HistoryValue, error: UnknownAgent }),
  /** The calls by tool and by server, since a time (milliseconds since the epoch), as far as they are kept. */
  Rpc.make("Tallies", { payload: { since: Schema.optionalKey(Schema.Finite) }, success: TalliesValue }),
  /** The life of one server: empty for a name that no server had. */
  Rpc.make("Timeline", { payload: { server: Schema.String }, success: TimelineValue }),
  /** Lines of the log about servers, of all gateways that use the same data directory. */
  Rpc.make("PastLogs", { payload: PastLogsRequest, success: PastLogsValue, error: PastUnreadable }),
  /** Records of the audit log: from its files, else those that this process remembers. */
  Rpc.make("PastCalls", { payload: PastCallsRequest, success: PastCallsValue, error: PastUnreadable }),
  /** The way of one call through the pipeline; `null` if it is not kept any more. */
  Rpc.make("Trace", { payload: { call: Schema.String }, success: Schema.NullOr(TraceValue) }),

  // ---- servers -----------------------------------------------------------------------------------------------------

  Rpc.make("Status", { payload: agent, success: StatusesValue, error: UnknownAgent }),
  /** The status of all servers, now and after changes; of several changes at once, only the last. */
  Rpc.make("Changes", { payload: agent, success: StatusesValue, error: UnknownAgent, stream: true }),
  /** Returns when no server is starting any more. */
  Rpc.make("Ready", { payload: agent, error: UnknownAgent }),
  /** What each server does: its calls, of all agents and clients of this gateway, and its processes. */
  Rpc.make("Figures", { payload: agent, success: FiguresValue, error: UnknownAgent }),
  /** What runs for single clients and sessions. */
  Rpc.make("Own", { payload: agent, success: Schema.Array(OwnServerValue), error: UnknownAgent }),
  /** Everything about one server. */
  Rpc.make("Server", {
    payload: { ...agent, server: Schema.String },
    success: ServerView,
    error: Schema.Union([UnknownAgent, UnknownServer])
  }),
  /** Restarts a server in any state; `false` when no server has that name. */
  Rpc.make("Reset", {
    payload: { ...agent, server: Schema.String },
    success: Schema.Boolean,
    error: UnknownAgent
  }).middleware(NeedsAll),
  /** Stops a server until it is reset; `false` when no server has that name. */
  Rpc.make("Stop", {
    payload: { ...agent, server: Schema.String },
    success: Schema.Boolean,
    error: UnknownAgent
  }).middleware(NeedsAll),
  /** The fleet that the gateway is a node of; `null` for one that is a single process. */
  Rpc.make("Fleet", { success: Schema.NullOr(FleetValue) }),
  /** The same with what runs at each node, as it says itself. Nodes that do not answer in time are named. */
  Rpc.make("Nodes", { payload: agent, success: Schema.NullOr(NodesValue), error: UnknownAgent }),
  /** The newest lines of the logs about servers of all nodes, without `cursor`; `null` as above. */
  Rpc.make("NodeLogs", { payload: PastLogsRequest, success: Schema.NullOr(NodeLogsValue), error: PastUnreadable }),
  /** Asks a node to take nothing new, to hand over what it can, and to end; `false` when no living node has that name. */
  Rpc.make("DrainNode", {
    payload: { node: Schema.String },
    success: Schema.Boolean,
    error: DatabaseAway
  }).middleware(NeedsAll),

  /** Begins a login at a server, and waits until the person has logged in. Ending the stream gives it up. */
  Rpc.make("Login", {
    payload: { ...agent, server: Schema.String },
    success: LoginEvent,
    error: Schema.Union([UnknownAgent, UnknownServer, LoginFailed]),
    stream: true
  }).middleware(NeedsAll),

  // ---- the configuration -------------------------------------------------------------------------------------------

  Rpc.make("Configuration", { success: ConfigState }),
  /** Reads the file and applies it. If it cannot be used, the previous one stays in effect. */
  Rpc.make("Reload", { success: Reloaded, error: ConfigError }).middleware(NeedsAll),
  /** With `as`: what the rules of clients leave of it for this one. */
  Rpc.make("Plan", {
    payload: { ...agent, as: Schema.optionalKey(Identity) },
    success: PlanValue,
    error: UnknownAgent
  }),
  /** The file, for an editor. */
  Rpc.make("ConfigFile", { success: ConfigFileValue, error: ConfigRefused }),
  /** What a text would mean in place of the file. Changes nothing. */
  Rpc.make("CheckConfig", { payload: { text: ConfigText }, success: CheckedConfig, error: ConfigRefused }),
  /** Writes a text into the file if it is valid and the file is still the one of `hash`, and applies it. */
  Rpc.make("SaveConfig", {
    payload: { text: ConfigText, hash: Schema.String },
    success: SavedConfig,
    error: ConfigRefused
  }).middleware(NeedsAll),
  /** A text with one more server, as `mcp-live add` would write it. Writes and starts nothing. */
  Rpc.make("ProposeServer", {
    payload: { text: ConfigText, server: ProposedServer },
    success: Proposal,
    error: ConfigRefused
  }).middleware(NeedsAll),
  /** The servers that other programs have on this machine, and a text with them: with all, or those that `take` names. Writes nothing. */
  Rpc.make("ProposeImport", {
    payload: { text: ConfigText, take: Schema.optionalKey(Schema.Array(Schema.String)) },
    success: ImportProposal,
    error: ConfigRefused
  }).middleware(NeedsAll),

  // ---- tools -------------------------------------------------------------------------------------------------------

  /** The tools as the agent gets them, which may be a search; `all` lists every tool that it may call. */
  Rpc.make("Tools", {
    payload: { ...agent, all: Schema.Boolean },
    success: Schema.Array(ToolValue),
    error: UnknownAgent
  }),
  /** What a model gets from the servers of the agent, as it reads it. */
  Rpc.make("Context", { payload: agent, success: ContextValue, error: UnknownAgent }),
  /** Ending the stream cancels the call. */
  Rpc.make("Call", {
    payload: {
      ...agent,
      /** The exposed name. */
      name: Schema.String,
      arguments: Schema.Any as Schema.Codec<JsonObject>,
      look: Schema.Literals(LOOKS),
      /** Whether the other end can ask a person for approval. Without it, the gateway's own approver is asked. */
      asks: Schema.Boolean
    },
    success: CallEvent,
    error: UnknownAgent,
    stream: true
  }).middleware(NeedsAll),
  /** Answers a question of a call; `false` when it is not open any more. */
  Rpc.make("Answer", {
    payload: { id: Schema.String, answer: AnswerValue },
    success: Schema.Boolean
  }).middleware(NeedsAll),

  /** Where in a text of a result its findings stand, each as long as the sentence or the line that is to be looked at. */
  Rpc.make("FindingPlaces", {
    payload: { text: Schema.String.check(Schema.isMaxLength(FINDING_PLACES_TEXT_MAX_CHARS)) },
    success: Schema.Array(FindingPlace)
  }),

  // ---- what the operator decides and sees --------------------------------------------------------------------------

  /** The lines of the audit log from now on, also when none is written to files. A slow reader misses the oldest. */
  Rpc.make("Audit", { success: Schema.String, stream: true }),
  /** The lines of the log about servers from now on: of all, or of one. */
  Rpc.make("Logs", { payload: { server: Schema.optionalKey(Schema.String) }, success: ServerLogLine, stream: true }),
  /** The questions that wait for a person, now and after each change. Whoever has the stream attends: calls wait for their answer. */
  Rpc.make("Questions", { success: Schema.Array(PendingQuestion), stream: true }).middleware(NeedsAll),
  /** `false` when the question is not open any more. The first answer counts. */
  Rpc.make("AnswerQuestion", {
    payload: { id: Schema.String, answer: QuestionAnswer },
    success: Schema.Boolean
  }).middleware(NeedsAll),
  /** The approvals for good. */
  Rpc.make("Approvals", { success: Schema.Array(ApprovalValue), error: ApprovalsFailed }),
  /** Deletes approvals for good, as `Approvals.forget` does; returns how many there were. */
  Rpc.make("ForgetApprovals", {
    payload: { pattern: Schema.optionalKey(Schema.String) },
    success: Schema.Int,
    error: ApprovalsFailed
  }).middleware(NeedsAll),
  Rpc.make("Pins", { success: Schema.Array(KeptPins), error: PinsFailed }),
  /** The definitions that wait for a decision, with what was approved and what the server says now. */
  Rpc.make("PinsChanges", { success: PinsChangesValue, error: PinsFailed }),
  /** Returns the tools that the decision was stored for. */
  Rpc.make("DecidePins", {
    payload: PinsDecision,
    success: Schema.Array(Schema.String),
    error: PinsFailed
  }).middleware(NeedsAll),

  // ---- the page ----------------------------------------------------------------------------------------------------

  /** A fresh address of the page, for one use. If the page is not served yet, it is from now on. */
  Rpc.make("OpenPage", {
    payload: { readOnly: Schema.optionalKey(Schema.Boolean) },
    success: PageAddress,
    error: PageUnavailable
  }).middleware(NeedsAll)
) {}
