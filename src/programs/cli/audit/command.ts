/**
 * `mcp-live audit`: what agents called and how it went, from the files of the audit log, or from the database of the fleet that the
 * configuration names. Starts no server.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { matchesAudit, type AuditFilter } from "./filter.ts"
import { AUDIT_KINDS, parseAuditLine, type AuditRecord } from "../../../schemas/call/AuditRecord.ts"
import { renderAudit, renderAuditSummary } from "./rendering.ts"
import { makeOnce, type Once } from "./once.ts"
import { makeAuditSummary, type AuditSummary } from "./summary.ts"
import { AUDIT_FOLLOW_MS, AUDIT_SHOWN } from "../../../schemas/defaults/Audit.ts"
import { AuditTrail, type AuditLine } from "../../../services/call/AuditTrail.ts"
import { root, serverFlag, UsageError, withLogLevel } from "../command.ts"
import { columns, complain, print, printJson } from "../output.ts"
import { sharingFlags } from "../running/choice.ts"
import type { Operator } from "../running/client.ts"
import { withOperator } from "../running/withGateway.ts"
import { trailLayer } from "./trail.ts"
import { untilStopped } from "../signals.ts"
import { followFlag, limitFlag, sinceFlag, sinceOf } from "../recordFlags.ts"
import { safeJsonLine } from "../safeJsonLine.ts"

// ---- flags ---------------------------------------------------------------------------------------------------------

const pattern = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("PATTERN"), Flag.withDescription(description), Flag.optional)

const flags = {
  server: serverFlag("Only this server; * matches any characters, ? a single one"),
  tool: pattern("tool", "Only tools whose own name matches: read_*"),
  client: pattern("client", "Only calls of clients whose name matches: 'client ada', operator (commands and the page)"),
  person: pattern("person", "Only calls and approvals of these people, by name or id: 'ada@*'"),
  outcome: pattern("outcome", "Only calls with this outcome: ok, isError, CallTimeout, PolicyDenied, …"),
  kind: Flag.Literals("kind", AUDIT_KINDS).pipe(
    Flag.withDescription(
      "Only this kind: calls, findings in definitions, changed definitions, approvals, or gaps in the log"
    ),
    Flag.optional
  ),
  findings: Flag.Boolean("findings").pipe(Flag.withDescription("Only records with findings"), Flag.withDefault(false)),
  since: sinceFlag("records"),
  limit: limitFlag(AUDIT_SHOWN, ". A summary covers all records"),
  summary: Flag.Boolean("summary").pipe(
    Flag.withDescription("Calls, failures, durations, findings and refusals by server and tool, instead of records"),
    Flag.withDefault(false)
  ),
  ...sharingFlags,
  follow: followFlag("records")
}

// ---- reading -------------------------------------------------------------------------------------------------------

interface Readable {
  readonly text: string
  readonly record: AuditRecord
}

interface Found {
  /** Sorted by time: several processes write to the files, not always in order. */
  readonly lines: ReadonlyArray<Readable>
  readonly summary: AuditSummary
  /** All lines that are records, whether or not they match. */
  readonly readable: number
  readonly damaged: number
}

type Lines<E> = Stream.Stream<ReadonlyArray<AuditLine>, E>

/** Reads the whole stream; of the records that match, keeps the newest `limit`. */
const gather = Effect.fnUntraced(function* <E>(lines: Lines<E>, filter: AuditFilter, limit: number) {
  const summary = makeAuditSummary()
  let kept: Array<Readable> = []
  let [readable, damaged] = [0, 0]
  yield* Stream.runForEach(lines, (piece) =>
    Effect.sync(() => {
      for (const { record, text } of piece) {
        if (record === undefined) {
          damaged++
          continue
        }
        readable++
        if (!matchesAudit(record, filter)) continue
        summary.add(record)
        kept.push({ record, text })
      }
      if (kept.length > limit * 2) kept = newest(kept, limit)
    })
  )
  return { lines: newest(kept, limit), summary: summary.result(), readable, damaged } satisfies Found
})

const newest = (lines: Array<Readable>, limit: number) =>
  lines.toSorted((a, b) => (a.record.time < b.record.time ? -1 : a.record.time > b.record.time ? 1 : 0)).slice(-limit)

// ---- showing -------------------------------------------------------------------------------------------------------

