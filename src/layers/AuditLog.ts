/**
 * Writes each call down: one debug line with its record as annotations, and a warning when something in the result was
 * suspicious. Two metrics: `mcp_live_call_ms`, a histogram by server and outcome, which counts the calls as well as their
 * milliseconds, and `mcp_live_findings`, what was suspicious by server and kind, in results and in definitions. A line is
 * only built when someone reads it.
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

const makeDurations = (server: string, outcome: string): Metric.Histogram<number> =>
  Metric.histogram("mcp_live_call_ms", {
    description: "Tool calls by server and outcome, with their duration in milliseconds",
    attributes: { server, outcome },
    boundaries: DURATION_BUCKETS
  })

const makeFindings = (server: string, kind: string): Metric.Counter<number> =>
  Metric.counter("mcp_live_findings", {
    description: "Suspicious places in what servers sent, by server and kind",
    attributes: { server, kind },
    incremental: true
  })

/**
 * One series for each pair of server and something. Sessions bring servers of any name; what a metric costs must not grow
 * with them for ever: what comes too late shares one.
 */
const bounded = <A>(make: (server: string, other: string) => A): ((server: string, other: string) => A) => {
  const known = new Map<string, Map<string, A>>()
  const overflow = make("(other)", "(other)")
  let count = 0
  return (server, other) => {
    let ofServer = known.get(server)
    const series = ofServer?.get(other)
    if (series !== undefined) return series
    if (count === METRIC_SERIES_MAX) return overflow
    if (ofServer === undefined) known.set(server, (ofServer = new Map()))
    const made = make(server, other)
    ofServer.set(other, made)
    count++
    return made
  }
}

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

const make = (): AuditLog["Service"] => {
  const durationsOf = bounded(makeDurations)
  const findingsOf = bounded(makeFindings)

  /** A warning and the metric of what was found. */
  const warn = (server: string, subject: string, findings: ReadonlyArray<Finding>): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      for (const { count, kind } of findings) findingsOf(server, kind).updateUnsafe(count, fiber.context)
      return suspect(subject, findings)
    })

  return {
    report: (server, subject, findings) =>
      findings.length === 0 ? Effect.void : warn(server, `[${shown(server)}] ${shown(subject)}`, findings),
    record: (record) =>
      Effect.withFiber((fiber) => {
        const { durationMs, findings, outcome, server = "" } = record
        durationsOf(server, outcome).updateUnsafe(durationMs, fiber.context)
        const warned = findings.length === 0 ? Effect.void : warn(server, `tools/call ${nameOf(record)}`, findings)
        return LogLevel.isGreaterThan(fiber.cache.minimumLogLevel, "Debug")
          ? warned
          : Effect.andThen(write(record), warned)
      })
  }
}

export const layer = Layer.sync(AuditLog, make)
