/**
 * The life of a supervised server as data: what is known of it, and what each event makes of that. All transitions are in the one
 * pure function `step`; `supervise.ts` has the effects around it.
 */
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import { formatIssue } from "../../../schemas/config/ConfigIssue.ts"
import { InvalidLaunch, type ConnectError } from "../../../schemas/connection/ConnectError.ts"
import { isForPersonsOnly } from "../../../schemas/connection/PersonPlaceholder.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ServerState } from "../../../schemas/connection/ServerState.ts"
import type { ServerConnection } from "../../../services/connection/ServerConnector.ts"
import type { Snapshot } from "../../../services/connection/ServerPool.ts"
import type { Refresh } from "./refresh.ts"

/** A connection that can be used, and how it is listed anew. */
export interface Live {
  readonly connection: ServerConnection
  readonly refresh: Refresh
}

type Ready = Extract<ServerState, { readonly _tag: "Ready" }>
export type State = Exclude<ServerState, Ready> | (Ready & Live)

/** What is known of a server: what others see of it, and what its supervision needs besides. */
export interface Supervision extends Snapshot {
  readonly state: State
  /** Restarts that were planned since the last reset. Those that led to a connection are `restarts`. */
  readonly planned: number
  /** A connection, or an attempt, has ended, and what comes next is not decided. */
  readonly isUndecided: boolean
}

export type Event =
  /** Somebody needs the server. */
  | { readonly _tag: "Woken" }
  | { readonly _tag: "Opening"; readonly attempt: number }
  | { readonly _tag: "Opened"; readonly live: Live; readonly catalogue: Catalogue; readonly since: number }
  | { readonly _tag: "Listed"; readonly connection: ServerConnection; readonly catalogue: Catalogue }
  /** Its lists are read again no sooner than this; `undefined` when they have not changed lately. */
  | { readonly _tag: "Paced"; readonly relistMs: number | undefined }
  /** Nobody used it for long. */
  | { readonly _tag: "Slept" }
  | { readonly _tag: "Ended"; readonly attempt: number; readonly at: number; readonly cause: ConnectError }
  | { readonly _tag: "Planned"; readonly attempt: number; readonly until: number; readonly cause: ConnectError }
  | { readonly _tag: "GivenUp"; readonly cause: ConnectError }
  /** The cause for which it was given up is gone. */
  | { readonly _tag: "Mended" }
  /** Its connection is closed by us, for a reset. */
  | { readonly _tag: "Stopped" }
  | { readonly _tag: "Reset" }
  | { readonly _tag: "Closed" }

const FIRST: State = { _tag: "Connecting", attempt: 1 }
/** The states from which a server can be started. */
const STARTABLE: ReadonlySet<ServerState["_tag"]> = new Set(["Idle", "Connecting"])

export const isStartable = ({ state }: Supervision): boolean => STARTABLE.has(state._tag)

const beginningState = (config: ServerConfig): State => {
  const { enabled, fault, lazy, name } = config
  // One that is for persons is none for anybody else: that is no failure.
  if (!enabled || (fault === undefined && isForPersonsOnly(config))) return { _tag: "Disabled" }
  if (fault === undefined) return lazy ? { _tag: "Idle" } : FIRST
  return { _tag: "Failed", cause: new InvalidLaunch({ server: name, detail: formatIssue(fault) }) }
}

export const beginningOf = (config: ServerConfig): Supervision => {
  const state = beginningState(config)
  const lastError = state._tag === "Failed" ? state.cause.message : undefined
  return { state, lastError, catalogue: undefined, restarts: 0, planned: 0, isUndecided: false }
}

export const liveOf = ({ state }: Supervision): Live | undefined => (state._tag === "Ready" ? state : undefined)

/** Gives the same object where an event changes nothing. */
export const step = (known: Supervision, event: Event): Supervision => {
  if (known.state._tag === "Closed") return known
  switch (event._tag) {
    case "Woken":
      return known.state._tag === "Idle" ? { ...known, state: FIRST } : known
    case "Opening":
      return { ...known, state: { _tag: "Connecting", attempt: event.attempt } }
    case "Opened": {
      const { catalogue, live, since } = event
      const state: State = { _tag: "Ready", info: live.connection.info, since, ...live }
      return { ...known, state, catalogue, restarts: known.planned, relistMs: undefined }
    }
    case "Listed": {
      const isNews = liveOf(known)?.connection === event.connection && event.catalogue !== known.catalogue
      return isNews ? { ...known, catalogue: event.catalogue } : known
    }
    case "Paced":
      return event.relistMs === known.relistMs ? known : { ...known, relistMs: event.relistMs }
    case "Slept":
      return { ...known, state: { _tag: "Idle" } }
    case "Ended": {
      const { at, attempt, cause } = event
      const state: State = { _tag: "Backoff", attempt, until: at, cause }
      return { ...known, state, lastError: cause.message, isUndecided: true }
    }
    case "Planned": {
      const { attempt, cause, until } = event
      const state: State = { _tag: "Backoff", attempt, until, cause }
      return { ...known, state, planned: known.planned + 1, isUndecided: false }
    }
    case "GivenUp": {
      const { cause } = event
      return { ...known, state: { _tag: "Failed", cause }, lastError: cause.message, isUndecided: false }
    }
    case "Mended":
      return { ...known, state: FIRST, lastError: undefined }
    case "Stopped":
      return known.state._tag === "Ready" ? { ...known, state: FIRST } : known
    case "Reset":
      return { ...known, state: FIRST, restarts: 0, planned: 0, lastError: undefined, isUndecided: false }
    case "Closed":
      return { ...known, state: { _tag: "Closed" } }
  }
}

/** It sleeps, is disabled, or the operator has stopped it: nothing but that may start it. */
export const isAtRest = ({ state }: Supervision): boolean =>
  state._tag === "Idle" ||
  state._tag === "Disabled" ||
  state._tag === "Closed" ||
  (state._tag === "Failed" && state.cause._tag === "StoppedByOperator")

/** States in which nothing is under way, so that waiting is of no use. */
const HOPELESS: ReadonlySet<ServerState["_tag"]> = new Set(["Disabled", "Backoff", "Failed", "Closed"])

/** Whether whoever waits for a connection has waited long enough. */
export const hasArrived = ({ state }: Supervision): boolean => state._tag === "Ready" || HOPELESS.has(state._tag)

/** Whether the server is not on its way to another state. */
export const isSettled = (known: Supervision): boolean =>
  !known.isUndecided && (hasArrived(known) || known.state._tag === "Idle")
