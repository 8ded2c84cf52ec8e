/**
 * What this process remembers of what happened: the last records of the audit log and lines about servers, numbered, and figures about calls.
 * While nobody looks, each record costs a place in a ring and a few additions.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { parseAuditLine } from "../../../schemas/call/AuditRecord.ts"
import type { ServerLogLine } from "../../../schemas/connection/ServerLogLine.ts"
import type { HeardRecord } from "../../../schemas/control/Events.ts"
import { makeFigures } from "../../../schemas/control/Figures.ts"
import { makeRing, type Numbered } from "../../../schemas/control/Ring.ts"
import { makeTallies } from "../../../schemas/control/Tallies.ts"
import { KEPT_LINES_MAX, KEPT_RECORDS_MAX } from "../../../schemas/defaults/Control.ts"
import { AuditFeed, type QueuedRecord } from "../../../services/call/AuditFeed.ts"
import { ServerLogs } from "../../../services/connection/ServerLogs.ts"

/** Something that passed. */
export type Passed =
  | { readonly _tag: "Record"; readonly seq: number; readonly at: number; readonly record: QueuedRecord }
  | { readonly _tag: "Line"; readonly seq: number; readonly at: number; readonly line: ServerLogLine }

export const makeRemembered = Effect.gen(function* () {
  const feed = yield* AuditFeed
  const logs = yield* ServerLogs
  const clock = yield* Clock.Clock
  const records = makeRing<QueuedRecord>(KEPT_RECORDS_MAX)
  const lines = makeRing<ServerLogLine>(KEPT_LINES_MAX)
  const figures = makeFigures()
  const tallies = makeTallies()
  const waking = new Set<() => void>()
  const epoch = randomBytes(6).toString("hex")
  const startedAt = yield* Clock.currentTimeMillis
  let last = 0

  const told = () => {
    for (const wake of waking) wake()
  }

  const tally = ({
    durationMs,
    findings,
    outcome,
    resultChars,
    server = "",
    tool
  }: QueuedRecord & { kind: "call" }) => {
    const found = findings.reduce((sum, { count }) => sum + count, 0)
    const call = { at: clock.currentTimeMillisUnsafe(), server, ok: outcome === "ok", durationMs, resultChars }
    figures.add({ ...call, findings: found })
    tallies.add({ ...call, tool })
  }

  yield* feed.onRecord((record) => {
    records.push(++last, record)
    if (record.kind === "call") tally(record)
    told()
  })
  yield* logs.onLine((line) => {
    lines.push(++last, line)
    told()
  })

  const idOf = (seq: number) => `${epoch}-${seq}`

  /** As they cross the contract: cleaned, and with known secrets masked. */
  const heard = (some: ReadonlyArray<Numbered<QueuedRecord>>): ReadonlyArray<HeardRecord | undefined> =>
    feed.linesOf(some.map(({ value }) => value)).map((text, i) => {
      const record = parseAuditLine(text)
      if (record === undefined) return undefined
      return record.kind === "call" ? { id: idOf(some[i]!.seq), record } : { record }
    })

  return {
    epoch,
    startedAt,
    figures,
    tallies,
    records,
    lines,
    heard,
    linesOf: feed.linesOf,
    idOf,
    /** The number of the last one. */
    last: () => last,
    /** The next ones after `seq`, at most `max`; fewer have that many numbers between them than are lost. */
    after: (seq: number, max: number): ReadonlyArray<Passed> =>
      [
        ...records
          .after(seq, max)
          .map((one): Passed => ({ _tag: "Record", seq: one.seq, at: one.value.at, record: one.value })),
        ...lines
          .after(seq, max)
          .map((one): Passed => ({ _tag: "Line", seq: one.seq, at: Date.parse(one.value.time), line: one.value }))
      ]
        .toSorted((a, b) => a.seq - b.seq)
        .slice(0, max),
    /** Calls `wake` whenever something has passed, until the Scope closes. */
    watch: (wake: () => void) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => waking.add(wake)),
          () => Effect.sync(() => waking.delete(wake))
        )
      ),
    /** The call of an id of this process, if it is kept. */
    call: (id: string): Numbered<QueuedRecord> | undefined => {
      const seq = id.startsWith(`${epoch}-`) ? Number(id.slice(epoch.length + 1)) : Number.NaN
      const value = Number.isSafeInteger(seq) ? records.at(seq) : undefined
      return value === undefined ? undefined : { seq, value }
    }
  }
})
export type Remembered = Effect.Success<typeof makeRemembered>
