/** What is written of an MCP session of a fleet, so that another node can open it again: what its client said, and nothing of what it did. */
import * as Schema from "effect/Schema"
import { LOG_LEVELS } from "../connection/LogMessage.ts"

export const SessionRecord = Schema.Struct({
  id: Schema.String,
  /** The holder of the token that opened it, and the name in its address, if there is one. */
  principal: Schema.String,
  only: Schema.optional(Schema.String),
  /** The parameters of its `initialize`, as they came. */
  initialize: Schema.Record(Schema.String, Schema.Json),
  /** The lowest level of log messages that it wants, if it said that. */
  level: Schema.optional(Schema.Literals(LOG_LEVELS)),
  /** URIs of resources. */
  subscriptions: Schema.Array(Schema.String)
})
export type SessionRecord = typeof SessionRecord.Type
