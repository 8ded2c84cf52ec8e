/**
 * Records each call: a debug line with the record as annotations, and a warning when something in the result was suspicious.
 * Two metrics: `mcp_live.call.duration`, a histogram by server and outcome (it also counts the calls), and `mcp_live.findings`,
 * suspicious places by server and kind, in results and definitions. A line is only built when somebody reads it. `layerFiles`
 * also writes each record to a file, which several processes may share. That happens in the background; no call waits for it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as LogLevel from "effect/LogLevel"
import * as Metric from "effect/Metric"
import { AUDIT_FILES, auditDirectory } from "../../schemas/call/AuditFiles.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import { AUDIT_FILE_MAX_BYTES, AUDIT_FILES_MAX, METRIC_SERIES_MAX } from "../../schemas/defaults/Audit.ts"
import { DURATION_BOUNDARIES_S } from "../../schemas/defaults/Telemetry.ts"
import { LABEL_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { Label } from "../../schemas/content/ServerText.ts"
import { FINDING, METRICS, OUTCOME, SERVER } from "../../schemas/telemetry/Names.ts"
import { AuditLines } from "../../services/call/AuditLines.ts"
import { AuditLog, type ApprovalRecord, type CallRecord, type DefinitionRecord } from "../../services/call/AuditLog.ts"
import { AuditFeed, type QueuedRecord } from "../../services/call/AuditFeed.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { makeFeed, type Feed } from "./AuditLog/feed.ts"
import { linesOf } from "./AuditLog/auditLines.ts"
import { type LineFiles, makeLineFiles, type Limits } from "../../system/lineFiles.ts"
import { makeWriter, type Writer } from "../../system/lineWriter.ts"

const makeDurations = (server: string, outcome: string): Metric.Histogram<number> =>
  Metric.histogram("mcp_live.call.duration", {
    description: METRICS["mcp_live.call.duration"].about,
    attributes: { unit: METRICS["mcp_live.call.duration"].unit, [SERVER]: server, [OUTCOME]: outcome },
    boundaries: DURATION_BOUNDARIES_S
  })

const makeFindings = (server: string, kind: string): Metric.Counter<number> =>
  Metric.counter("mcp_live.findings", {
    description: METRICS["mcp_live.findings"].about,
    attributes: { unit: METRICS["mcp_live.findings"].unit, [SERVER]: server, [FINDING]: kind },
    incremental: true
  })

/**
 * One metric series per server and second label. Sessions can bring servers of any name, so the number of series is limited;
 * later pairs share one.
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

/** Names come from servers or models: they must not begin a line of their own or be invisible. */
const shown = (name: string) => name.slice(0, LABEL_MAX_CHARS).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")

const nameOf = ({ server, tool }: CallRecord) => `${server === undefined ? "?" : shown(server)}/${shown(tool)}`

const write = (record: CallRecord): Effect.Effect<void> =>
  Effect.logDebug(`tools/call ${nameOf(record)} ${record.outcome} ${Math.round(record.durationMs)} ms`).pipe(
    Effect.annotateLogs({
      ...record,
      ...(record.person === undefined ? {} : { person: shown(record.person.name) }),
      server: record.server === undefined ? null : shown(record.server),
      tool: shown(record.tool),
      shape: shapeOf(record, false)
    })
  )

/** A warning, because somebody should look at such a server. */
const suspect = (subject: string, findings: ReadonlyArray<Finding>): Effect.Effect<void> =>
  Effect.logWarning(
    `${subject}: suspicious: ${findings.map(({ count, detail, kind }) => `${kind}: ${detail} (${count})`).join(", ")}`
  )

const writeDefinition = ({ change, hash, pin, server, tool }: DefinitionRecord): Effect.Effect<void> =>
  Effect.logDebug(
    `definition ${shown(server)}/${tool === undefined ? "" : shown(tool)} ${change} (pin: ${shown(pin)})`
  ).pipe(Effect.annotateLogs({ hash: hash === undefined ? null : shown(hash) }))

const writeApproval = ({ agent, answer, rule, server, tool }: ApprovalRecord): Effect.Effect<void> =>
  Effect.logDebug(`approval ${shown(server)}/${shown(tool)} ${answer}`).pipe(
    Effect.annotateLogs({ agent: shown(agent), rule: shown(rule) })
  )

/** Who takes records: the writer of the files, if there are any, and those who listen in this process. */
interface Takers {
  readonly writer?: Writer<QueuedRecord> | undefined
  readonly feed?: Feed | undefined
}

