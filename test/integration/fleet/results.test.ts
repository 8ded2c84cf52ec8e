import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ResultStoreLayer from "../../../src/layers/call/ResultStore.ts"
import * as ResultTextsLayer from "../../../src/layers/fleet/ResultTexts.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import { RESULT_PARTS_AT_ONCE } from "../../../src/schemas/defaults/FleetStores.ts"
import { KEPT_TEXT_CHUNK_CHARS } from "../../../src/schemas/defaults/Results.ts"
import { ResultStore } from "../../../src/services/call/ResultStore.ts"
import { ResultTexts } from "../../../src/services/call/ResultTexts.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { databaseLayer, openDatabase } from "../../support/fleetDatabase.ts"
import { quiet, resultsOf, until } from "../../support/fleetStores.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const ORIGIN = {
  server: "tickets",
  tool: "export",
  content: { mode: "datamark", withhold: ["pattern"] }
} as const

const nodeAt = (url: string, node: string, sizes: ResultStoreLayer.SizeOptions = {}) =>
  Effect.map(
    Layer.build(
      ResultStoreLayer.layerStored(sizes).pipe(
        Layer.provide(resultsOf(url, node)),
        Layer.provide(RedactorLayer.layer),
        Layer.provide(quiet)
      )
    ),
    (context) => Context.get(context, ResultStore)
  )

/** Over several parts, with characters of several bytes, and one that a text column cannot hold. */
const TEXT = `${"ä😀\0b".repeat(KEPT_TEXT_CHUNK_CHARS)}the end`

describePostgres("a kept result in a fleet", () => {
  it.live("goes with the person whose client got it, at every node; those of others stay", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      const adas = one.keep(TEXT, { ...ORIGIN, client: "ada by cli 1" })!
      const bobs = one.keep(TEXT, { ...ORIGIN, client: "bob by cli 1" })!
      yield* one.settled
      const { forget } = yield* Effect.provide(
        ResultTextsLayer.ofPeople,
        yield* Layer.build(databaseLayer(url, { node: "command" }))
      )
      assert.strictEqual(yield* forget({ ids: ["a1"], names: [], clients: ["ada by cli 1", "ada by cli 2"] }), 1)
      assert.strictEqual(yield* forget({ ids: ["a1"], names: [], clients: [] }), 0)
      assert.isUndefined(yield* one.read(adas))
      assert.isTrue((yield* other.read(bobs))?.text === TEXT)
      assert.lengthOf(yield* query("select distinct handle from mcp_live.result_parts"), 1)
    })
  )

  it.live("is read on at another node, whole and in parts, with its origin", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      const handle = one.keep(TEXT, ORIGIN)!
      yield* one.settled
      const read = yield* other.read(handle)
      assert.isTrue(read?.text === TEXT)
      assert.deepEqual<unknown>(read?.origin, ORIGIN)
      const opened = yield* other.open(handle)
      assert.strictEqual(opened?.length, TEXT.length)
      for (const [from, to] of [
        [0, 7],
        [KEPT_TEXT_CHUNK_CHARS - 3, KEPT_TEXT_CHUNK_CHARS + 5],
        [TEXT.length - 7, TEXT.length],
        [TEXT.length, TEXT.length]
      ] as const) {
        assert.strictEqual(yield* opened!.slice(from, to), TEXT.slice(from, to))
      }
    })
  )

  it.live("is still there when its node is gone", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const handle = yield* Effect.scoped(
        Effect.gen(function* () {
          const one = yield* nodeAt(url, "one")
          const kept = one.keep("to be read on", ORIGIN)!
          yield* one.settled
          return kept
        })
      )
      const other = yield* nodeAt(url, "other")
      assert.strictEqual((yield* other.read(handle))?.text, "to be read on")
    })
  )

  it.live("of a part is nobody else's, and is removed with it", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      const handle = yield* Effect.scoped(
        Effect.gen(function* () {
          const part = yield* one.part
          const kept = part.keep("of one session", ORIGIN)!
          yield* one.settled
          assert.strictEqual((yield* part.read(kept))?.text, "of one session")
          assert.isUndefined(yield* other.read(kept))
          assert.isUndefined(yield* one.read(kept))
          return kept
        })
      )
      yield* until(
        Effect.map(query("select from mcp_live.result_parts where handle = $1", [handle]), (rows) => rows.length === 0)
      )
    })
  )

  it.live("makes room for later ones of its node, everywhere", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* nodeAt(url, "one", { maxBytes: 8 * 1024 }), yield* nodeAt(url, "other")]
      const handles = ["a", "b", "c"].map((letter) => one.keep(letter.repeat(4_000), ORIGIN)!)
      yield* one.settled
      yield* one.settled
      assert.isUndefined(yield* other.read(handles[0]!))
      assert.strictEqual((yield* other.read(handles[2]!))?.text.length, 4_000)
    })
  )

  it.live("is in memory while the database is away, and of nobody who guesses a handle", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const [one, other] = [yield* nodeAt(url, "one"), yield* nodeAt(url, "other")]
      yield* server.tell("stop")
      const handle = one.keep("kept meanwhile", ORIGIN)!
      yield* one.settled
      assert.strictEqual((yield* one.read(handle))?.text, "kept meanwhile")
      assert.isUndefined(yield* other.read(handle))
      yield* server.tell("start")
      // Both use the database again, so that what is not found is not there.
      const isBack = Effect.gen(function* () {
        const later = other.keep("kept afterwards", ORIGIN)!
        yield* other.settled
        return (yield* one.read(later)) !== undefined
      })
      yield* until(isBack)
      assert.isUndefined(yield* other.read("r-0123456789abcdef"))
      assert.isUndefined(yield* other.read("' or true --"))
    })
  )

  for (const [removed, condition] of [
    ["whole", "true"],
    ["from its beginning on, as it becomes old", "n < 2"]
  ] as const) {
    it.live(`is never given in part to whoever reads it while it is removed, ${removed}`, () =>
      Effect.gen(function* () {
        const { query, url } = yield* newDatabase()
        const database = yield* openDatabase(url)
        const remove = query(`delete from mcp_live.result_parts where ${condition}`)
        // After the first statement of a reader.
        const run: typeof database.run = (detail, work) =>
          detail === "a result cannot be read"
            ? Effect.tap(database.run(detail, work), () => remove)
            : database.run(detail, work)
        const context = yield* Layer.build(
          ResultTextsLayer.layer.pipe(Layer.provide(Layer.succeed(Database, { ...database, run })))
        )
        const { read, write } = Context.get(context, ResultTexts)
        const text = "a".repeat(KEPT_TEXT_CHUNK_CHARS * (RESULT_PARTS_AT_ONCE + 1))
        yield* write("r-1", text, undefined)
        assert.strictEqual(yield* Effect.flip(read("r-1")), "it was removed")
        assert.strictEqual(yield* Effect.flip(read("r-1")), "it was removed")
      })
    )
  }
})
