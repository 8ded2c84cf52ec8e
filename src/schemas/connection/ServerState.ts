/** How a server lives (DESIGN: Disabled, Idle, Connecting, Ready, Backoff, Failed, Closed). */
import type { ConnectError } from "./ConnectError.ts"

export type TransportKind = "stdio" | "http" | "sse"
export type Era = "legacy" | "modern"

/** Where a server is in its life. */
export type ServerState =
  | { readonly _tag: "Disabled" }
  /** Lazy and not yet needed, or stopped because nobody called for a while. */
  | { readonly _tag: "Idle" }
  /** `attempt` counts from 1 since the last healthy time. */
  | { readonly _tag: "Connecting"; readonly attempt: number }
  | { readonly _tag: "Ready"; readonly info: ConnectionInfo; readonly since: number }
  /** `until` is the clock's time in milliseconds. */
  | { readonly _tag: "Backoff"; readonly attempt: number; readonly until: number; readonly cause: ConnectError }
  /** Given up, or not worth retrying. `reset` starts over. */
  | { readonly _tag: "Failed"; readonly cause: ConnectError }
  | { readonly _tag: "Closed" }

/** What is known of a live connection. */
export interface ConnectionInfo {
  readonly transport: TransportKind
  readonly protocolVersion: string
  readonly era: Era
  readonly pid: number | undefined
  /** Milliseconds from the start of the attempt to the first catalogue. */
  readonly connectMs: number
}

/** One server as `status` shows it. */
export interface ServerStatus {
  readonly state: ServerState["_tag"]
  readonly transport: TransportKind
  readonly protocolVersion: string | null
  readonly tools: number
  /** Tools that are neither listed nor called until the operator approves them; left out while no list was looked at. */
  readonly withheld?: number | undefined
  /** Tools on whose definitions the operator has something to look at, those that are withheld among them. */
  readonly unreviewed?: number | undefined
  /** Other tools that this agent is not given: by its rules, or for what was found in their definitions. */
  readonly denied?: number | undefined
  /** That the server's `resourceFilter` leaves. A server that was given up offers nothing: no tools, no resources, no prompts. */
  readonly resources: number
  readonly prompts: number
  readonly pid: number | null
  readonly connectMs: number | null
  /** Connections opened again after the first one. */
  readonly restarts: number
  readonly lastError: string | null
  /** Milliseconds until it is started again, while it waits for that. Time alone changes it, so `changes` does not tell. */
  readonly retryInMs?: number | undefined
  /**
   * Left out unless calls have failed so often in a row that the next ones are refused: for how long, and 0 where the next
   * one tries whether the server is back. Time alone changes it, so `changes` does not tell.
   */
  readonly circuit?: { readonly retryInMs: number } | undefined
  /** Left out unless its lists keep changing: they are read again no sooner than so long after the last time. */
  readonly relistMs?: number | undefined
  /** Left out unless there was no room for all of its lists: what of them is missing. */
  readonly tooLarge?: string | undefined
}

/** What it means for whoever looks for a tool that is not there yet. */
export const relistInWords = (relistMs: number): string =>
  `its lists keep changing, so they are read every ${Math.round(relistMs / 1000)} s`

/** What an open circuit means for whoever wants to call. */
export const circuitInWords = ({ retryInMs }: NonNullable<ServerStatus["circuit"]>): string =>
  retryInMs > 0
    ? `its calls failed several times in a row, so it is left alone; it may be called again in ${Math.ceil(retryInMs / 1000)} s`
    : "its calls failed several times in a row; the next call tries whether it is back"

/** A fault of a server as it stands behind the server's name: without naming it again. */
export const faultOf = (server: string, message: string): string => {
  const own = `MCP server '${server}'`
  return message.startsWith(own) ? message.slice(own.length).replace(/^:? /, "") : message
}
