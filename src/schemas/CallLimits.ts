/** How much one server is asked, and when it is left alone because it fails. */
import * as Defaults from "./Defaults.ts"

export interface CallLimits {
  /** Calls a minute of one agent, in the long run; 0 for no such limit. */
  readonly perMinute: number
  /** Calls that one agent may make at once when it has made none for a while. */
  readonly burst: number
  /** Calls in flight, of all agents together. */
  readonly inFlight: number
  /** Failures in a row after which calls are refused for `coolDownMs`; 0 for never. */
  readonly failures: number
  /** Milliseconds until one call may try whether the server is back. */
  readonly coolDownMs: number
}

export const DEFAULT_CALL_LIMITS: CallLimits = {
  perMinute: Defaults.CALLS_PER_MINUTE,
  burst: Defaults.CALLS_BURST,
  inFlight: Defaults.CALLS_IN_FLIGHT_MAX,
  failures: Defaults.CIRCUIT_FAILURES,
  coolDownMs: Defaults.CIRCUIT_COOL_DOWN_MS
}
