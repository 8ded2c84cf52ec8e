/**
 * The names of spans' attributes and of metrics. `mcp.*`, `gen_ai.*` and others are those of OpenTelemetry's conventions for MCP;
 * `mcp_live.*` are ours.
 */
import { DURATION_BOUNDARIES_S } from "../defaults/Telemetry.ts"

/** Attributes of the conventions. */
export const METHOD = "mcp.method.name"
export const PROTOCOL_VERSION = "mcp.protocol.version"
export const RESOURCE_URI = "mcp.resource.uri"
export const TOOL = "gen_ai.tool.name"
export const PERSON = "enduser.id"
export const PERSON_ID = "enduser.pseudo.id"
export const PROMPT = "gen_ai.prompt.name"
export const OPERATION = "gen_ai.operation.name"
export const REQUEST_ID = "jsonrpc.request.id"
export const STATUS_CODE = "rpc.response.status_code"
export const ERROR_TYPE = "error.type"
export const NETWORK_TRANSPORT = "network.transport"
export const NETWORK_PROTOCOL = "network.protocol.name"
export const SERVER_ADDRESS = "server.address"
export const SERVER_PORT = "server.port"

/** Ours: the name of a server in the configuration, an agent, the outcome of a call as in the audit log, and so on. */
export const SERVER = "mcp_live.server"
export const AGENT = "mcp_live.agent"
export const OUTCOME = "mcp_live.outcome"
export const STAGE = "mcp_live.stage"
export const STATE = "mcp_live.state"
export const FINDING = "mcp_live.finding"

export const EXECUTE_TOOL = "execute_tool"
export const TOOL_ERROR = "tool_error"
/** For an error without a name of its own. */
export const OTHER = "_OTHER"

/** `sum` only grows; `level` also falls. */
export interface MetricEntry {
  readonly kind: "histogram" | "sum" | "level"
  /** As UCUM writes it. */
  readonly unit: string
  readonly about: string
  readonly boundaries?: ReadonlyArray<number>
}

const duration = (about: string): MetricEntry => ({
  kind: "histogram",
  unit: "s",
  about,
  boundaries: DURATION_BOUNDARIES_S
})

/** All metrics, by their names. */
export const METRICS = {
  "mcp.client.operation.duration": duration("Requests to servers, from the request to the answer"),
  "mcp.server.operation.duration": duration("Requests of MCP clients, from the request to the answer"),
  "mcp.client.session.duration": duration("Connections to servers, from the handshake to the end"),
  "mcp.server.session.duration": duration("Sessions of MCP clients"),
  "mcp_live.call.duration": duration("Calls of tools with all their stages, by server and outcome"),
  "mcp_live.calls.refused": {
    kind: "sum",
    unit: "{call}",
    about: "Calls that were not sent, by the stage that refused"
  },
  "mcp_live.calls.in_flight": { kind: "level", unit: "{call}", about: "Calls that a server has not answered yet" },
  "mcp_live.result.tokens": { kind: "sum", unit: "{token}", about: "The estimated size of results, in tokens" },
  "mcp_live.findings": { kind: "sum", unit: "{finding}", about: "Suspicious places in what servers sent, by kind" },
  "mcp_live.servers": { kind: "level", unit: "{server}", about: "Servers by their state" },
  "mcp_live.server.restarts": { kind: "sum", unit: "{restart}", about: "Restarts of servers that ended or failed" }
} as const satisfies Readonly<Record<string, MetricEntry>>
export type MetricName = keyof typeof METRICS

/** The attribute of the series that all sets of attributes beyond the limit share. */
export const OVERFLOW = "otel.metric.overflow"