const show = Effect.fnUntraced(function* (lines: ReadonlyArray<Readable>, heading: boolean) {
  const { json } = yield* root
  if (lines.length === 0) return
  yield* print(
    json
      ? lines.map(({ text }) => safeJsonLine(text)).join("\n")
      : renderAudit(
          lines.map(({ record }) => record),
          columns(),
          heading
        )
  )
})

/** Why the output is empty. Files that are older than `since` were not opened, so their content is unknown. */
const reasonOf = ({ readable }: Found, directory: string, since: number | undefined): string => {
  if (since !== undefined) {
    return `no matching records since ${new Date(since).toISOString()} in ${directory}`
  }
  return readable === 0
    ? `no calls are recorded yet in ${directory}`
    : `none of the ${readable} records in ${directory} matches`
}

const explainEmpty = (found: Found, directory: string, since: number | undefined) =>
  found.lines.length > 0 ? Effect.void : complain(reasonOf(found, directory, since))

const tellDamaged = (damaged: number) => (damaged === 0 ? Effect.void : complain(`damaged lines, skipped: ${damaged}`))

const follow = Effect.fnUntraced(function* <E>(lines: Lines<E>, filter: AuditFilter) {
  while (true) {
    yield* Effect.sleep(AUDIT_FOLLOW_MS)
    const found = yield* gather(lines, filter, Number.MAX_SAFE_INTEGER)
    yield* show(found.lines, false)
  }
})

/** Those of the running gateway, at once, and also if it writes none to files. */
const followGateway = (lines: Stream.Stream<string>, filter: AuditFilter, once: Once) =>
  Stream.runForEachArray(lines, (texts) => {
    const told = texts.flatMap((text) => {
      const record = parseAuditLine(text)
      return record !== undefined && matchesAudit(record, filter) && once.isNew("gateway", text)
        ? [{ record, text }]
        : []
    })
    return show(told, false)
  })

export const audit = Command.make(
  "audit",
  flags,
  Effect.fnUntraced(function* (given) {
    const { agent, json } = yield* root
    if (given.follow && given.summary) {
      return yield* new UsageError({ message: "--follow shows records as they are written; leave --summary out" })
    }
    const since = yield* sinceOf(given.since)
    const filter: AuditFilter = {
      agent: Option.getOrUndefined(agent),
      server: Option.getOrUndefined(given.server),
      tool: Option.getOrUndefined(given.tool),
      outcome: Option.getOrUndefined(given.outcome),
      client: Option.getOrUndefined(given.client),
      person: Option.getOrUndefined(given.person),
      kind: Option.getOrUndefined(given.kind),
      findings: given.findings,
      since
    }
    const reading = Effect.fnUntraced(function* (of: Operator | undefined) {
      const trail = yield* AuditTrail
      const once = makeOnce()
      const lines = Stream.map(yield* trail.read(since), (piece) =>
        of === undefined ? piece : piece.filter(({ text }) => once.isNew("file", text))
      )
      // Nothing is missed between the files and what follows.
      const live = of === undefined ? undefined : yield* Stream.toQueue(of.audit, { capacity: "unbounded" })
      const found = yield* gather(lines, filter, given.limit)
      yield* tellDamaged(found.damaged)
      if (given.summary && json) return yield* printJson({ ...found.summary, damaged: found.damaged })
      yield* explainEmpty(found, trail.directory, since)
      if (given.summary)
        return found.lines.length === 0
          ? undefined
          : yield* print(renderAuditSummary(found.summary, process.stdout.columns))
      yield* show(found.lines, true)
      if (live !== undefined) yield* Effect.forkScoped(followGateway(Stream.fromQueue(live), filter, once))
      if (given.follow) return yield* follow(lines, filter)
    }, Effect.scoped)
    const body = given.follow
      ? withOperator(given, (operator) => reading(operator), reading(undefined))
      : reading(undefined)
    yield* body.pipe(
      Effect.provide(yield* trailLayer),
      untilStopped,
      // Ctrl-C is the normal way to end --follow.
      Effect.catchTag("Stopped", (stopped) =>
        given.follow && stopped.reason === "SIGINT" ? Effect.void : Effect.fail(stopped)
      ),
      withLogLevel("Warn")
    )
  })
).pipe(
  Command.withDescription(
    "Show what agents called and how it went, from the audit log: of all agents, or of the one that --agent names. Starts no server. With --json, prints the lines of the log"
  ),
  Command.withShortDescription("Show what agents called and how it went")
)
