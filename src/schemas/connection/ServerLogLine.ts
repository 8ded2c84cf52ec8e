/** One line of the log about servers: what they write to stderr, their log messages, and their life as this gateway sees it. */
import * as Schema from "effect/Schema"
import { reader } from "../data/Lenient.ts"
import { LOG_LEVELS } from "./LogMessage.ts"

export const SERVER_LOG_VERSION = 1

/** `stderr`: the server's standard error. `log`: a log message of the server. `gateway`: what this gateway did with it. */
export const SERVER_LOG_SOURCES = ["stderr", "log", "gateway"] as const
export type ServerLogSource = (typeof SERVER_LOG_SOURCES)[number]

export const ServerLogLine = Schema.Struct({
  v: Schema.Literal(SERVER_LOG_VERSION),
  /** ISO 8601, UTC. */
  time: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  server: Schema.String,
  /** The client or session that has it alone. */
  whose: Schema.optionalKey(Schema.String),
  source: Schema.Literals(SERVER_LOG_SOURCES),
  /** For stderr, a guess from its words. */
  level: Schema.Literals(LOG_LEVELS),
  /** One line, cleaned, with known secrets masked. */
  text: Schema.String,
  /** The gateway that wrote it. */
  gateway: Schema.Int
})
export type ServerLogLine = typeof ServerLogLine.Type

const decode = reader(Schema.fromJsonString(ServerLogLine))

/** Stands for lines that were not kept. */
export const linesLeftOut = (count: number) => `(${count} more lines in a short time)`

/** How many lines a text stands for. */
export const linesIn = (text: string): number =>
  Number(/^\((\d{1,9}) more lines in a short time\)$/.exec(text)?.[1] ?? 1)

/** `undefined` for a line that is damaged, or that this version cannot read. */
export const parseServerLogLine = (text: string): ServerLogLine | undefined => decode(text)
