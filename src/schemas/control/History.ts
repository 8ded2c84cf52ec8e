/** What happened lately, as pictures show it: states of servers, calls by minute, and calls by tool. */
import * as Schema from "effect/Schema"
import { STATES } from "./Values.ts"

/** A server was in a state for a time. Times are milliseconds since the epoch. */
export const StateSpan = Schema.Struct({
  from: Schema.Finite,
  /** Missing for the present state. */
  to: Schema.optionalKey(Schema.Finite),
  state: Schema.Literals(STATES),
  /** Why, for a state that has a cause: cleaned, and with known secrets masked. */
  reason: Schema.optionalKey(Schema.String)
})
export type StateSpan = typeof StateSpan.Type

/** The calls that ended within a minute. */
export const MinuteValue = Schema.Struct({
  /** When the minute began. */
  at: Schema.Finite,
  calls: Schema.Int,
  /** Of them, those that did not end well. */
  errors: Schema.Int,
  /** `null` without a call. With very many calls in the minute, computed from the last ones. */
  p50Ms: Schema.NullOr(Schema.Finite),
  p99Ms: Schema.NullOr(Schema.Finite),
  /** The size of the results, in tokens: an estimate. */
  resultTokens: Schema.Finite
})
export type MinuteValue = typeof MinuteValue.Type

/** Sixty minutes, the oldest first; the last one is the present. */
const Minutes = Schema.Array(MinuteValue)

/** The last hour, or the time since the start of the gateway. */
export const HistoryValue = Schema.Struct({
  /** When this was; milliseconds since the epoch. */
  now: Schema.Finite,
  /** The first moment that it covers. */
  since: Schema.Finite,
  /** Of all servers together. */
  minutes: Minutes,
  /** By the name of the server. */
  servers: Schema.Record(Schema.String, Schema.Struct({ states: Schema.Array(StateSpan), minutes: Minutes }))
})
export type HistoryValue = typeof HistoryValue.Type

/** The calls of one tool, or of one server. */
export const TallyValue = Schema.Struct({
  server: Schema.String,
  /** The server's own name of the tool, cleaned; missing in the sum of a server. */
  tool: Schema.optionalKey(Schema.String),
  calls: Schema.Int,
  errors: Schema.Int,
  p50Ms: Schema.NullOr(Schema.Finite),
  p99Ms: Schema.NullOr(Schema.Finite),
  resultTokens: Schema.Finite,
  /** When the last one ended. */
  lastAt: Schema.Finite,
  /** Calls and errors of each step of time, of those that `TalliesValue` names. */
  steps: Schema.Array(Schema.Struct({ calls: Schema.Int, errors: Schema.Int }))
})
export type TallyValue = typeof TallyValue.Type

export const TalliesValue = Schema.Struct({
  /** The time that is covered: what was asked for, or less if older calls are not kept. */
  since: Schema.Finite,
  until: Schema.Finite,
  /** When each step begins; all are equally long. */
  steps: Schema.Array(Schema.Finite),
  /** The most called first, and at most a few hundred. */
  tools: Schema.Array(TallyValue),
  servers: Schema.Array(TallyValue)
})
export type TalliesValue = typeof TalliesValue.Type

/** A moment in the life of a server. */
export const LifeEvent = Schema.Struct({
  at: Schema.Finite,
  /**
   * `state`: it changed to `state`. `restart`: a restart was planned. `exit`: its process or connection ended. One server can have several
   * processes, for agents or clients of their own: `process` tells them apart.
   */
  kind: Schema.Literals(["state", "restart", "exit"]),
  state: Schema.Literals(STATES),
  process: Schema.Int,
  /** Cleaned, and with known secrets masked. */
  reason: Schema.optionalKey(Schema.String)
})
export type LifeEvent = typeof LifeEvent.Type

export const TimelineValue = Schema.Struct({
  server: Schema.String,
  /** The oldest first; only the last ones are kept. */
  events: Schema.Array(LifeEvent),
  /** How many older ones are not kept any more. */
  missed: Schema.Int
})
export type TimelineValue = typeof TimelineValue.Type