const make = (clock: Clock.Clock, { feed, writer }: Takers = {}): AuditLog["Service"] => {
  const durationsOf = bounded(makeDurations)
  const findingsOf = bounded(makeFindings)
  const now = () => clock.currentTimeMillisUnsafe()
  const isTaken = () => writer !== undefined || feed?.isHeard() === true
  const offer = (waiting: QueuedRecord) => {
    writer?.offer(waiting)
    feed?.offer(waiting)
  }

  /** Logs a warning and counts the findings. */
  const warn = (server: string, subject: string, findings: ReadonlyArray<Finding>): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      for (const { count, kind } of findings) findingsOf(server, kind).updateUnsafe(count, fiber.context)
      return suspect(subject, findings)
    })

  /** Returns what is left to do: to write to the log. */
  const recordIn = (fiber: Fiber.Fiber<unknown, unknown>, record: CallRecord): Effect.Effect<void> => {
    const { durationMs, endedAt, findings, outcome, server = "" } = record
    durationsOf(server, outcome).updateUnsafe(durationMs / 1_000, fiber.context)
    // Computes the shape now, so that the queue does not hold the arguments.
    if (isTaken()) offer(waitingOf(record, endedAt ?? now()))
    const warned = findings.length === 0 ? Effect.void : warn(server, `tools/call ${nameOf(record)}`, findings)
    return LogLevel.isGreaterThan(fiber.cache.minimumLogLevel, "Debug") ? warned : Effect.andThen(write(record), warned)
  }

  return AuditLog.of({
    report: (server, subject, findings) =>
      Effect.suspend(() => {
        if (findings.length === 0) return Effect.void
        offer({ at: now(), kind: "finding", server, subject, findings })
        return warn(server, `[${shown(server)}] ${shown(subject)}`, findings)
      }),
    // Not in an effect of its own: it runs at the end of each call, within the fiber of that call.
    record: (record) => {
      const fiber = Fiber.getCurrent()
      return fiber === undefined ? Effect.withFiber((own) => recordIn(own, record)) : recordIn(fiber, record)
    },
    definition: (record) =>
      Effect.suspend(() => {
        offer({ ...record, at: now(), kind: "definition" })
        return writeDefinition(record)
      }),
    approval: (record) =>
      Effect.suspend(() => {
        offer({ ...record, at: now(), kind: "approval" })
        return writeApproval(record)
      })
  })
}

/** The arguments may be any object, and computing their shape may fail. */
const shapeOf = ({ shape }: CallRecord, rough: boolean): string => {
  try {
    return shape(rough)
  } catch {
    return "unreadable"
  }
}

const waitingOf = (record: CallRecord, at: number): QueuedRecord => ({
  at,
  kind: "call",
  agent: record.agent,
  client: record.client,
  person: record.person,
  server: record.server,
  tool: record.tool,
  callId: record.callId,
  // The whole line is cleaned later.
  shape: shapeOf(record, true),
  durationMs: record.durationMs,
  outcome: record.outcome,
  quota: record.quota,
  resultChars: record.resultChars,
  findings: record.findings,
  definition: record.definition,
  decision: record.decision,
  trail: record.trail
})

/** Writes no files. */
export const layer = Layer.effect(
  AuditLog,
  Effect.map(Clock.Clock, (clock) => make(clock))
)

const heard = (clock: Clock.Clock, label: Label, writer?: Writer<QueuedRecord>) => {
  const feed = makeFeed(label)
  return Context.make(AuditLog, make(clock, { feed, writer })).pipe(Context.add(AuditFeed, feed.service))
}

/** Writes no files; others in this process can follow the records. */
export const layerUnwritten: Layer.Layer<AuditLog | AuditFeed, never, ContentSanitizer> = Layer.effectContext(
  Effect.gen(function* () {
    return heard(yield* Clock.Clock, (yield* ContentSanitizer).label)
  })
)

/** The directory, the maximum size and the number of the files. */
export interface Options extends Partial<Limits> {
  /** The data directory. Default: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
  readonly directory?: string | undefined
}

const written = Effect.fnUntraced(function* (place: string, files: LineFiles) {
  const { label } = yield* ContentSanitizer
  const writer = yield* makeWriter<QueuedRecord>({
    what: "the audit log",
    place,
    files,
    format: (waiting) => linesOf(waiting, label),
    gap: (count, since, until) => ({ kind: "dropped", at: until, count, since })
  })
  return heard(yield* Clock.Clock, label, writer)
})

/** Also writes JSON lines to files in the data directory. */
export const layerFiles = ({
  directory,
  maxBytes = AUDIT_FILE_MAX_BYTES,
  maxFiles = AUDIT_FILES_MAX
}: Options = {}): Layer.Layer<AuditLog | AuditFeed, never, ContentSanitizer> =>
  Layer.effectContext(
    Effect.suspend(() => {
      const place = auditDirectory(directory ?? dataDirectory())
      return written(place, makeLineFiles(place, AUDIT_FILES, { maxBytes, maxFiles }))
    })
  )

/** Also writes the same lines where `AuditLines` keeps them. */
export const layerLines: Layer.Layer<AuditLog | AuditFeed, never, ContentSanitizer | AuditLines> = Layer.effectContext(
  Effect.flatMap(AuditLines, ({ append, place }) => written(place, { append }))
)
