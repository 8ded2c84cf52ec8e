/** The way of one call through the pipeline, for calls of this start of the gateway that are still kept. */
import * as Schema from "effect/Schema"
import { AuditRecord } from "../call/AuditRecord.ts"

/** The stages of a call, in their order; `call` is the whole. A call that was refused lacks the later ones. */
export const TRACE_STAGES = ["call", "resolve", "authorize", "approve", "admit", "dispatch", "shape", "record"] as const

export const TraceSpan = Schema.Struct({
  name: Schema.Literals(TRACE_STAGES),
  /** Microseconds since the beginning of the call. */
  startUs: Schema.Finite,
  durationUs: Schema.Finite,
  /** The server that the time was spent at, for what goes there. */
  server: Schema.optionalKey(Schema.String),
  /** Neither arguments nor results are in them. */
  attributes: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
})
export type TraceSpan = typeof TraceSpan.Type

export const TraceValue = Schema.Struct({
  id: Schema.String,
  /** When the call began; milliseconds since the epoch. */
  at: Schema.Finite,
  record: AuditRecord,
  spans: Schema.Array(TraceSpan)
})
export type TraceValue = typeof TraceValue.Type
