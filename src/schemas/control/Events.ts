/** What happens in a gateway, as one stream that can be taken up again where it was left. */
import * as Schema from "effect/Schema"
import { AuditRecord } from "../call/AuditRecord.ts"
import { ConfigState } from "../config/ConfigState.ts"
import { ServerLogLine } from "../connection/ServerLogLine.ts"
import { FiguresValue } from "./FiguresValue.ts"
import { PendingQuestion } from "./Question.ts"
import { StatusesValue } from "./Values.ts"

/** How far a reader has come. */
export const EventPosition = Schema.Struct({
  /** One start of the gateway: with another one, its numbers begin again. */
  epoch: Schema.String,
  seq: Schema.Int
})
export type EventPosition = typeof EventPosition.Type

/** A record of the audit log. */
export const HeardRecord = Schema.Struct({
  /** Of a call whose trace may still be kept: what `Trace` asks for. */
  id: Schema.optionalKey(Schema.String),
  record: AuditRecord
})
export type HeardRecord = typeof HeardRecord.Type

export const GatewayEvent = Schema.Union([
  /** The servers of the agent, whole, at the start and after changes. */
  Schema.TaggedStruct("Statuses", { statuses: StatusesValue }),
  /** At the start, and every few seconds. */
  Schema.TaggedStruct("Figures", { figures: FiguresValue }),
  /** A record of the audit log: a call that ended, a finding, an approval … */
  Schema.TaggedStruct("Call", HeardRecord.fields),
  Schema.TaggedStruct("Log", { line: ServerLogLine }),
  /** All open questions, at the start and after each change. */
  Schema.TaggedStruct("Questions", { questions: Schema.Array(PendingQuestion) }),
  /** At the start and after each change. */
  Schema.TaggedStruct("Configuration", { state: ConfigState }),
  /** Definitions have changed, or were decided about: ask `PinsChanges`. */
  Schema.TaggedStruct("Pins", {}),
  /** The tools of the agent may be others: ask `Tools`, `Plan` or `Context`. */
  Schema.TaggedStruct("Tools", {}),
  /** So many events since the given position are not kept any more, or all, if it was that of another start: ask anew. */
  Schema.TaggedStruct("Missed", { count: Schema.NullOr(Schema.Int) })
])
export type GatewayEvent = typeof GatewayEvent.Type

/**
 * One event. `seq` grows with what passes (`Call`, `Log`); what describes the present, or says that something else has to be asked for, has
 * the number of the last one before it, and is told anew to everybody who comes. Give the last `epoch` and `seq` that you have seen as `after`.
 */
export const NumberedEvent = Schema.Struct({
  ...EventPosition.fields,
  /** When it happened; milliseconds since the epoch. */
  at: Schema.Finite,
  event: GatewayEvent
})
export type NumberedEvent = typeof NumberedEvent.Type
