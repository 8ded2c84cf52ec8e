/** The members of `limits` of a server, each within bounds that keep a slip from meaning something else. */
import type { CallLimits } from "../call/CallLimits.ts"
import {
  CALLS_BURST_CEILING,
  CALLS_IN_FLIGHT_CEILING,
  CALLS_PER_MINUTE_CEILING,
  CIRCUIT_COOL_DOWN_CEILING_MS,
  CIRCUIT_FAILURES_CEILING
} from "../defaults/CallLimits.ts"
import * as Field from "./Fields.ts"

export const readLimit = {
  perMinute: Field.whole("a number of calls, or 0 for any number", 0, CALLS_PER_MINUTE_CEILING),
  burst: Field.whole("a positive number of calls", 1, CALLS_BURST_CEILING),
  inFlight: Field.whole("a positive number of calls", 1, CALLS_IN_FLIGHT_CEILING),
  failures: Field.whole("a number of failures, or 0 for never", 0, CIRCUIT_FAILURES_CEILING),
  coolDownMs: Field.whole("a positive number of milliseconds", 1, CIRCUIT_COOL_DOWN_CEILING_MS)
} satisfies Record<keyof CallLimits, Field.Read<number>>

export const LIMIT_KEYS: ReadonlyArray<string> = Object.keys(readLimit)
