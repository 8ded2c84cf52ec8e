/**
 * Pins in the database. Each node has all of them in memory, because they are read synchronously, and is told of each change. A write is a
 * transaction that begins with what is stored then, so that no node undoes the decision of another.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { readPins, renderPins, type ServerPins } from "../../schemas/call/Pins.ts"
import { PINS_FILES_MAX } from "../../schemas/defaults/Pins.ts"
import { PINS_ROW_MAX_BYTES, PINS_ROWS_AT_ONCE, UNHEARD_POLL_MS } from "../../schemas/defaults/FleetStores.ts"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import {
  PinStore,
  type Found,
  type Held,
  type PinChange,
  type PinChanged,
  type PinPlace
} from "../../services/call/PinStore.ts"
import type { Kept } from "../../services/call/DefinitionLedger.ts"
import { Database, type Sql } from "../../services/fleet/Database.ts"
import { again, following } from "../../system/rounds.ts"

const SUBJECT = "pins"

interface Row {
  readonly key: string
  readonly revision: string
  readonly content: string
}

/** What is known of one row. Its content is read when it is asked for. */
interface Known {
  readonly revision: string
  readonly held: () => Held
}

const keyOf = ({ configuration, launch, server }: PinPlace): string =>
  createHash("sha256")
    .update(JSON.stringify([server, launch, configuration ?? null]))
    .digest("hex")

/** What this version cannot read was written by a later one: it is not replaced. */
const heldIn = (content: string): Held => {
  const pins = readPins(content)
  return pins === undefined
    ? { _tag: "Unreadable", detail: "they were written by another version" }
    : { _tag: "Pins", pins }
}

const knownOf = ({ content, revision }: Row): Known => {
  let text: string | undefined = content
  let held: Held | undefined
  return {
    revision,
    held: () => {
      if (text !== undefined) held = heldIn(text)
      text = undefined
      return held!
    }
  }
}

const NOTHING: Held = { _tag: "Nothing" }

const wordsOf = ({ message }: DatabaseAway): string => message

