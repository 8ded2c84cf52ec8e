import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Logger from "effect/Logger"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConfigSourceLayer from "../../../src/layers/config/ConfigSource.ts"
import * as CallJournalLayer from "../../../src/layers/fleet/CallJournal.ts"
import { makeRows } from "../../../src/layers/fleet/Fleet/rows.ts"
import { McpLive } from "../../../src/layers/McpLive.ts"
import { CallJournal, CallOrigin, type JournalEntry, type OpenEntry } from "../../../src/services/call/CallJournal.ts"
import { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import { REPEAT_MAX_CHARS } from "../../../src/schemas/defaults/Fleet.ts"
import type { DatabaseAway } from "../../../src/schemas/fleet/FleetError.ts"
import { CallsOfDead } from "../../../src/services/fleet/CallsOfDead.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { serverPath } from "../../fixtures/servers.ts"
import { inFolder } from "../../support/folder.ts"
import { openDatabase, PEERS_SECRET } from "../../support/fleetDatabase.ts"
import { describePostgres, newDatabase, ownPostgres, type TestDatabase } from "../../support/postgres.ts"

const ENTRY = { agent: "main", server: "files", tool: "read" }

const LATE_MS = 200

/** What may run again elsewhere. */
const REPEATS = {
  mayRepeat: ({ tool }: { readonly tool: string }) => tool === "again",
  secret: Redacted.make(PEERS_SECRET)
}

/** What the fleet writes when a node has died. */
const dies = Effect.fnUntraced(function* (database: Database["Service"], name: string) {
  const rows = makeRows(database)
  const found = yield* rows.living(name)
  if (found !== undefined) yield* rows.bury(found.node, "gone")
})

/** A life of a node: its journal, as long as the Scope is open. */
const life = Effect.fnUntraced(function* (
  database: Database["Service"],
  directory: string,
  name = "node-1",
  times: Pick<CallJournalLayer.Options, "lateMs" | "settleMs"> = { lateMs: LATE_MS }
) {
  const self = { name, incarnation: randomUUID() }
  yield* dies(database, name)
  yield* makeRows(database).enter(self, { address: "127.0.0.1:1", version: "0.0.0-test" })
  const context = yield* Layer.build(
    Layer.fresh(CallJournalLayer.layer({ self: () => self, directory, repeats: REPEATS, ...times })).pipe(
      Layer.provide(Layer.succeed(Database, database))
    )
  )
  const begin = Context.get(context, CallJournal).current!.open
  /** As a call does that leaves at once. */
  const open = (entry: JournalEntry) =>
    Effect.withFiber((fiber) => {
      const opened = begin(entry, fiber.getRef(CallOrigin))
      return Effect.as(
        Effect.onInterrupt(opened.written, () => Effect.sync(() => opened.close("failed"))),
        opened
      )
    })
  return { self, begin, open, dead: Context.get(context, CallsOfDead) }
})

/** A life of a node that ends before the test does. */
const firstLife = Effect.fnUntraced(function* ({ url }: TestDatabase, folder: string, name = "node-1") {
  const scope = yield* Scope.make()
  const opened = Effect.flatMap(openDatabase(url), (database) => life(database, folder, name))
  return { first: yield* Scope.provide(opened, scope), end: Scope.close(scope, Exit.void) }
})

/** The same database, and how many statements were run. */
const counted = (database: Database["Service"]) => {
  const counts = { statements: 0 }
  const run: typeof database.run = (detail, work) => {
    counts.statements++
    return database.run(detail, work)
  }
  const lane = Effect.map(
    database.lane,
    (own) =>
      ({
        run: (detail, statement, parameters) => {
          counts.statements++
          return own.run(detail, statement, parameters)
        }
      }) satisfies typeof own
  )
  return { counts, database: Database.of({ ...database, run, lane }) }
}

const outcomes = ({ query }: TestDatabase) =>
  Effect.map(
    query("select outcome, count(*)::int as n from mcp_live.calls group by outcome order by outcome nulls first"),
    (rows) => Object.fromEntries(rows.map(({ n, outcome }) => [String(outcome), n]))
  )

/** Looks until it is so: another connection writes it. */
const becomes = <E>(look: Effect.Effect<unknown, E>, wanted: unknown) =>
  look.pipe(
    Effect.repeat({ until: (found) => JSON.stringify(found) === JSON.stringify(wanted), schedule: Schedule.spaced(20) })
  )

describePostgres("the journal of calls", () => {
  it.live("has the row of a call before the call leaves, and how it ended", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open, self } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      const calls = yield* Effect.forEach(["done", "failed", "unknown"] as const, (outcome) =>
        Effect.map(
          open({ ...ENTRY, client: "client ada" }),
          ({ close }) =>
            () =>
              close(outcome)
        )
      )
      assert.deepStrictEqual(yield* outcomes(test), { null: 3 })
      for (const close of calls) close()
      yield* becomes(outcomes(test), { done: 1, failed: 1, unknown: 1 })
      const rows = yield* test.query(
        "select node, incarnation::text as incarnation, agent, client, server, tool, closed_at >= opened_at as later from mcp_live.calls"
      )
      assert.deepStrictEqual(rows[0], {
        ...ENTRY,
        client: "client ada",
        node: self.name,
        incarnation: self.incarnation,
        later: true
      })
    })
  )

  it.live("lets no call leave whose row is not written yet", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      const other = yield* Effect.orDie(PgConnection.make({ url: Redacted.make(test.url) }))
      yield* Effect.orDie(other.query("begin"))
      yield* Effect.orDie(other.query("lock table mcp_live.calls in access exclusive mode"))
      const opening = yield* Effect.forkChild(open(ENTRY), { startImmediately: true })
      const waiting = test.query(
        "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
      )
      yield* becomes(waiting, [{ n: 1 }])
      assert.isUndefined(opening.pollUnsafe())
      yield* Effect.orDie(other.query("commit"))
      yield* Fiber.join(opening)
      assert.deepStrictEqual(yield* outcomes(test), { null: 1 })
    })
  )

  it.live("lets calls go whatever is in the names of tools and clients, and those that leave together with them", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      const odd = [
        { ...ENTRY, tool: "zero \0" },
        { ...ENTRY, tool: "half \ud800" },
        { ...ENTRY, client: "half \udc00", server: "\0" }
      ]
      for (const one of odd) yield* open(one)
      // The first leaves alone, and all others in one statement.
      yield* Effect.forEach([ENTRY, ...odd, ENTRY], open, { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(yield* outcomes(test), { null: 8 })
    })
  )

  it.live("fails a call alone whose row the database refuses, and none of those that leave together with it", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      yield* test.query("alter table mcp_live.calls add check (tool <> 'refused')")
      const exits = yield* Effect.forEach(
        [ENTRY, ENTRY, { ...ENTRY, tool: "refused" }, ENTRY],
        (entry) => Effect.exit(open(entry)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
      yield* open(ENTRY)
      assert.deepStrictEqual(yield* outcomes(test), { null: 4 })
    })
  )

  it.live("writes the calls that leave together as one statement, and the ends of calls as another", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { counts, database } = counted(yield* openDatabase(test.url))
      const { open } = yield* life(database, yield* inFolder)
      const one = Effect.map(open(ENTRY), ({ close }) => close("done"))
      counts.statements = 0
      yield* Effect.forEach(Array.from({ length: 200 }), () => one, { concurrency: "unbounded" })
      yield* Effect.forEach(Array.from({ length: 200 }), () => one, { concurrency: "unbounded" })
      assert.isAtMost(counts.statements, 8)
      yield* becomes(outcomes(test), { done: 400 })
      // One by one they are at most two for each.
      counts.statements = 0
      yield* Effect.forEach(Array.from({ length: 50 }), () => one)
      assert.isAtMost(counts.statements, 100)
      yield* becomes(outcomes(test), { done: 450 })
    })
  )

  it.live("finds the row of each call that ends by its key, however many there are", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      yield* Effect.forEach(Array.from({ length: 300 }), () => Effect.map(open(ENTRY), ({ close }) => close("done")))
      const statistics = (column: string) =>
        Effect.map(
          test.query(`select sum(${column})::int as n from pg_stat_user_tables where relname like 'calls%'`),
          ([row]) => row!["n"]
        )
      yield* becomes(statistics("n_tup_upd"), 300)
      assert.strictEqual(yield* statistics("seq_tup_read"), 0)
    })
  )

  it.live("has no row of a call that was given up before it could leave", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      // The second waits for the statement of the first.
      const first = yield* Effect.forkChild(open(ENTRY), { startImmediately: true })
      yield* Effect.yieldNow
      const second = yield* Effect.forkChild(open(ENTRY), { startImmediately: true })
      yield* Fiber.interrupt(second)
      ;(yield* Fiber.join(first)).close("done")
      yield* becomes(outcomes(test), { done: 1 })
    })
  )

  it.live(
    "writes no end before its beginning: that of a call which is refused while its row is being written waits",
    () =>
      Effect.gen(function* () {
        const test = yield* newDatabase()
        const real = yield* openDatabase(test.url)
        const mayGoOn = yield* Deferred.make<void>()
        let isHeld = false
        const lane = Effect.map(
          real.lane,
          (own) =>
            ({
              run: (...asked) =>
                isHeld ? Effect.andThen(Deferred.await(mayGoOn), own.run(...asked)) : own.run(...asked)
            }) satisfies typeof own
        )
        const { begin, open } = yield* life(Database.of({ ...real, lane }), yield* inFolder)
        const other = yield* open(ENTRY)
        yield* becomes(outcomes(test), { null: 1 })
        isHeld = true
        begin(ENTRY).close("failed")
        other.close("done")
        // Its end would have been written together with this one.
        yield* becomes(outcomes(test), { done: 1 })
        yield* Deferred.succeed(mayGoOn, undefined)
        yield* becomes(outcomes(test), { done: 1, failed: 1 })
      })
  )

  it.live("knows what the requests of a session have led to", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { dead, open, self } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      const asked = (request: string | number) =>
        Effect.provideService(open(ENTRY), CallOrigin, { session: "session-1", request })
      ;(yield* asked("a")).close("done")
      yield* asked(7)
      yield* becomes(
        Effect.map(dead.ofSession("session-1"), (found) => [...found]),
        [
          ['"a"', "done"],
          ["7", "running"]
        ]
      )
      assert.strictEqual(yield* dead.bury(self), 1)
      assert.strictEqual((yield* dead.ofSession("session-1")).get("7"), "unknown")
      assert.strictEqual((yield* dead.ofSession("session-2")).size, 0)
    })
  )

  it.live("has what was asked for by a call that may run twice until it ends, for the first who asks", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      const { dead } = yield* life(yield* openDatabase(test.url), yield* inFolder, "node-2")
      const asked = (request: number, tool = "again", path = "a") =>
        Effect.provideService(open({ ...ENTRY, tool }), CallOrigin, {
          session: "session-1",
          request,
          params: { name: tool, arguments: { path } }
        })
      const origin = (request: number) => ({ session: "session-1", request })
      yield* asked(1)
      const ends = yield* asked(2)
      yield* asked(3, "once")
      yield* asked(4, "again", "long".repeat(REPEAT_MAX_CHARS))
      // Several at once are one statement.
      yield* Effect.forEach([5, 6, 7], (request) => asked(request), { concurrency: "unbounded" })
      const has = (request: number) => dead.hasRepeat(origin(request))
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7], has), [
        true,
        true,
        false,
        false,
        true,
        true,
        true
      ])
      ends.close("done")
      yield* becomes(has(2), false)
      assert.deepStrictEqual<unknown>(yield* dead.takeRepeat(origin(1)), {
        params: { name: "again", arguments: { path: "a" } },
        runs: 1
      })
      assert.isUndefined(yield* dead.takeRepeat(origin(1)))
      assert.isUndefined(yield* dead.takeRepeat({ ...origin(5), session: "session-2" }))
      assert.deepStrictEqual(yield* outcomes(test), { null: 6, done: 1 })
    })
  )

  it.live("keeps what was asked for by a call from run to run, until it ends", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      const kept = Effect.map(test.query("select seq::int as seq from mcp_live.repeats"), (rows) =>
        rows.map(({ seq }) => seq)
      )
      const call = yield* Effect.provideService(open({ ...ENTRY, tool: "again" }), CallOrigin, {
        session: "session-1",
        request: 1,
        params: { path: "a" }
      })
      assert.strictEqual(yield* call.mayRunAgain!, true)
      yield* becomes(outcomes(test), { null: 1, unknown: 1 })
      assert.deepStrictEqual(yield* kept, [2])
      call.close("done")
      yield* becomes(outcomes(test), { done: 1, unknown: 1 })
      yield* becomes(kept, [])
    })
  )

  it.live("has an entry for each run of a call that may run again, and lets it run three times in all", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      const { dead } = yield* life(yield* openDatabase(test.url), yield* inFolder, "node-2")
      const origin = { session: "session-1", request: 1 }
      const run = (runs: number) =>
        Effect.provideService(open({ ...ENTRY, tool: "again" }), CallOrigin, { ...origin, params: { path: "a" }, runs })
      const mayRunAgain = (entry: OpenEntry) => entry.mayRunAgain ?? Effect.succeed(undefined)
      assert.isUndefined(yield* mayRunAgain(yield* open(ENTRY)))
      const first = yield* run(0)
      assert.strictEqual(yield* mayRunAgain(first), true)
      yield* becomes(outcomes(test), { null: 2, unknown: 1 })
      // The node of its session dies.
      assert.deepStrictEqual(yield* dead.takeRepeat(origin), { params: { path: "a" }, runs: 2 })
      const last = yield* run(2)
      assert.strictEqual(yield* mayRunAgain(last), false)
      assert.strictEqual(yield* dead.hasRepeat(origin), false)
      assert.isUndefined(yield* dead.takeRepeat(origin))
      yield* becomes(
        Effect.map(test.query("select from mcp_live.repeats"), (rows) => rows.length),
        0
      )
      last.close("failed")
      yield* becomes(outcomes(test), { null: 2, failed: 1, unknown: 1 })
      // In one of its runs it may have been executed.
      assert.strictEqual((yield* dead.ofSession("session-1")).get("1"), "unknown")
    })
  )

  it.live("says unknown of what an earlier life of the node has left, and of nothing else", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const folder = yield* inFolder
      const database = yield* openDatabase(test.url)
      const first = yield* life(database, folder)
      ;(yield* first.open(ENTRY)).close("done")
      yield* becomes(outcomes(test), { done: 1 })
      yield* first.open(ENTRY)
      const other = yield* life(database, yield* inFolder, "node-2")
      yield* other.open(ENTRY)
      yield* life(database, folder)
      yield* becomes(outcomes(test), { null: 1, done: 1, unknown: 1 })
    })
  )
})

