/** How much one server is asked, and when it is left alone because it fails. */
import {
  CALLS_BURST_CEILING,
  CALLS_IN_FLIGHT_MAX,
  CALLS_PER_MINUTE,
  CIRCUIT_COOL_DOWN_MS,
  CIRCUIT_FAILURES
} from "../defaults/CallLimits.ts"

/** How much one server is asked, and when it is left alone because it fails. */
export interface CallLimits {
  /** Calls a minute of one agent, in the long run; 0 for no such limit. */
  readonly perMinute: number
  /** Calls that one agent may make at once when it has made none for a while; unless set, as many as a minute may have. */
  readonly burst: number
  /** Calls in flight, of all agents together. */
  readonly inFlight: number
  /** Failures in a row after which calls are refused for `coolDownMs`; 0 for never. */
  readonly failures: number
  /** Milliseconds until one call may try whether the server is back. */
  readonly coolDownMs: number
}

/** A minute's calls may come at once, unless somebody says otherwise. */
export const burstOf = (perMinute: number): number =>
  perMinute === 0 ? DEFAULT_CALL_LIMITS.burst : Math.min(perMinute, CALLS_BURST_CEILING)

/** The limits of a server whose configuration says nothing of them. */
export const DEFAULT_CALL_LIMITS: CallLimits = {
  perMinute: CALLS_PER_MINUTE,
  burst: CALLS_PER_MINUTE,
  inFlight: CALLS_IN_FLIGHT_MAX,
  failures: CIRCUIT_FAILURES,
  coolDownMs: CIRCUIT_COOL_DOWN_MS
}
