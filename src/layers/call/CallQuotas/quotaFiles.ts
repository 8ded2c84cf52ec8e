/**
 * The counts of quotas in small files of the data directory: all counts of one person or client are in the same one of 256, so that a call reads and
 * writes few of them, however many people there are. Processes take turns at each file by its lock, so each sees what the others have counted.
 * Periods that are over are left out of the next version of a file; files that nobody needs are looked at for that, too, one with each ask.
 *
 * Earlier versions had all counts in one file, or some in files whose numbers are below zero: whoever finds one moves its counts.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { existsSync, readdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { InTurns } from "../../../schemas/data/InTurns.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { reader } from "../../../schemas/data/Lenient.ts"
import { granted, ownerOf, quotasOf, type QuotaAsk, type QuotaGiven } from "../../../schemas/call/Quota.ts"
import {
  QUOTA_FILE_MAX_BYTES,
  QUOTA_FILES,
  QUOTA_LOCK_WAIT_MS,
  QUOTA_OLD_FILE_MAX_BYTES,
  QUOTA_SWEEP_MS
} from "../../../schemas/defaults/Quotas.ts"
import type { QuotaStore } from "../../../services/call/QuotaStore.ts"
import { withLock } from "../../../system/fileLock.ts"
import { inTurns, wholeTurn } from "../../../system/inTurns.ts"
import { jsonFile } from "../../../system/jsonFile.ts"
import { fileSystemSays, makeOwnDirectory, readOwn } from "../../../system/ownFiles.ts"

const DIRECTORY = "quotas"
const SINGLE_FILE = "quotas.json"
const VERSION = 1
const WHAT = "the quotas"

const Count = Schema.Struct({ count: Schema.Finite, endsAt: Schema.Finite })
type Count = typeof Count.Type
const QuotaFile = Schema.Struct({ version: Schema.Literal(VERSION), counts: Schema.Record(Schema.String, Count) })

const files = jsonFile(QuotaFile, QUOTA_FILE_MAX_BYTES, { tooLarge: "there are too many quotas" })
const readCount = reader(Count)

const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: fileSystemSays })

/** FNV-1a, which is the same in every process and version. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** In which file the count of a quota is. */
export const fileOf = (name: string): number => {
  const hash = hashOf(ownerOf(name))
  return ((hash ^ (hash >>> 16)) >>> 0) % QUOTA_FILES
}

const HEX = 16
const nameOf = (file: number): string => `${file.toString(HEX).padStart(2, "0")}.json`
const BELOW_ZERO = /^-[0-9a-f]{1,2}\.json$/

/** The counts of a file of earlier versions, by the file where they are now. One that is damaged has none: nobody can be refused for it. */
const countsOfOld = function* (text: string): InTurns<Map<number, Map<string, Count>>> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    parsed = undefined
  }
  yield
  const counts = isObject(parsed) && isObject(parsed["counts"]) ? parsed["counts"] : {}
  const found = new Map<number, Map<string, Count>>()
  for (const name in counts) {
    const count = readCount(counts[name])
    yield
    if (count === undefined) continue
    const file = fileOf(name)
    const others = found.get(file)
    if (others === undefined) found.set(file, new Map([[name, count]]))
    else others.set(name, count)
  }
  return found
}

