/**
 * Kept results in the database, in parts: every node can read them on, also after the one that kept them is gone. They are removed after some
 * hours, or when their node needs the room. A text is there when all of its parts are.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import {
  RESULT_LATE_MS,
  RESULT_LATE_TRIES,
  RESULT_PARTS_AT_ONCE,
  RESULTS_KEPT_MS,
  RESULTS_SWEEP_MS
} from "../../schemas/defaults/FleetStores.ts"
import { partsOf, rangeOf, type Parts } from "../../schemas/content/TextParts.ts"
import { StoredOrigin } from "../../schemas/call/StoredOrigin.ts"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import { ResultTexts, type Elsewhere } from "../../services/call/ResultTexts.ts"
import type { PersonStore } from "../../services/call/PersonStores.ts"
import { Database } from "../../services/fleet/Database.ts"
import { again } from "../../system/rounds.ts"

const Ends = Schema.Array(Schema.Int)
const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ origin: StoredOrigin, parts: Schema.Struct({ chars: Ends, bytes: Ends }) }))
)

interface Piece {
  readonly content: Uint8Array
}

const wordsOf = ({ message }: DatabaseAway): string => message

const endsOf = (lengths: ReadonlyArray<number>): ReadonlyArray<number> => {
  let end = 0
  return lengths.map((length) => (end += length))
}

const textOf = (rows: ReadonlyArray<Piece>): string =>
  Buffer.concat(rows.map(({ content }) => content)).toString("utf8")

const make = Effect.gen(function* () {
  const { run } = yield* Database

  const remove = (handle: string) =>
    run("a result cannot be removed", (sql) =>
      Effect.andThen(
        sql`delete from mcp_live.results where handle = ${handle}`,
        sql`delete from mcp_live.result_parts where handle = ${handle}`
      )
    ).pipe(Effect.asVoid, Effect.mapError(wordsOf))

  const write = (handle: string, text: string, origin: Parameters<ResultTexts["Service"]["write"]>[2]) =>
    Effect.gen(function* () {
      const pieces = [...partsOf(text)]
      const sizes: Array<number> = []
      for (const [number, chunk] of Arr.chunksOf(pieces, RESULT_PARTS_AT_ONCE).entries()) {
        const rows = Arr.map(chunk, (piece, i) => ({
          handle,
          n: number * RESULT_PARTS_AT_ONCE + i,
          content: Buffer.from(piece)
        }))
        for (const { content } of rows) sizes.push(content.length)
        yield* run("results cannot be kept", (sql) => sql`insert into mcp_live.result_parts ${sql.insert(rows)}`)
      }
      const parts: Parts = { chars: endsOf(pieces.map(({ length }) => length)), bytes: endsOf(sizes) }
      if (origin !== undefined) {
        yield* run(
          "results cannot be kept",
          (sql) => sql`
            insert into mcp_live.results (handle, content) values (${handle}, ${JSON.stringify({ origin, parts })})`
        )
      }
      return parts
    }).pipe(
      Effect.mapError(wordsOf),
      Effect.onError(() => Effect.ignore(remove(handle)))
    )

  const piecesOf = (handle: string, start: number, end: number) =>
    run(
      "a result cannot be read",
      (sql) => sql<Piece>`
        select content from mcp_live.result_parts
        where handle = ${handle} and n >= ${start}::int and n < ${end}::int order by n`
    ).pipe(
      Effect.mapError(wordsOf),
      Effect.filterOrFail(
        (rows) => rows.length >= end - start,
        () => "it was removed"
      )
    )

  const nextOf = (handle: string, from: number, most: number) =>
    run(
      "a result cannot be read",
      (sql) => sql<Piece & { readonly n: number }>`
        select n, content from mcp_live.result_parts
        where handle = ${handle} and n >= ${from}::int order by n limit ${most}::int`
    ).pipe(Effect.mapError(wordsOf))

  /** Of a text that is removed meanwhile, the first part goes before the others or with them: while it is there, none was missing. */
  const read = Effect.fnUntraced(function* (handle: string) {
    let text = ""
    for (let from = 0; ; from += RESULT_PARTS_AT_ONCE) {
      const rows = yield* nextOf(handle, from, RESULT_PARTS_AT_ONCE)
      text += textOf(rows)
      if (rows.length === RESULT_PARTS_AT_ONCE) continue
      const [first] = from === 0 ? rows : yield* nextOf(handle, 0, 1)
      // What is kept is never empty.
      return first?.n === 0 ? text : yield* Effect.fail("it was removed")
    }
  })

  const look = (handle: string): Effect.Effect<Elsewhere | undefined, DatabaseAway> =>
    run(
      "a result cannot be read",
      (sql) => sql<{ content: string }>`select content from mcp_live.results where handle = ${handle}`
    ).pipe(Effect.map(([row]) => Option.getOrUndefined(decode(row?.content))))

  /** A node is told of a handle before the text is here. */
  const find = (handle: string) =>
    look(handle).pipe(
      Effect.repeat({
        until: (found) => found !== undefined,
        schedule: Schedule.spaced(RESULT_LATE_MS).pipe(Schedule.upTo({ times: RESULT_LATE_TRIES }))
      }),
      Effect.andThen(look(handle)),
      Effect.catch(({ message }) => Effect.as(Effect.logWarning(message), undefined))
    )

  const sweep = run("results cannot be removed", (sql) => {
    const age = sql`make_interval(secs => ${RESULTS_KEPT_MS / 1000}::float8)`
    return Effect.andThen(
      sql`delete from mcp_live.results where kept_at < now() - ${age}`,
      sql`delete from mcp_live.result_parts where kept_at < now() - ${age}`
    )
  }).pipe(Effect.ignore)

  yield* Effect.forkScoped(again("fleet: the removal of old results", RESULTS_SWEEP_MS, sweep))

  return ResultTexts.of({
    place: "the database of the fleet",
    write,
    read,
    slice: (handle, parts, from, to) => {
      const range = rangeOf(parts, from, to)
      return Effect.map(piecesOf(handle, range.parts.start, range.parts.end), (rows) =>
        textOf(rows).slice(from - range.chars.start, to - range.chars.start)
      )
    },
    remove,
    find
  })
})

/** The kept results of people, which all nodes read from there. Names of tools may hold what `jsonb` refuses, so that texts are compared. */
export const ofPeople: Effect.Effect<PersonStore, never, Database> = Effect.map(Database, ({ run }) => {
  const removed = (client: string) =>
    run("results cannot be removed", (sql) =>
      Effect.gen(function* () {
        const rows = yield* sql<{ handle: string; content: string }>`
          select handle, content from mcp_live.results where position(${JSON.stringify(client)}::text in content) > 0`
        const handles = rows.flatMap(({ content, handle }) =>
          Option.getOrUndefined(decode(content))?.origin.client === client ? [handle] : []
        )
        if (handles.length === 0) return 0
        yield* sql`delete from mcp_live.results where ${sql.in("handle", handles)}`
        yield* sql`delete from mcp_live.result_parts where ${sql.in("handle", handles)}`
        return handles.length
      })
    )
  return {
    what: "kept results",
    forget: ({ clients }) =>
      Effect.forEach(clients, removed).pipe(
        Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0)),
        Effect.mapError(wordsOf)
      )
  }
})

/** Kept results in the database of the fleet. */
export const layer: Layer.Layer<ResultTexts, never, Database> = Layer.effect(ResultTexts, make)
