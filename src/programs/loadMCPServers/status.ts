/** The state of a server, for a program that only wants to know whether it can be used. */
import {
  circuitInWords,
  relistInWords,
  type ServerStatus,
  type TransportKind
} from "../../schemas/connection/ServerState.ts"

/**
 * `connected`: its tools can be called. `connecting`: it is starting. `error`: its last connection or attempt failed.
 * `disconnected`: it is disabled, lazy and not started yet, or closed.
 */
export type MCPServerState = "connected" | "connecting" | "disconnected" | "error"

/** A server in `statusDetails()`. */
export interface MCPServerStatus {
  /** As in `status()`. */
  readonly state: MCPServerState
  /**
   * Why it is not connected, and what happens next; for a connected server, why calls are refused for now or why its lists
   * are out of date; otherwise `null`.
   */
  readonly detail: string | null
  readonly transport: TransportKind
  /** The negotiated revision of MCP; `null` when not connected. */
  readonly protocolVersion: string | null
  /** The number of its tools. */
  readonly tools: number
  /** The number of its resources. */
  readonly resources: number
  /** The number of its prompts. */
  readonly prompts: number
  /** The process id of a running stdio server. */
  readonly pid: number | null
  /** How often it was connected again after the first time. */
  readonly restarts: number
}

type Verdict = Pick<MCPServerStatus, "state" | "detail">

/** For a connected server: why its calls are refused, or else why its lists are out of date. */
const besides = ({ circuit, relistMs, tooLarge }: ServerStatus): string | null => {
  if (circuit !== undefined) return circuitInWords(circuit)
  const ofLists = [
    ...(relistMs === undefined ? [] : [relistInWords(relistMs)]),
    ...(tooLarge === undefined ? [] : [tooLarge])
  ]
  return ofLists.length === 0 ? null : ofLists.join("; ")
}

const verdict = (status: ServerStatus): Verdict => {
  const { lastError, state } = status
  switch (state) {
    case "Ready":
      return { state: "connected", detail: besides(status) }
    case "Connecting":
      return { state: "connecting", detail: lastError }
    case "Backoff":
      return { state: "error", detail: `${lastError ?? "its connection was lost"} (it will be tried again)` }
    case "Failed":
      return { state: "error", detail: `${lastError ?? "it could not be connected"} (given up)` }
    case "Idle":
      return { state: "disconnected", detail: "it is started when it is needed" }
    case "Disabled":
      return { state: "disconnected", detail: "it is disabled" }
    case "Closed":
      return CLOSED
  }
}

const CLOSED: Verdict = { state: "disconnected", detail: "it was closed" }

export const toStatus = (status: ServerStatus): MCPServerStatus => {
  const { pid, prompts, protocolVersion, resources, restarts, tools, transport } = status
  return { ...verdict(status), transport, protocolVersion, tools, resources, prompts, pid, restarts }
}

/** The status after everything was closed. */
export const closedStatus = (status: MCPServerStatus): MCPServerStatus => ({
  ...status,
  ...CLOSED,
  protocolVersion: null,
  tools: 0,
  resources: 0,
  prompts: 0,
  pid: null
})