const make = Effect.gen(function* () {
  const { heard, isAway, run, say, transaction } = yield* Database
  const known = new Map<string, Known>()
  const changed = yield* PubSub.sliding<void>(1)
  /** While it is the same, nothing that is said is missed. */
  let hearing: symbol | undefined
  /** For which of them all is known that was changed before. */
  let caughtUp: symbol | undefined

  // ---- what others have changed ------------------------------------------------------------------------------------

  const rowsOf = (sql: Sql, keys: ReadonlyArray<string>) => sql<Row>`
    select key, revision::text as revision, content from mcp_live.pins where ${sql.in("key", keys)}`

  /** A row that was written here meanwhile is newer than what was read. */
  const take = (keys: ReadonlyArray<string>, before: ReadonlyMap<string, Known>, rows: ReadonlyArray<Row>) =>
    Effect.suspend(() => {
      const found = new Map(rows.map((row) => [row.key, row]))
      let count = 0
      for (const key of keys) {
        const [row, now] = [found.get(key), known.get(key)]
        if (now !== before.get(key) || now?.revision === row?.revision) continue
        count++
        if (row === undefined) known.delete(key)
        else known.set(key, knownOf(row))
      }
      return count > 0 ? PubSub.publish(changed, undefined) : Effect.void
    })

  const readAgain = (keys: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const before = new Map(known)
      return Effect.flatMap(
        run("pins cannot be read", (sql) => rowsOf(sql, keys)),
        (rows) => take(keys, before, rows)
      )
    })

  /** Reads what is not known in its present state. */
  const compare = Effect.gen(function* () {
    const rows = yield* run(
      "pins cannot be read",
      (sql) => sql<Omit<Row, "content">>`select key, revision::text as revision from mcp_live.pins`
    )
    const there = new Map(rows.map(({ key, revision }) => [key, revision]))
    const differing = [...new Set([...there.keys(), ...known.keys()])].filter(
      (key) => known.get(key)?.revision !== there.get(key)
    )
    for (let from = 0; from < differing.length; from += PINS_ROWS_AT_ONCE) {
      yield* readAgain(differing.slice(from, from + PINS_ROWS_AT_ONCE))
    }
  })

  const catchUp = Effect.suspend(() => {
    const now = hearing
    return Effect.ignore(Effect.map(compare, () => void (caughtUp = now)))
  })
  /** A change that was heard, and cannot be read, is as good as missed. */
  const readSaid = (key: string) =>
    readAgain([key]).pipe(Effect.catch(() => Effect.sync(() => void (hearing = Symbol()))))

  yield* compare
  yield* Effect.forkScoped(
    following("fleet: the reading of changed pins", heard(SUBJECT), (change) => {
      if (change._tag === "said") return readSaid(change.text)
      hearing = change._tag === "listening" ? Symbol() : undefined
      return hearing === undefined ? Effect.void : catchUp
    })
  )
  const isComplete = () => hearing !== undefined && caughtUp === hearing
  const poll = Effect.suspend(() => (isComplete() || isAway() ? Effect.void : catchUp))
  yield* Effect.forkScoped(again("fleet: the reading of pins", UNHEARD_POLL_MS, poll))

  // ---- changes of this node ----------------------------------------------------------------------------------------

  const put = Effect.fnUntraced(function* (sql: Sql, key: string, place: PinPlace, pins: ServerPins) {
    const content = [...renderPins(pins)].join("")
    const bytes = Buffer.byteLength(content)
    if (bytes > PINS_ROW_MAX_BYTES) {
      return yield* Effect.fail(`they are larger than ${PINS_ROW_MAX_BYTES} bytes, and are not written`)
    }
    const [row] = yield* sql<{ revision: string }>`
      insert into mcp_live.pins (key, server, revision, content)
      values (${key}, ${place.server.replaceAll("\0", "")}, nextval('mcp_live.revisions'), ${content})
      on conflict (key) do update set revision = excluded.revision, content = excluded.content, updated_at = now()
      returning revision::text as revision`
    yield* say(sql, SUBJECT, key)
    return { row: { key, revision: row!.revision, content }, bytes }
  })

  const modify = Effect.fnUntraced(function* <A>(
    place: PinPlace,
    last: Found,
    change: (there: Held) => Effect.Effect<PinChange<A>, string>
  ): Effect.fn.Return<PinChanged<A>, string | DatabaseAway> {
    const key = keyOf(place)
    const done = yield* transaction("they cannot be stored", (sql) =>
      Effect.gen(function* () {
        // Also for a row that is not there yet.
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`
        const [now] = yield* sql<{ revision: string }>`
          select revision::text as revision from mcp_live.pins where key = ${key}`
        const isKnown = now !== undefined && now.revision === last.stamp
        const [row] = now === undefined || isKnown ? [] : yield* rowsOf(sql, [key])
        const there = isKnown ? last.held : row === undefined ? NOTHING : heldIn(row.content)
        const { keep, value } = yield* change(there)
        if (keep === undefined) return { value, stamp: now?.revision ?? "", bytes: 0 }
        if (keep !== "nothing") return { value, ...(yield* put(sql, key, place, keep)) }
        yield* sql`delete from mcp_live.pins where key = ${key}`
        yield* say(sql, SUBJECT, key)
        return { value, stamp: "", bytes: 0, isGone: true }
      })
    )
    if ("row" in done) {
      known.set(key, knownOf(done.row))
      return { value: done.value, stamp: done.row.revision, bytes: done.bytes }
    }
    if ("isGone" in done) known.delete(key)
    return done
  })

  const kept = (): ReadonlyArray<Kept> =>
    [...known]
      .map(([key, row]): Kept | undefined => {
        const held = row.held()
        if (held._tag === "Pins") return held
        return held._tag === "Nothing" ? undefined : { _tag: "Unreadable", file: nameOf(key), detail: held.detail }
      })
      .filter((one) => one !== undefined)

  const serverOf = (one: Kept): string => (one._tag === "Pins" ? one.pins.server : "")

  return PinStore.of({
    nameOf: (place) => nameOf(keyOf(place)),
    stampOf: (place) => known.get(keyOf(place))?.revision ?? "",
    read: (place) => known.get(keyOf(place))?.held() ?? NOTHING,
    // Pins have belonged to configurations since before there were fleets.
    adopt: () => undefined,
    lastOf: (server, configuration) => {
      const rows = [...known.values()].flatMap((row) => {
        const held = row.held()
        return held._tag === "Pins" && held.pins.server === server && held.pins.configuration === configuration
          ? [{ revision: BigInt(row.revision), pins: held.pins }]
          : []
      })
      return rows.toSorted((a, b) => (a.revision < b.revision ? 1 : -1))[0]?.pins
    },
    modify: (place, last, change) =>
      modify(place, last, change).pipe(
        Effect.mapError((error) => (typeof error === "string" ? error : wordsOf(error)))
      ),
    list: Effect.sync(() =>
      kept()
        .toSorted((a, b) => (serverOf(a) < serverOf(b) ? -1 : 1))
        .slice(0, PINS_FILES_MAX)
    ),
    changes: Stream.fromPubSub(changed)
  })
})

const nameOf = (key: string): string => `mcp_live.pins ${key}`

/** Pins in the database of the fleet. */
export const layer: Layer.Layer<PinStore, DatabaseAway, Database> = Layer.effect(PinStore, make)