export const quotaFiles = (directory: string): QuotaStore["Service"] => {
  const own = join(directory, DIRECTORY)
  const single = join(directory, SINGLE_FILE)
  const pathOf = (file: number): string => join(own, nameOf(file))

  /** `change` gets the counts of periods that are not over, and may change them. */
  const changing = <A>(
    file: number,
    change: (counts: Map<string, Count>) => A,
    waitMs = QUOTA_LOCK_WAIT_MS
  ): Effect.Effect<A, string> =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = pathOf(file)
        yield* attempt(async () => {
          makeOwnDirectory(directory)
          makeOwnDirectory(own)
        })
        yield* withLock(`${path}.lock`, waitMs, WHAT)
        const now = yield* Clock.currentTimeMillis
        // A file that is damaged counts as none: nobody can be refused for it.
        const before = (yield* attempt(() => files.read(path)))?.counts ?? {}
        const names = Object.keys(before)
        const counts = new Map(Object.entries(before).filter(([, { endsAt }]) => endsAt > now))
        const result = change(counts)
        const isSame = counts.size === names.length && names.every((name) => counts.get(name) === before[name])
        if (!isSame) yield* attempt(() => files.replace(path, { version: VERSION, counts: Object.fromEntries(counts) }))
        return result
      })
    )

  // ---- files of earlier versions -------------------------------------------------------------------------------------

  /** If this is interrupted, it is repeated, so what was moved already must not count twice. */
  const moveFrom = (old: string): Effect.Effect<void, string> =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* withLock(`${old}.lock`, QUOTA_LOCK_WAIT_MS, WHAT)
        const text = (yield* attempt(() => readOwn(old, QUOTA_OLD_FILE_MAX_BYTES)))?.text
        if (text === undefined) return
        yield* wholeTurn
        for (const [file, found] of yield* inTurns(countsOfOld(text))) {
          yield* changing(file, (counts) => {
            for (const [name, count] of found) {
              if ((counts.get(name)?.count ?? 0) < count.count) counts.set(name, count)
            }
          })
        }
        yield* attempt(() => rm(old, { force: true }))
      })
    )

  /** The files below zero. A process looks for them once. */
  let belowZero: ReadonlyArray<string> | undefined
  /** Those that cannot be moved, with the reason. */
  const left = new Map<string, string>()

  /** One file must not stop the counts of everybody. */
  const moveOrLeave = (old: string): Effect.Effect<void> =>
    moveFrom(old).pipe(
      Effect.catch((detail) => {
        if (left.has(old)) return Effect.void
        left.set(old, detail)
        return Effect.logWarning(
          `the counts of quotas in ${old}, a file of an earlier version, are left out: ${detail}; repair or remove it`
        )
      })
    )

  const moved = Effect.gen(function* () {
    belowZero ??= yield* attempt(async () =>
      existsSync(own) ? readdirSync(own).flatMap((name) => (BELOW_ZERO.test(name) ? [join(own, name)] : [])) : []
    )
    if (existsSync(single)) yield* moveFrom(single)
    yield* Effect.forEach(belowZero.filter(existsSync), moveOrLeave, { discard: true })
    belowZero = []
  })

  // ---- periods that are over -----------------------------------------------------------------------------------------

  /** Not all processes begin at the same file: some do not live for long. */
  let next = Math.floor(Math.random() * QUOTA_FILES)
  let toSweep = QUOTA_FILES
  let sweepAt = 0

  /** One file with each ask, until all have been looked at; then there is a rest. */
  const sweepOne = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (toSweep === 0) {
      if (now < sweepAt) return Effect.void
      toSweep = QUOTA_FILES
    }
    const file = next
    next = (next + 1) % QUOTA_FILES
    toSweep--
    sweepAt = now + QUOTA_SWEEP_MS
    return existsSync(pathOf(file)) ? Effect.ignore(changing(file, () => undefined, 0)) : Effect.void
  })

  // --------------------------------------------------------------------------------------------------------------------

  const counted = (counts: Map<string, Count>, ask: QuotaAsk): QuotaGiven => {
    const before = counts.get(ask.name)?.count ?? 0
    const given = granted(ask, before)
    if (given.count !== before) counts.set(ask.name, { count: given.count, endsAt: ask.endsAt })
    return given
  }

  return {
    placeOf: fileOf,
    take: Effect.fnUntraced(function* (asks) {
      yield* moved
      const given = new Map<QuotaAsk, QuotaGiven>()
      for (const [file, some] of Map.groupBy(asks, ({ name }) => fileOf(name))) {
        yield* changing(file, (counts) => {
          for (const ask of some) given.set(ask, counted(counts, ask))
        })
      }
      yield* sweepOne
      return asks.map((ask) => given.get(ask)!)
    }),
    forget: Effect.fnUntraced(function* (personId) {
      yield* moved
      const theirs = quotasOf(personId)
      const file = fileOf(theirs)
      const detail = left.get(join(own, nameOf(file - QUOTA_FILES)))
      if (detail !== undefined) return yield* Effect.fail(`a file of an earlier version cannot be moved: ${detail}`)
      if (!existsSync(pathOf(file))) return 0
      return yield* changing(file, (counts) => {
        const names = [...counts.keys()].filter((name) => name.startsWith(theirs))
        for (const name of names) counts.delete(name)
        return names.length
      })
    })
  }
}