const buriedLives = ({ query }: TestDatabase) =>
  Effect.map(query("select node from mcp_live.lives where buried_at is not null order by node"), (rows) =>
    rows.map(({ node }) => node)
  )

describePostgres("the calls of nodes whose death nobody has heard of", () => {
  it.live("are unknown when a node of another name starts, and those of nodes that live are not", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const database = yield* openDatabase(test.url)
      for (const name of ["node-1", "node-2"]) {
        const { first } = yield* firstLife(test, yield* inFolder, name)
        yield* first.open(ENTRY)
        yield* dies(database, name)
      }
      yield* (yield* life(database, yield* inFolder, "node-3")).open({ ...ENTRY, tool: "lives" })
      yield* life(database, yield* inFolder, "node-4")
      yield* becomes(outcomes(test), { null: 1, unknown: 2 })
      assert.deepStrictEqual(yield* test.query("select tool from mcp_live.calls where outcome is null"), [
        { tool: "lives" }
      ])
      yield* becomes(buriedLives(test), ["node-1", "node-2"])
    })
  )

  it.live("are unknown also when all nodes have started before", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const database = yield* openDatabase(test.url)
      const { first } = yield* firstLife(test, yield* inFolder)
      yield* first.open(ENTRY)
      yield* life(database, yield* inFolder, "node-2", { lateMs: LATE_MS, settleMs: LATE_MS })
      assert.deepStrictEqual(yield* outcomes(test), { null: 1 })
      yield* dies(database, "node-1")
      yield* becomes(outcomes(test), { unknown: 1 })
    })
  )

  it.live("are unknown also if they were written late, and the node that buried theirs ended before that", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const database = yield* openDatabase(test.url)
      const { first } = yield* firstLife(test, yield* inFolder)
      yield* first.open(ENTRY)
      yield* dies(database, "node-1")
      const second = yield* Scope.make()
      const other = yield* Scope.provide(life(database, yield* inFolder, "node-2", { lateMs: 60 * 60_000 }), second)
      yield* other.dead.bury(first.self)
      yield* becomes(outcomes(test), { unknown: 1 })
      yield* test.query(
        `insert into mcp_live.calls (incarnation, seq, on_day, node, opened_at, agent, server, tool)
         values ('${first.self.incarnation}', 2, current_date, 'node-1', now(), 'main', 'files', 'read')`
      )
      yield* Scope.close(second, Exit.void)
      yield* life(database, yield* inFolder, "node-3")
      yield* becomes(outcomes(test), { unknown: 2 })
    })
  )
})

