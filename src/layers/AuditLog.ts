/**
 * Writes each call down: one debug line with its record as annotations, a warning when something in the result was
 * suspicious, and one metric: `mcp_live_call_ms`, a histogram by server and outcome, which counts the calls as well as
 * their milliseconds. A line is only built when someone reads it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import { LABEL_MAX_CHARS, METRIC_SERIES_MAX } from "../schemas/Defaults.ts"
import type { Finding } from "../schemas/Finding.ts"
import { AuditLog, type CallRecord } from "../services/AuditLog.ts"

/** Milliseconds: 1, 2, 4 … about a minute. */
const DURATION_BUCKETS = Metric.exponentialBoundaries({ start: 1, factor: 2, count: 17 })

type Series = Metric.Histogram<number>

const makeSeries = (server: string, outcome: string): Series =>
  Metric.histogram("mcp_live_call_ms", {
    description: "Tool calls by server and outcome, with their duration in milliseconds",
    attributes: { server, outcome },
    boundaries: DURATION_BUCKETS
  })

/** Names are those of a server or a model: nothing in them may start a line of its own, or hide in one. */
const shown = (name: string) => name.slice(0, LABEL_MAX_CHARS).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")

const nameOf = ({ server, tool }: CallRecord) => `${server === undefined ? "?" : shown(server)}/${shown(tool)}`

const write = (record: CallRecord): Effect.Effect<void> =>
  Effect.logDebug(`tools/call ${nameOf(record)} ${record.outcome} ${Math.round(record.durationMs)} ms`).pipe(
    Effect.annotateLogs({
      ...record,
      server: record.server === undefined ? null : shown(record.server),
      tool: shown(record.tool),
      shape: record.shape()
    })
  )

/** Somebody should look at a server that sends such things. */
const suspect = (subject: string, findings: ReadonlyArray<Finding>): Effect.Effect<void> =>
  Effect.logWarning(
    `${subject}: suspicious: ${findings.map(({ count, detail, kind }) => `${kind}: ${detail} (${count})`).join(", ")}`
  )

const warn = (record: CallRecord): Effect.Effect<void> => suspect(`tools/call ${nameOf(record)}`, record.findings)

const make = (): AuditLog["Service"] => {
  const known = new Map<string, Map<string, Series>>()
  let count = 0
  // Sessions bring servers of any name; what a metric costs must not grow with them for ever.
  const overflow = makeSeries("(other)", "(other)")

  const seriesOf = (server: string, outcome: string): Series => {
    let outcomes = known.get(server)
    const series = outcomes?.get(outcome)
    if (series !== undefined) return series
    if (count === METRIC_SERIES_MAX) return overflow
    if (outcomes === undefined) known.set(server, (outcomes = new Map()))
    const made = makeSeries(server, outcome)
    outcomes.set(outcome, made)
    count++
    return made
  }

  return {
    report: (server, subject, findings) =>
      findings.length === 0 ? Effect.void : suspect(`${shown(server)}/${shown(subject)}`, findings),
    record: (record) =>
      Effect.withFiber((fiber) => {
        seriesOf(record.server ?? "", record.outcome).updateUnsafe(record.durationMs, fiber.context)
        const warned = record.findings.length === 0 ? Effect.void : warn(record)
        return LogLevel.isGreaterThan(fiber.cache.minimumLogLevel, "Debug")
          ? warned
          : Effect.andThen(write(record), warned)
      })
  }
}

export const layer = Layer.sync(AuditLog, make)
