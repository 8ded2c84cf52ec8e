/** The members of `limits` of a server, with bounds that catch typing errors. */
import {
  CALLS_BURST_CEILING,
  CALLS_IN_FLIGHT_CEILING,
  CALLS_PER_MINUTE_CEILING,
  CIRCUIT_COOL_DOWN_CEILING_MS,
  CIRCUIT_FAILURES_CEILING
} from "../defaults/CallLimits.ts"
import { QUOTA_CEILING } from "../defaults/Quotas.ts"
import { whole } from "./Keys.ts"

export const LIMITS = {
  perMinute: whole("a number of calls, or 0 for no limit", 0, CALLS_PER_MINUTE_CEILING),
  burst: whole("a positive number of calls", 1, CALLS_BURST_CEILING),
  inFlight: whole("a positive number of calls", 1, CALLS_IN_FLIGHT_CEILING),
  failures: whole("a number of failures, or 0 for never", 0, CIRCUIT_FAILURES_CEILING),
  perDay: whole("a positive number of calls", 1, QUOTA_CEILING),
  perMonth: whole("a positive number of calls", 1, QUOTA_CEILING),
  coolDownMs: whole("a positive number of milliseconds", 1, CIRCUIT_COOL_DOWN_CEILING_MS)
}
