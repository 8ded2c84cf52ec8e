/**
 * What was logged before: from the files, which all gateways of a data directory share, or, where no audit log is written, from what this
 * process remembers.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type AuditRecord, parseAuditLine } from "../../../schemas/call/AuditRecord.ts"
import { reaches } from "../../../schemas/connection/LogMessage.ts"
import type { ServerLogLine } from "../../../schemas/connection/ServerLogLine.ts"
import type { HeardRecord } from "../../../schemas/control/Events.ts"
import {
  isAskedFor,
  type PastCallsRequest,
  type PastCallsValue,
  type PastLogsRequest,
  type PastLogsValue,
  PastUnreadable
} from "../../../schemas/control/Past.ts"
import type { PastPage } from "../../../schemas/data/PastPage.ts"
import type { AuditTrail } from "../../../services/call/AuditTrail.ts"
import type { ServerLogTrail } from "../../../services/connection/ServerLogTrail.ts"
import type { Masked } from "./masked.ts"
import type { Remembered } from "./remembered.ts"

interface Sources {
  readonly remembered: Remembered
  readonly audit: Pick<AuditTrail["Service"], "past">
  readonly logs: Pick<ServerLogTrail["Service"], "past">
  /** Whether the audit log is written to files. */
  readonly isWritten: () => boolean
  readonly masked: Masked
}

const unreadable = ({ detail }: { readonly detail: string }) => new PastUnreadable({ detail })

const holds = (text: string, wanted: string | undefined): boolean =>
  wanted === undefined || text.toLowerCase().includes(wanted.toLowerCase())

const acceptsLine =
  ({ level, server, source, text }: PastLogsRequest) =>
  (line: ServerLogLine): boolean =>
    (server === undefined || line.server === server) &&
    (source === undefined || line.source === source) &&
    (level === undefined || reaches(line.level, level)) &&
    holds(line.text, text)

const keyOf = ({ gateway, level, server, source, text, time, whose }: ServerLogLine): string =>
  JSON.stringify([time, gateway, server, whose, source, level, text])

/** Within this time, a record is in its file, unless the disk is very slow. */
const UNWRITTEN_MS = 10_000

/**
 * A record as whoever asks may see it; `undefined` for one that is not theirs. What they ask for is looked for in what they see alone: else a search
 * would find out the rest, letter by letter.
 */
type Shown = (record: AuditRecord) => AuditRecord | undefined

const asItIs: Shown = (record) => record

const askedOf = (asked: Omit<PastCallsRequest, "before" | "limit">, shown: Shown, record: AuditRecord) => {
  const seen = shown(record)
  return seen !== undefined && isAskedFor(asked, seen) ? seen : undefined
}

const REMEMBERED = /^seq:(\d{1,15})$/

