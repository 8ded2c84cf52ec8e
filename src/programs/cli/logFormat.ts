/** Lines of the log: for people, or one JSON document each for programs that collect them, with the ids of the trace they belong to. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import type * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { inspect } from "node:util"
import { seenSpan } from "../../schemas/telemetry/CurrentSpan.ts"
import { visible } from "./visible.ts"

export const LOG_FORMATS = ["text", "json"] as const
type Format = (typeof LOG_FORMATS)[number]

/** For programs that others start with arguments of their own. */
const VARIABLE = "MCP_LIVE_LOG_FORMAT"

export const LogFormat = GlobalFlag.Setting("log-format")({
  flag: Flag.ChoiceWithValue(
    "log-format",
    LOG_FORMATS.map((one) => [one, one] as const)
  ).pipe(
    Flag.withMetavar("<text|json>"),
    Flag.withDescription(`How the log is written: text, or one JSON document a line; without it, as ${VARIABLE} says`),
    Flag.optional
  )
})

const asText = (value: unknown) => (typeof value === "string" ? value : inspect(value, { breakLength: Infinity }))

const partsOf = ({ cause, fiber, message }: Logger.Options<unknown>) => ({
  words: (Array.isArray(message) ? message : [message]).map(asText),
  annotations: Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
    ([key, value]) => [key, asText(value)] as const
  ),
  detail: cause.reasons.length === 0 ? undefined : Cause.pretty(cause)
})

/** `12:34:56 WARN  the message  server=files` */
export const formatLog = (options: Logger.Options<unknown>): string => {
  const { annotations, detail, words } = partsOf(options)
  const { date, logLevel } = options
  const line = [
    ...words,
    ...annotations.map(([key, value]) => `${key}=${value}`),
    ...(detail === undefined ? [] : [detail])
  ].join("  ")
  return visible(`${date.toTimeString().slice(0, 8)} ${logLevel.toUpperCase().padEnd(5)} ${line}\n`)
}

/** `{"time":"…","level":"warn","message":"…","trace_id":"…","span_id":"…"}`; `mask` hides known secrets. */
export const formatJson = (options: Logger.Options<unknown>, mask: (text: string) => string): string => {
  const { annotations, detail, words } = partsOf(options)
  const span = seenSpan(options.fiber.cache.span)
  const of = Object.fromEntries(annotations.map(([key, value]) => [mask(key), mask(value)]))
  const line = {
    time: options.date.toISOString(),
    level: options.logLevel.toLowerCase(),
    message: mask(words.join("  ")),
    ...(annotations.length === 0 ? {} : { of }),
    ...(detail === undefined ? {} : { cause: mask(detail) }),
    ...(span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId })
  }
  return `${JSON.stringify(line)}\n`
}

/** The flag, or else the variable. */
export const wantsJson = ({ fiber }: Logger.Options<unknown>): boolean => {
  const flag = Option.flatten(Context.getOption(fiber.context as Context.Context<never>, LogFormat))
  return Option.getOrElse(flag, (): Format => (process.env[VARIABLE] === "json" ? "json" : "text")) === "json"
}
