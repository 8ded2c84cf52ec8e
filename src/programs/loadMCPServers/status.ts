/** The state of a server in the words of a program that only wants to know whether it can be used. */
import {
  circuitInWords,
  relistInWords,
  type ServerStatus,
  type TransportKind
} from "../../schemas/connection/ServerState.ts"

/**
 * `connected`: its tools can be called. `connecting`: on its way up. `error`: its last connection or attempt failed.
 * `disconnected`: switched off, asleep until it is needed, or closed.
 */
export type MCPServerState = "connected" | "connecting" | "disconnected" | "error"

/** A server as `statusDetails()` tells of it. */
export interface MCPServerStatus {
  /** As `status()` gives it. */
  readonly state: MCPServerState
  /**
   * Why it is not connected, and what comes next; of one that is, why its calls are refused for now or its lists are behind;
   * else `null`.
   */
  readonly detail: string | null
  readonly transport: TransportKind
  /** The revision of MCP that was agreed on; `null` of one that is not connected. */
  readonly protocolVersion: string | null
  /** How many tools it offers. */
  readonly tools: number
  /** How many resources it offers. */
  readonly resources: number
  /** How many prompts it offers. */
  readonly prompts: number
  /** Of a stdio server that runs. */
  readonly pid: number | null
  /** Connections opened again after the first one. */
  readonly restarts: number
}

type Verdict = Pick<MCPServerStatus, "state" | "detail">

/** Of one that is connected: what keeps its calls from it, or else its lists. */
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
      return { state: "disconnected", detail: "it is switched off" }
    case "Closed":
      return CLOSED
  }
}

const CLOSED: Verdict = { state: "disconnected", detail: "it was closed" }

export const toStatus = (status: ServerStatus): MCPServerStatus => {
  const { pid, prompts, protocolVersion, resources, restarts, tools, transport } = status
  return { ...verdict(status), transport, protocolVersion, tools, resources, prompts, pid, restarts }
}

/** What is left to say after everything was closed. */
export const closedStatus = (status: MCPServerStatus): MCPServerStatus => ({
  ...status,
  ...CLOSED,
  protocolVersion: null,
  tools: 0,
  resources: 0,
  prompts: 0,
  pid: null
})
