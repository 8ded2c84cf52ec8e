/** What an exposed name refers to: a tool of a server, or a tool of the runtime. */
import { DefinitionChanged } from "../../../schemas/call/CallError.ts"
import type { ToolRules } from "../../../schemas/config/GatewayConfig.ts"
import type { PinCheck } from "../../../schemas/call/Pins.ts"
import type { Budget } from "../../../schemas/connection/ServerConfig.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import type { RequestOptions } from "../../../services/connection/ServerConnector.ts"
import type { ResultOrigin } from "../../../services/call/ToolBridge.ts"
import type { Decision, ToolPolicy, ToolSubject } from "../../../services/call/ToolPolicy.ts"
import type { AgentServer } from "./AgentServer.ts"
import type { CallOptions } from "../../../services/call/McpRuntime.ts"
import type { OwnTool } from "./OwnTool.ts"

interface Common {
  readonly exposed: string
  readonly agentTool: AgentTool
  /** The subject of policy decisions. */
  readonly subject: ToolSubject
  readonly rules: ReadonlyArray<ToolRules>
}

export interface ServerRoute extends Common {
  readonly _tag: "ServerRoute"
  readonly server: AgentServer
  /** The server's own name of the tool, raw, as it is sent and as rules match it. */
  readonly tool: string
  /** Where its results come from, in cleaned words. */
  readonly origin: ResultOrigin
  readonly budget: Budget
  readonly requestOptions: RequestOptions
  /** Why it is neither listed nor called, whatever the rules say: because of findings in its definition. */
  readonly withheld: Decision | undefined
  /** The state of its definition in the pins. */
  readonly standing: PinCheck
}

export interface OwnRoute extends Common {
  readonly _tag: "OwnRoute"
  readonly own: OwnTool
  /** The server that it belongs to; `undefined` for a tool of the whole runtime. */
  readonly server: AgentServer | undefined
}

export type Route = ServerRoute | OwnRoute

export const decide = (policy: ToolPolicy["Service"], route: Route): Decision =>
  (route._tag === "ServerRoute" ? route.withheld : undefined) ?? policy.decide(route.rules, route.subject)

const ASKS_ALWAYS: Decision = { allowed: true, ask: true, rule: "ask about every call, in this session" }

/** A caller can only make a call need approval that otherwise would not. */
export const tightened = (decision: Decision, { askAlways }: Pick<CallOptions, "askAlways">): Decision =>
  askAlways === true && decision.allowed && decision.ask !== true ? ASKS_ALWAYS : decision

/** Why a tool whose definition nobody has approved is not called. */
export const unapproved = ({ agentTool, server, standing }: ServerRoute): DefinitionChanged | undefined =>
  standing.pin === "approved" || !standing.withheld
    ? undefined
    : new DefinitionChanged({ server: server.config.name, tool: agentTool.tool, change: standing.pin })