describePostgres("while the database is away, calls", () => {
  it.live("go on, and the journal has all of them afterwards as they ended", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const test = yield* newDatabase(server)
      const folder = yield* inFolder
      const { open } = yield* life(yield* openDatabase(test.url), folder)
      const before = yield* open(ENTRY)
      yield* server.tell("stop")
      const one = Effect.provideService(open({ ...ENTRY, tool: "again" }), CallOrigin, {
        session: "session-1",
        request: 1,
        params: { path: "private" }
      })
      const meanwhile = yield* Effect.forEach(Array.from({ length: 30 }), () => one, { concurrency: 4 })
      before.close("done")
      for (const { close } of meanwhile.slice(0, 20)) close("failed")
      const owed = () => readFileSync(join(folder, "calls-node-1.jsonl"), "utf8").split("\n").length - 1
      yield* becomes(Effect.sync(owed), 51)
      assert.notMatch(readFileSync(join(folder, "calls-node-1.jsonl"), "utf8"), /again":"|private/)
      yield* server.tell("start")
      yield* becomes(outcomes(test), { null: 10, done: 1, failed: 20 })
      for (const { close } of meanwhile.slice(20)) close("done")
      ;(yield* open(ENTRY)).close("done")
      yield* becomes(outcomes(test), { done: 12, failed: 20 })
      // It is removed when all of it is written.
      yield* becomes(
        Effect.sync(() => existsSync(join(folder, "calls-node-1.jsonl"))),
        false
      )
    })
  )

  it.live("that end while the rest is still being sent are known to have ended", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const real = yield* openDatabase(test.url)
      const states = yield* Queue.unbounded<"here" | "away">()
      const isSending = yield* Deferred.make<void>()
      const mayGoOn = yield* Deferred.make<void>()
      let next: "passes" | "fails" | "is held" = "passes"
      const gated = <A, E>(detail: string, work: Effect.Effect<A, E>) => {
        const now = next
        next = next === "is held" ? "passes" : next
        if (now === "fails") return Effect.fail(real.away(detail))
        if (now === "passes") return work
        return Deferred.succeed(isSending, undefined).pipe(
          Effect.andThen(Deferred.await(mayGoOn)),
          Effect.andThen(work)
        )
      }
      const run = ((detail, work) => gated(detail, real.run(detail, work) as never)) as typeof real.run
      const lane = Effect.map(
        real.lane,
        (own) => ({ run: (detail, ...rest) => gated(detail, own.run(detail, ...rest)) }) satisfies typeof own
      )
      const database = Database.of({ ...real, run, lane, states: Stream.fromQueue(states) })
      const { open } = yield* life(database, yield* inFolder)
      next = "fails"
      const owed = yield* open(ENTRY)
      next = "is held"
      yield* Queue.offer(states, "here")
      yield* Deferred.await(isSending)
      owed.close("done")
      yield* open(ENTRY)
      yield* Deferred.succeed(mayGoOn, undefined)
      yield* becomes(outcomes(test), { null: 1, done: 1 })
    })
  )

  it.live("do not run again: others could not count that", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const test = yield* newDatabase(server)
      const { open } = yield* life(yield* openDatabase(test.url), yield* inFolder)
      const call = yield* Effect.provideService(open({ ...ENTRY, tool: "again" }), CallOrigin, {
        session: "session-1",
        request: 1,
        params: { path: "a" }
      })
      yield* server.tell("stop")
      assert.strictEqual(yield* call.mayRunAgain!, false)
      call.close("unknown")
      yield* server.tell("start")
      yield* becomes(outcomes(test), { failed: 1, unknown: 1 })
      // Nobody else runs it again either: it has ended.
      yield* becomes(
        Effect.map(test.query("select from mcp_live.repeats"), (rows) => rows.length),
        0
      )
    })
  )

  it.live("that a node still owed when it died are told by its next life, as unknown", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const test = yield* newDatabase(server)
      const folder = yield* inFolder
      const { end, first } = yield* firstLife(test, folder)
      yield* server.tell("stop")
      yield* first.open(ENTRY)
      yield* end
      yield* server.tell("start")
      yield* life(yield* openDatabase(test.url), folder)
      yield* becomes(outcomes(test), { unknown: 1 })
    })
  )

  it.live("that a node still owed do not hold up the start of its next life", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const folder = yield* inFolder
      const real = yield* openDatabase(test.url)
      /** The same database, where nothing is written to the journal before that. */
      const after = (before: Effect.Effect<void, DatabaseAway>) =>
        Database.of({
          ...real,
          run: (detail, work) =>
            detail === "the journal of calls cannot be written"
              ? Effect.andThen(before, real.run(detail, work))
              : real.run(detail, work),
          lane: Effect.map(real.lane, ({ run }) => ({ run: (...asked) => Effect.andThen(before, run(...asked)) }))
        })
      const scope = yield* Scope.make()
      const first = yield* Scope.provide(life(after(Effect.fail(real.away("it is away"))), folder), scope)
      yield* first.open(ENTRY)
      yield* Scope.close(scope, Exit.void)
      const mayGoOn = yield* Deferred.make<void>()
      yield* life(after(Deferred.await(mayGoOn)), folder)
      assert.deepStrictEqual(yield* outcomes(test), {})
      yield* Deferred.succeed(mayGoOn, undefined)
      yield* becomes(outcomes(test), { unknown: 1 })
    })
  )

  it.live("that a node still owed are told although a line of them was cut, or is refused by the database", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const test = yield* newDatabase(server)
      const folder = yield* inFolder
      const { end, first } = yield* firstLife(test, folder)
      yield* server.tell("stop")
      yield* first.open(ENTRY)
      yield* first.open(ENTRY)
      yield* end
      const path = join(folder, "calls-node-1.jsonl")
      const [one, two] = readFileSync(path, "utf8").split("\n").filter(Boolean)
      const noDay = one!.replace(/"day":"[^"]+"/, '"day":"no day"')
      assert.notStrictEqual(noDay, one)
      writeFileSync(path, `${[one, one!.slice(0, 20), noDay, two].join("\n")}\n`)
      yield* server.tell("start")
      yield* life(yield* openDatabase(test.url), folder)
      yield* becomes(outcomes(test), { unknown: 2 })
    })
  )

  it.live("that a node still owed when it died are unknown also when others had buried it before they were told", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const test = yield* newDatabase(server)
      const [folder, ofOther] = [yield* inFolder, yield* inFolder]
      const { end, first } = yield* firstLife(test, folder)
      yield* first.open(ENTRY)
      yield* server.tell("stop")
      yield* first.open(ENTRY)
      yield* end
      yield* server.tell("start")
      const other = yield* life(yield* openDatabase(test.url), ofOther, "node-2")
      yield* other.dead.bury(first.self)
      yield* becomes(outcomes(test), { unknown: 1 })
      yield* life(yield* openDatabase(test.url), folder)
      yield* becomes(outcomes(test), { unknown: 2 })
    })
  )

  it.live("that a node sent with its last breath are unknown, too", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const { dead, self } = yield* life(yield* openDatabase(test.url), yield* inFolder, "node-1", {
        // Longer than the writing below may take.
        lateMs: 10 * LATE_MS
      })
      const last = { name: "node-2", incarnation: "of-the-dead" }
      yield* dead.bury(last)
      // The database was about to write it when the node was buried.
      yield* test.query(
        `insert into mcp_live.calls (incarnation, seq, on_day, node, opened_at, agent, server, tool) values
         ('of-the-dead', 1, current_date, 'node-2', now(), 'main', 'files', 'read'),
         ('${self.incarnation}', 1, current_date, 'node-1', now(), 'main', 'files', 'read')`
      )
      yield* becomes(outcomes(test), { null: 1, unknown: 1 })
    })
  )
})

