/** The limits for calls to one server, and when its failures pause them. */
import {
  CALLS_BURST_CEILING,
  CALLS_IN_FLIGHT_MAX,
  CALLS_PER_MINUTE,
  CIRCUIT_COOL_DOWN_MS,
  CIRCUIT_FAILURES
} from "../defaults/CallLimits.ts"

/** The limits for calls to one server, and when its failures pause them. */
export interface CallLimits {
  /** Calls per minute of one agent, on average; 0 means no limit. */
  readonly perMinute: number
  /** Calls that one agent may make at once after a pause. Default: a minute's calls. */
  readonly burst: number
  /** Calls in flight, of all agents together. */
  readonly inFlight: number
  /** Failures in a row after which calls are refused for `coolDownMs`; 0 means never. */
  readonly failures: number
  /** Milliseconds until one call may try the server again. */
  readonly coolDownMs: number
  /** Calls of one person in a day and in a month of UTC; of one client or agent where there is no person. Default: no limit. */
  readonly perDay?: number | undefined
  readonly perMonth?: number | undefined
}

/** By default, all calls of a minute may come at once. */
export const burstOf = (perMinute: number): number =>
  perMinute === 0 ? DEFAULT_CALL_LIMITS.burst : Math.min(perMinute, CALLS_BURST_CEILING)

/** The limits of a server whose configuration sets none. */
export const DEFAULT_CALL_LIMITS: CallLimits = {
  perMinute: CALLS_PER_MINUTE,
  burst: CALLS_PER_MINUTE,
  inFlight: CALLS_IN_FLIGHT_MAX,
  failures: CIRCUIT_FAILURES,
  coolDownMs: CIRCUIT_COOL_DOWN_MS
}
