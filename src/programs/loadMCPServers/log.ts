/** The log of the runtime for a program with its own logger: one plain record per line. */
import * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { inspect } from "node:util"
import { quietly } from "./callbacks.ts"

/** One line of the log, with known secrets masked. */
export interface LogRecord {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly message: string
  /** The server that the line is about, if any. */
  readonly server?: string
}

const LEVELS: Readonly<Record<string, LogRecord["level"]>> = {
  Fatal: "error",
  Error: "error",
  Warn: "warn",
  Info: "info"
}

/** Lines about a server begin with its name. */
const ABOUT = /^\[([^\]]+)\] (.*)$/s

const asText = (value: unknown) => (typeof value === "string" ? value : inspect(value, { breakLength: Infinity }))

const toRecord = ({ cause, logLevel, message }: Logger.Options<unknown>): LogRecord => {
  const words = (Array.isArray(message) ? message : [message]).map(asText)
  const detail = cause.reasons.length === 0 ? [] : [Cause.pretty(cause)]
  const text = [...words, ...detail].join("  ")
  const level = LEVELS[logLevel] ?? "debug"
  const [, server, rest] = ABOUT.exec(text) ?? []
  return server === undefined ? { level, message: text } : { level, message: rest ?? "", server }
}

/** Without a listener nothing is printed. Errors of the listener are ignored. */
export const layer = (onLog: ((record: LogRecord) => unknown) | undefined): Layer.Layer<never> =>
  Logger.layer(
    onLog === undefined
      ? []
      : [
          Logger.make((options) => {
            void quietly(() => onLog(toRecord(options)))
          })
        ]
  )
