/** Where an exposed name leads: to a tool of a server, or to one of the runtime itself. */
import type { ToolRules } from "../../../schemas/config/GatewayConfig.ts"
import type { PinCheck } from "../../../schemas/call/Pins.ts"
import type { Budget } from "../../../schemas/connection/ServerConfig.ts"
import type { AgentTool } from "../../../schemas/call/Tool.ts"
import type { RequestOptions } from "../../../services/connection/ServerConnector.ts"
import type { ResultOrigin } from "../../../services/call/ToolBridge.ts"
import type { Decision, ToolPolicy, ToolSubject } from "../../../services/call/ToolPolicy.ts"
import type { AgentServer } from "./AgentServer.ts"
import type { OwnTool } from "./OwnTool.ts"

interface Common {
  readonly exposed: string
  readonly agentTool: AgentTool
  /** What rules are asked about. */
  readonly subject: ToolSubject
  readonly rules: ReadonlyArray<ToolRules>
}

export interface ServerRoute extends Common {
  readonly _tag: "ServerRoute"
  readonly server: AgentServer
  /** The server's own name of the tool, raw: what goes over the wire, and what rules are asked about. */
  readonly tool: string
  /** Where its results come from, in clean words. */
  readonly origin: ResultOrigin
  readonly budget: Budget
  readonly requestOptions: RequestOptions
  /** Why it is neither listed nor called, whatever the rules say: of what its server says of it. */
  readonly withheld: Decision | undefined
  /** Whether its definition is the approved one. */
  readonly standing: PinCheck
}

export interface OwnRoute extends Common {
  readonly _tag: "OwnRoute"
  readonly own: OwnTool
  /** The server that it belongs to, if it is not the runtime's as a whole. */
  readonly server: AgentServer | undefined
}

export type Route = ServerRoute | OwnRoute

export const decide = (policy: ToolPolicy["Service"], route: Route): Decision =>
  (route._tag === "ServerRoute" ? route.withheld : undefined) ?? policy.decide(route.rules, route.subject)