export const makePast = ({ audit, isWritten, logs, masked, remembered }: Sources) => {
  /** The ids of the calls that this process remembers, by their lines in the file. */
  const idsByLine = (): ReadonlyMap<string, string> => {
    const kept = remembered.records.all().filter(({ value }) => value.kind === "call")
    const lines = remembered.linesOf(kept.map(({ value }) => value))
    return new Map(lines.map((line, i) => [line, remembered.idOf(kept[i]!.seq)]))
  }

  type Lines = PastPage<AuditRecord>["lines"]

  /** Files are written in the background: what has just happened may not be in them yet. */
  const notWrittenYet = (lines: Lines, { limit, ...asked }: PastCallsRequest, now: number, shown: Shown): Lines => {
    if (asked.before !== undefined) return []
    const known = new Set(lines.map(({ text }) => text))
    const from = lines.length < limit ? now - UNWRITTEN_MS : Date.parse(lines[0]!.record.time)
    const recent = remembered.records.all().filter(({ value: { at } }) => at >= Math.max(from, now - UNWRITTEN_MS))
    return remembered.linesOf(recent.map(({ value }) => value)).flatMap((text) => {
      const record = known.has(text) ? undefined : parseAuditLine(text)
      return record !== undefined && askedOf(asked, shown, record) !== undefined ? [{ text, record }] : []
    })
  }

  const fromFiles = Effect.fnUntraced(function* (asked: PastCallsRequest, shown: Shown) {
    const accepts = (record: AuditRecord) => askedOf(asked, shown, record) !== undefined
    const { lines, ...rest } = yield* Effect.mapError(
      audit.past({ before: asked.before, limit: asked.limit, accepts }),
      unreadable
    )
    const all = [...lines, ...notWrittenYet(lines, asked, yield* Clock.currentTimeMillis, shown)]
    const ids = all.length === 0 ? new Map<string, string>() : idsByLine()
    const records = all.map(({ record: own, text }) => {
      const id = ids.get(text)
      const record = shown(own) ?? own
      return masked(id === undefined ? { record } : { id, record })
    })
    return { records, ...rest } satisfies PastCallsValue
  })

  const fromMemory = (asked: PastCallsRequest, shown: Shown): PastCallsValue => {
    const before = asked.before === undefined ? Infinity : Number(REMEMBERED.exec(asked.before)?.[1] ?? 0)
    const found: Array<HeardRecord> = []
    const kept = remembered.records.all().filter(({ seq }) => seq < before)
    const lines = remembered.linesOf(kept.map(({ value }) => value))
    for (let i = kept.length - 1; i >= 0; i--) {
      const own = parseAuditLine(lines[i]!)
      const record = own === undefined ? undefined : askedOf(asked, shown, own)
      const { seq } = kept[i]!
      if (record === undefined) continue
      found.push(masked(record.kind === "call" ? { id: remembered.idOf(seq), record } : { record }))
      if (found.length >= asked.limit && i > 0) return { records: found.toReversed(), cursor: `seq:${seq}` }
    }
    return { records: found.toReversed() }
  }

  /** The same for lines about servers. Where none are written, or all of the files is on this page, all that is remembered belongs to it. */
  const linesNotWrittenYet = (
    { cursor, lines }: PastPage<ServerLogLine>,
    asked: PastLogsRequest,
    now: number
  ): ReadonlyArray<ServerLogLine> => {
    if (asked.before !== undefined) return []
    const counts = new Map<string, number>()
    for (const { record } of lines) counts.set(keyOf(record), (counts.get(keyOf(record)) ?? 0) + 1)
    const accepts = acceptsLine(asked)
    const oldest = lines[0] === undefined ? 0 : Date.parse(lines[0].record.time)
    const from = cursor === undefined ? 0 : Math.max(now - UNWRITTEN_MS, lines.length < asked.limit ? 0 : oldest)
    return remembered.lines.all().flatMap(({ value: line }) => {
      if (Date.parse(line.time) < from || !accepts(line)) return []
      // A server can write the same line twice.
      const left = counts.get(keyOf(line)) ?? 0
      counts.set(keyOf(line), left - 1)
      return left > 0 ? [] : [line]
    })
  }

  return {
    logs: Effect.fnUntraced(function* (asked: PastLogsRequest): Effect.fn.Return<PastLogsValue, PastUnreadable> {
      const page = logs.past({ before: asked.before, limit: asked.limit, accepts: acceptsLine(asked) })
      const found = yield* Effect.mapError(page, unreadable)
      const { lines, ...rest } = found
      const fresh = linesNotWrittenYet(found, asked, yield* Clock.currentTimeMillis)
      const all = [...lines.map(({ record }) => record), ...fresh]
      return {
        lines: all.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map((line) => masked(line)),
        ...rest
      }
    }),
    calls: (asked: PastCallsRequest, shown: Shown = asItIs): Effect.Effect<PastCallsValue, PastUnreadable> =>
      Effect.suspend(() => (isWritten() ? fromFiles(asked, shown) : Effect.sync(() => fromMemory(asked, shown))))
  }
}
