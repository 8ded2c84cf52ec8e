/** The states of a server: Disabled, Idle, Connecting, Ready, Backoff, Failed, Closed; and what `status` shows of it. */
import type { ConnectError } from "./ConnectError.ts"
import type { ServerAbout } from "./ServerAbout.ts"

export type TransportKind = "stdio" | "http" | "sse"
export type Era = "legacy" | "modern"

/** The state of a server. */
export type ServerState =
  | { readonly _tag: "Disabled" }
  /** Lazy and not needed yet, or stopped because nobody called it for a while. */
  | { readonly _tag: "Idle" }
  /** `attempt` counts from 1 since the last healthy connection. */
  | { readonly _tag: "Connecting"; readonly attempt: number }
  | { readonly _tag: "Ready"; readonly info: ConnectionInfo; readonly since: number }
  /** `until` is a time of the clock, in milliseconds. */
  | { readonly _tag: "Backoff"; readonly attempt: number; readonly until: number; readonly cause: ConnectError }
  /** Given up, or not worth a retry. `reset` starts over. */
  | { readonly _tag: "Failed"; readonly cause: ConnectError }
  | { readonly _tag: "Closed" }

/** What is known of a live connection. */
export interface ConnectionInfo {
  readonly transport: TransportKind
  readonly protocolVersion: string
  readonly era: Era
  readonly pid: number | undefined
  /** Milliseconds from the start of the attempt to the first lists. */
  readonly connectMs: number
  readonly about?: ServerAbout | undefined
}

/** One server as `status` shows it. */
export interface ServerStatus {
  readonly state: ServerState["_tag"]
  readonly transport: TransportKind
  readonly protocolVersion: string | null
  readonly tools: number
  /** Tools that are neither listed nor called until the operator approves them. Missing before the first list. */
  readonly withheld?: number | undefined
  /** Tools with definitions that the operator should review, including the withheld ones. */
  readonly unreviewed?: number | undefined
  /** Other tools that this agent does not get, because of its rules or of findings in their definitions. */
  readonly denied?: number | undefined
  /** The resources that the server's `resourceFilter` leaves. A server that was given up has no tools, resources or prompts. */
  readonly resources: number
  readonly prompts: number
  readonly pid: number | null
  readonly connectMs: number | null
  /** Connections opened again after the first one. */
  readonly restarts: number
  readonly lastError: string | null
  /** While it waits for a restart: the milliseconds until then. `changes` does not report that this time passes. */
  readonly retryInMs?: number | undefined
  /**
   * Only while calls are refused because too many failed in a row: for how long, and 0 if the next call tries whether the server is
   * back. `changes` does not report that this time passes.
   */
  readonly circuit?: { readonly retryInMs: number } | undefined
  /** Calls that are under way, if there are any, for all agents and clients. */
  readonly inFlight?: number | undefined
  /** Only while its lists keep changing: the time after which they are read again at the earliest. */
  readonly relistMs?: number | undefined
  /** The parts of its lists that there was no room for, if there are any. */
  readonly tooLarge?: string | undefined
  /** In a fleet, of a server that nodes share: the node where its process lives; `null` while it moves. */
  readonly node?: string | null | undefined
  /**
   * What it waits for without anything being wrong: `login`, for the account of somebody who connects it themselves (`Failed` until then);
   * `person`, for each of whom there is one, and none for this user of it (`Disabled`).
   */
  readonly waits?: "login" | "person" | undefined
}

/** The state, for people who look at it. */
export const stateWords = ({ state, waits }: Pick<ServerStatus, "state" | "waits">): string =>
  waits === undefined ? state : waits === "login" ? "waits for login" : "per person"

/** The same in words, for a caller that misses a tool. */
export const relistInWords = (relistMs: number): string =>
  `its lists keep changing, so they are read every ${Math.round(relistMs / 1000)} s`

/** An open circuit in words, for a caller. */
export const circuitInWords = ({ retryInMs }: NonNullable<ServerStatus["circuit"]>): string =>
  retryInMs > 0
    ? `its calls failed several times in a row, so it is left alone; it may be called again in ${Math.ceil(retryInMs / 1000)} s`
    : "its calls failed several times in a row; the next call tries whether it is back"

/** An error of a server without the server's name, to follow that name. */
export const faultOf = (server: string, message: string): string => {
  const own = `MCP server '${server}'`
  return message.startsWith(own) ? message.slice(own.length).replace(/^:? /, "") : message
}