// ---- through the stages of a call ------------------------------------------------------------------------------------

const nodeOf = (url: string, dataDirectory: string, fleet = true, secret = PEERS_SECRET, limits = {}) => {
  const config = {
    mcp: {
      fleet: { database: url, listen: "127.0.0.1:7731", peers: { secret }, name: "node-1" },
      servers: { everything: { command: process.execPath, args: [serverPath("everything"), "stdio"], limits } }
    }
  }
  return McpLive({ replace: { config: ConfigSourceLayer.layerObject(config) }, dataDirectory, fleet }).pipe(
    Layer.provideMerge(Logger.layer([]))
  )
}

const LONG = "mcp_everything_trigger-long-running-operation"

describePostgres("a call through a node of a fleet", () => {
  it.live("is in the journal when it leaves, with how it ended; what was canceled is unknown", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      yield* Effect.gen(function* () {
        const { call, ready } = yield* McpRuntime
        yield* ready
        const hasLeft = yield* Deferred.make<void>()
        const onProgress = () => void Deferred.doneUnsafe(hasLeft, Effect.void)
        const running = yield* Effect.forkChild(call(LONG, { duration: 600, steps: 6_000 }, { onProgress }))
        yield* Deferred.await(hasLeft)
        assert.deepStrictEqual(yield* outcomes(test), { null: 1 })
        yield* Fiber.interrupt(running)
        assert.isFalse((yield* call("mcp_everything_echo", { message: "hello" })).isError)
        yield* becomes(outcomes(test), { done: 1, unknown: 1 })
        assert.deepStrictEqual(
          yield* test.query("select agent, server, tool from mcp_live.calls where outcome = 'done'"),
          [{ agent: "main", server: "everything", tool: "echo" }]
        )
      }).pipe(Effect.provide(nodeOf(test.url, yield* inFolder)))
    })
  )

  it.live("leaves no open row when a limit refuses it, and no row at all when the one before was refused, too", () =>
    Effect.gen(function* () {
      const test = yield* newDatabase()
      const one = { perMinute: 1, burst: 1 }
      yield* Effect.gen(function* () {
        const { call, ready } = yield* McpRuntime
        yield* ready
        const errors = yield* Effect.forEach([1, 2, 3, 4], () => call("mcp_everything_echo", { message: "hello" }))
        assert.deepStrictEqual(
          errors.map(({ isError }) => isError),
          [false, true, true, true]
        )
        yield* becomes(outcomes(test), { done: 1, failed: 1 })
      }).pipe(Effect.provide(nodeOf(test.url, yield* inFolder, true, PEERS_SECRET, one)))
    })
  )

  it.live("is in no journal where the program is not meant to be a node, and no database is needed", () =>
    Effect.gen(function* () {
      const away = nodeOf("postgres://nobody@127.0.0.1:1/none", yield* inFolder, false)
      const result = yield* Effect.provide(
        Effect.flatMap(McpRuntime, ({ call, ready }) =>
          Effect.andThen(ready, call("mcp_everything_echo", { message: "x" }))
        ),
        away
      )
      assert.isFalse(result.isError)
    })
  )

  it.live("cannot be made where the fleet cannot be joined: the start says why", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const error = yield* Effect.flip(Effect.scoped(Layer.build(nodeOf("postgres://nobody@127.0.0.1:1/none", folder))))
      assert.include(error.message, "fleet: the database at 127.0.0.1:1 cannot be reached (nothing listens there)")
      const refusedWith = (secret: string) =>
        Effect.map(
          Effect.flip(Effect.scoped(Layer.build(nodeOf("postgres://nobody@127.0.0.1:1/none", folder, true, secret)))),
          ({ message }) => message
        )
      assert.include(
        yield* refusedWith("secret://env/MCP_LIVE_NO_SUCH_SECRET"),
        "fleet: the secret secret://env/MCP_LIVE_NO_SUCH_SECRET is not available: the environment variable is not set"
      )
      assert.include(yield* refusedWith("too short"), "`fleet.peers.secret` is shorter than 32 characters")
    })
  )
})
