/** The pins of servers, and definitions that wait for a decision: what was approved, and what the server says now. `DecidePins` decides. */
import * as Schema from "effect/Schema"
import { VERDICTS } from "../call/Pins.ts"

/** A definition as text: known secrets are masked, and characters that cannot be seen are escaped (`\u200b`). */
export const DefinitionText = Schema.Struct({
  hash: Schema.String,
  /** When it was approved or first seen; milliseconds since the epoch. */
  at: Schema.Finite,
  /** JSON of name, title, description, schemas and annotations, indented. */
  json: Schema.String,
  /** The instructions of the server at that time. */
  instructions: Schema.optionalKey(Schema.String)
})
export type DefinitionText = typeof DefinitionText.Type

export const PinsChange = Schema.Struct({
  /** These name the definition for `DecidePins`, as they are; show `shownServer` and `shownTool`. */
  server: Schema.String,
  launch: Schema.String,
  configuration: Schema.optionalKey(Schema.String),
  tool: Schema.String,
  /** Of the definition that a decision is about. */
  hash: Schema.optionalKey(Schema.String),
  shownServer: Schema.String,
  shownTool: Schema.String,
  /** `approved`: only the way in which its server is started, or a tool of the same name, is new. */
  status: Schema.Literals(["new", "changed", "rejected", "gone", "approved"]),
  /** The approved definition; missing if none was. */
  kept: Schema.optionalKey(DefinitionText),
  /** What the server says now, or said last; missing if that is the approved one. */
  current: Schema.optionalKey(DefinitionText),
  renamedFrom: Schema.optionalKey(Schema.String),
  /** `server/tool`: an older tool with the same name. */
  shadows: Schema.optionalKey(Schema.String),
  /** How its server was started when it was approved, and how it is now, if these differ. */
  launches: Schema.optionalKey(Schema.Struct({ kept: Schema.String, current: Schema.String })),
  /** It belongs to a way to start the server that is not used any more. */
  isOlder: Schema.Boolean,
  /** Texts were cut, because they are very long: decide at the terminal, where all of it can be seen. */
  isCut: Schema.Boolean
})
export type PinsChange = typeof PinsChange.Type

export const PinsChangesValue = Schema.Struct({
  changes: Schema.Array(PinsChange),
  /** How many more there are than fit into one answer. */
  more: Schema.Int,
  /** Files of pins that cannot be read. */
  unreadable: Schema.Array(Schema.Struct({ file: Schema.String, detail: Schema.String }))
})
export type PinsChangesValue = typeof PinsChangesValue.Type

/** The pins of one server, as in their file, or why they cannot be read. */
export const KeptPins = Schema.Union([
  Schema.TaggedStruct("Pins", { text: Schema.String }),
  Schema.TaggedStruct("Unreadable", { file: Schema.String, detail: Schema.String })
])

/** A decision about tools (`DefinitionLedger.decide`). */
export const PinsDecision = Schema.Struct({
  server: Schema.String,
  launch: Schema.String,
  configuration: Schema.optional(Schema.String),
  verdict: Schema.Literals(VERDICTS),
  tools: Schema.Array(Schema.Struct({ name: Schema.String, hash: Schema.UndefinedOr(Schema.String) }))
})
