/**
 * `mcp-live audit`: what agents called and how it went, from the files of the audit log. Starts no server and reads no
 * configuration.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { matchesAudit, parseSince, type AuditFilter } from "./filter.ts"
import { AUDIT_KINDS, type AuditRecord } from "../../../schemas/call/AuditRecord.ts"
import { renderAudit, renderAuditSummary, safeJsonLine } from "./rendering.ts"
import { makeAuditSummary, type AuditSummary } from "./summary.ts"
import { AUDIT_FOLLOW_MS, AUDIT_SHOWN } from "../../../schemas/defaults/Audit.ts"
import { AuditTrail, type AuditLine } from "../../../services/call/AuditTrail.ts"
import { root, serverFlag, UsageError, withLogLevel } from "../command.ts"
import { columns, complain, print, printJson } from "../output.ts"
import { untilStopped } from "../signals.ts"

// ---- flags ---------------------------------------------------------------------------------------------------------

const pattern = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("PATTERN"), Flag.withDescription(description), Flag.optional)

const flags = {
  server: serverFlag("Only this server; * matches any characters, ? a single one"),
  tool: pattern("tool", "Only tools whose own name matches: read_*"),
  outcome: pattern("outcome", "Only calls with this outcome: ok, isError, CallTimeout, PolicyDenied, …"),
  kind: Flag.Literals("kind", AUDIT_KINDS).pipe(
    Flag.withDescription(
      "Only this kind: calls, findings in definitions, changed definitions, approvals, or gaps in the log"
    ),
    Flag.optional
  ),
  findings: Flag.Boolean("findings").pipe(Flag.withDescription("Only records with findings"), Flag.withDefault(false)),
  since: Flag.String("since").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription("Only records since then: 2h, 7d (s, m, h, d, w), or a time like 2026-03-01T08:00Z"),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.filter(
      (limit) => limit >= 1,
      () => "must be 1 or more"
    ),
    Flag.withAlias("n"),
    Flag.withMetavar("N"),
    Flag.withDescription(`Show the newest N (default: ${AUDIT_SHOWN}). A summary covers all records`),
    Flag.withDefault(AUDIT_SHOWN)
  ),
  summary: Flag.Boolean("summary").pipe(
    Flag.withDescription("Calls, failures, durations, findings and refusals by server and tool, instead of records"),
    Flag.withDefault(false)
  ),
  follow: Flag.Boolean("follow").pipe(
    Flag.withAlias("f"),
    Flag.withDescription("Keep running and show new records as they are written; Ctrl-C ends it"),
    Flag.withDefault(false)
  )
}

const sinceOf = Effect.fnUntraced(function* (text: Option.Option<string>) {
  if (Option.isNone(text)) return undefined
  const at = parseSince(text.value, yield* Clock.currentTimeMillis)
  if (at !== undefined) return at
  return yield* new UsageError({ message: "--since: give a time like 2h, 7d or 2026-03-01T08:00Z" })
})

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

const trailLayer = Effect.promise(async () => (await import("../../../layers/call/AuditTrail.ts")).layer())

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
      kind: Option.getOrUndefined(given.kind),
      findings: given.findings,
      since
    }
    const body = Effect.gen(function* () {
      const trail = yield* AuditTrail
      const lines = yield* trail.read(since)
      const found = yield* gather(lines, filter, given.limit)
      yield* tellDamaged(found.damaged)
      if (given.summary && json) return yield* printJson({ ...found.summary, damaged: found.damaged })
      yield* explainEmpty(found, trail.directory, since)
      if (given.summary) return found.lines.length === 0 ? undefined : yield* print(renderAuditSummary(found.summary))
      yield* show(found.lines, true)
      if (given.follow) return yield* follow(lines, filter)
    })
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
