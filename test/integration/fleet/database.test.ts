import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { MIGRATIONS } from "../../../src/layers/fleet/Database/migrations.ts"
import type { Database } from "../../../src/services/fleet/Database.ts"
import { openDatabase } from "../../support/fleetDatabase.ts"
import { describePostgres, newDatabase, ownPostgres, sharedPostgres } from "../../support/postgres.ts"

const refused = (url: string, options: Parameters<typeof openDatabase>[1] = {}) =>
  Effect.scoped(openDatabase(url, options)).pipe(
    Effect.flip,
    Effect.map(({ message }) => message)
  )

const becomes = (database: Database["Service"], state: "here" | "away") =>
  database.states.pipe(
    Stream.filter((each) => each === state),
    Stream.runHead
  )

const one = (database: Database["Service"]) =>
  database.run("nothing can be counted", (sql) => sql<{ one: number }>`select 1 as one`)

describePostgres("the database of a fleet that a node cannot use is one sentence", () => {
  it.live("text that is no address, without showing it", () =>
    Effect.map(refused("mysql://me:hush@there/db"), (message) => {
      assert.strictEqual(
        message,
        "fleet: `fleet.database` is not the address of a database: it is written postgres://user:password@host:5432/name"
      )
    })
  )

  it.live("nobody listens there", () =>
    Effect.gen(function* () {
      // Only the system's own services may have it: nobody takes it meanwhile.
      const port = 1
      assert.strictEqual(
        yield* refused(`postgres://me:hush@127.0.0.1:${port}/db`),
        `fleet: the database at 127.0.0.1:${port} cannot be reached (nothing listens there): start it, or correct \`fleet.database\``
      )
    })
  )

  it.live("a wrong password", () =>
    Effect.gen(function* () {
      const { port } = yield* sharedPostgres
      assert.strictEqual(
        yield* refused(`postgres://postgres:wrong@127.0.0.1:${port}/postgres`),
        `fleet: the database at 127.0.0.1:${port} refuses the user or the password of \`fleet.database\`: correct them`
      )
    })
  )

  it.live("a database that does not exist", () =>
    Effect.gen(function* () {
      const { port, url } = yield* sharedPostgres
      assert.strictEqual(
        yield* refused(url("nowhere")),
        `fleet: there is no database 'nowhere' at 127.0.0.1:${port}: create it, or correct \`fleet.database\``
      )
    })
  )

  it.live("a user who may create nothing", () =>
    Effect.gen(function* () {
      const { query, server, url } = yield* newDatabase()
      const user = `user_${url.split("/").at(-1)}`
      yield* query(`create role ${user} login password 'theirs'`)
      const own = new URL(url)
      own.username = user
      own.password = "theirs"
      assert.strictEqual(
        yield* refused(own.href),
        `fleet: the user of \`fleet.database\` may not create tables in '${url.split("/").at(-1)}' at 127.0.0.1:${server.port}: grant CREATE on the database to it`
      )
    })
  )

  it.live("a database of another fleet", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      yield* openDatabase(url)
      assert.strictEqual(
        yield* refused(url, { secret: Redacted.make("the secret of somebody else's nodes") }),
        "fleet: the database belongs to another fleet, whose `fleet.peers.secret` is another one: correct `fleet.database` or the secret"
      )
    })
  )

  it.live("a database that a newer version has taken over", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const later = { name: "later", statements: ["create table mcp_live.later (id int)"], oldestContract: 99 }
      yield* openDatabase(url, { version: "9.9.9", migrations: [...MIGRATIONS, later] })
      assert.strictEqual(
        yield* refused(url),
        "fleet: the database was changed by mcp-live 9.9.9, which this version cannot work with: install 9.9.9 or later"
      )
    })
  )

  for (const [minutes, words] of [
    [5, "5 minutes ahead of"],
    [-3, "3 minutes behind"]
  ] as const) {
    it.live(`a clock that is ${words} that of the database`, () =>
      Effect.gen(function* () {
        const { url } = yield* newDatabase()
        const clock = yield* Clock.Clock
        const off: Clock.Clock = Object.assign(Object.create(clock) as Clock.Clock, {
          currentTimeMillis: Effect.sync(() => Date.now() + minutes * 60_000)
        })
        assert.strictEqual(
          yield* refused(url).pipe(Effect.provideService(Clock.Clock, off)),
          `fleet: the clock of this machine is ${words} that of the database: set both by a time server (NTP)`
        )
      })
    )
  }
})

describePostgres("the tables of a fleet", () => {
  it.live("are made once by nodes that start together", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const nodes = yield* Effect.forEach(Array.from({ length: 8 }), () => openDatabase(url), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(nodes.map(({ fleetId }) => fleetId)).size, 1)
      const applied = yield* query("select name from mcp_live.migrations order by applied_at, name")
      assert.sameMembers(
        applied.map(({ name }) => name),
        MIGRATIONS.map(({ name }) => name)
      )
    })
  )

  it.live("are brought forward beside a node of the version before, which goes on", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const before = yield* openDatabase(url)
      const next = {
        name: "next",
        statements: ["alter table mcp_live.fleet add column note text not null default 'x'"]
      }
      yield* openDatabase(url, { migrations: [...MIGRATIONS, next], version: "0.0.1-test" })
      assert.deepStrictEqual(yield* query("select note, migrated_by from mcp_live.fleet"), [
        { note: "x", migrated_by: "0.0.1-test" }
      ])
      assert.deepStrictEqual(yield* one(before), [{ one: 1 }])
      // It may also start again.
      yield* openDatabase(url)
    })
  )

  it.live("stay as they were when a step fails", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const broken = { name: "broken", statements: ["create table mcp_live.half (id int)", "select nonsense"] }
      const message = yield* refused(url, { migrations: [...MIGRATIONS, broken] })
      assert.include(message, 'cannot be used: column "nonsense" does not exist')
      assert.deepStrictEqual(yield* query("select to_regnamespace('mcp_live') as found"), [{ found: null }])
    })
  )

  it.live("need no right to create anything once they are there", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      yield* openDatabase(url)
      const user = `user_${url.split("/").at(-1)}`
      yield* query(`create role ${user} login password 'theirs'`)
      yield* query(`grant usage on schema mcp_live to ${user}`)
      yield* query(`grant select, insert, update, delete on all tables in schema mcp_live to ${user}`)
      const own = new URL(url)
      own.username = user
      own.password = "theirs"
      yield* openDatabase(own.href)
    })
  )
})

describePostgres("a statement", () => {
  it.live("fails with what is not possible, and a time to come back, when the database is away", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const database = yield* openDatabase(url)
      yield* server.tell("stop")
      const error = yield* Effect.flip(one(database))
      assert.strictEqual(
        error.message,
        "nothing can be counted: the database of the fleet is not available; try again in 1 s"
      )
      assert.isTrue(database.isAway())
      // Nothing is tried for these: they fail in the same turn of the event loop.
      assert.deepStrictEqual(Effect.runSyncExit(one(database)), Exit.fail(error))
      yield* server.tell("start")
      yield* becomes(database, "here")
      assert.deepStrictEqual(yield* one(database), [{ one: 1 }])
    })
  )

  it.live("does not wait for a database that has stopped answering, nor do those after it", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const database = yield* openDatabase(url)
      yield* one(database)
      yield* server.tell("freeze")
      yield* Effect.flip(one(database))
      assert.isTrue(Exit.isFailure(Effect.runSyncExit(one(database))))
      yield* server.tell("thaw")
      yield* becomes(database, "here")
      assert.deepStrictEqual(yield* one(database), [{ one: 1 }])
    })
  )

  it.live("does not wait for it with a connection of its own either, and gets another one afterwards", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { query, url } = yield* newDatabase(server)
      const database = yield* openDatabase(url)
      const lane = yield* database.lane
      yield* query("create table noted (n int)")
      const note = (n: number) => lane.run("it cannot be noted", "insert into noted values ($1::int)", [n])
      yield* note(1)
      yield* server.tell("freeze")
      assert.strictEqual((yield* Effect.flip(note(2))).message.includes("it cannot be noted"), true)
      assert.isTrue(database.isAway())
      yield* server.tell("thaw")
      yield* becomes(database, "here")
      yield* note(3)
      assert.deepStrictEqual(yield* query("select n from noted where n <> 2"), [{ n: 1 }, { n: 3 }])
    })
  )

  it.live("meets no outage when only its own connection was closed meanwhile", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      const lane = yield* database.lane
      yield* lane.run("x", "select 1", [])
      yield* query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()"
      )
      yield* lane.run("x", "select 1", [])
      assert.isFalse(database.isAway())
    })
  )

  it.live("is given up at once by a caller who goes while the database does not answer", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const database = yield* openDatabase(url)
      yield* one(database)
      yield* server.tell("freeze")
      const waiting = yield* Effect.forkChild(one(database), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      // Otherwise the interruption takes until the statement is given up, which also says that the database is away.
      assert.isFalse(database.isAway())
      yield* server.tell("thaw")
    })
  )

  it.live("that takes too long fails by itself, and says nothing of the database", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      const slow = database.run("it takes too long", (sql) => sql`select pg_sleep(60)`)
      assert.strictEqual((yield* Effect.flip(slow))._tag, "DatabaseAway")
      assert.isFalse(database.isAway())
    })
  )

  it.live("that is wrong is a defect, and says nothing of the database", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      const exit = yield* Effect.exit(database.run("nothing", (sql) => sql`select nonsense`))
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"))
      assert.isFalse(database.isAway())
    })
  )
})

describePostgres("a transaction", () => {
  it.live("is run again when another one was in its way", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      yield* query("create table counts (name text primary key, n int not null)")
      yield* query("insert into counts values ('a', 0), ('b', 0)")
      const met = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
      const both = (own: 0 | 1, order: ReadonlyArray<string>) =>
        database.transaction("nothing is counted", (sql) =>
          Effect.gen(function* () {
            yield* sql`update counts set n = n + 1 where name = ${order[0]!}`
            yield* Deferred.succeed(met[own], undefined)
            yield* Deferred.await(met[own === 0 ? 1 : 0])
            yield* sql`update counts set n = n + 1 where name = ${order[1]!}`
          })
        )
      yield* Effect.all([both(0, ["a", "b"]), both(1, ["b", "a"])], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* query("select n from counts"), [{ n: 2 }, { n: 2 }])
    })
  )

  it.live.each([
    { why: "this process was too slow", ending: "set local idle_in_transaction_session_timeout = 10", isAway: false },
    { why: "its connection was closed", ending: "select pg_terminate_backend(pg_backend_pid())", isAway: true }
  ])("that has ended because $why fails with a time to come back", ({ ending, isAway }) =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      const error = yield* database
        .transaction("nothing is counted", (sql) =>
          Effect.gen(function* () {
            const [own] = yield* sql<{ pid: number }>`select pg_backend_pid() as pid`
            yield* sql.unsafe(ending)
            yield* query(`select pid from pg_stat_activity where pid = ${own!.pid}`).pipe(
              Effect.repeat({ until: (rows) => rows.length === 0, schedule: Schedule.spaced(20) })
            )
            yield* sql`select 1`
          })
        )
        .pipe(Effect.flip)
      assert.match(error.message, /nothing is counted: the database of the fleet is not available/)
      assert.strictEqual(database.isAway(), isAway)
    })
  )
})

describePostgres("what nodes say by way of the database", () => {
  it.live("is heard by all who listen to its subject, and only when it is committed", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const [one, other] = [yield* openDatabase(url), yield* openDatabase(url)]
      const listening = yield* Deferred.make<void>()
      const hearing = yield* other.heard("pins").pipe(
        Stream.tap(({ _tag }) => (_tag === "listening" ? Deferred.succeed(listening, undefined) : Effect.void)),
        Stream.take(2),
        Stream.runCollect,
        Effect.forkChild
      )
      yield* Deferred.await(listening)
      const undone = one.transaction("x", (sql) => Effect.andThen(one.say(sql, "pins", "undone"), Effect.fail("no")))
      yield* Effect.flip(undone)
      yield* one.run("x", (sql) => one.say(sql, "approvals", "others"))
      yield* one.run("x", (sql) => one.say(sql, "pins", 'a "text"'))
      assert.deepStrictEqual(yield* Fiber.join(hearing), [{ _tag: "listening" }, { _tag: "said", text: 'a "text"' }])
    })
  )

  it.live("may have been missed while the connection was broken, which a listener learns", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      const listening = yield* Deferred.make<void>()
      const hearing = yield* database.heard("pins").pipe(
        Stream.tap(({ _tag }) => (_tag === "listening" ? Deferred.succeed(listening, undefined) : Effect.void)),
        Stream.take(3),
        Stream.map(({ _tag }) => _tag),
        Stream.runCollect,
        Effect.forkChild
      )
      yield* Deferred.await(listening)
      yield* query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'LISTEN%'")
      assert.deepStrictEqual(yield* Fiber.join(hearing), ["listening", "deaf", "listening"])
    })
  )
})

describePostgres("the connections of a node", () => {
  it.live("are no more than it may have, however much is asked at once", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const database = yield* openDatabase(url, { node: "bounded", connections: 4 })
      const lane = yield* database.lane
      yield* lane.run("x", "select 1", [])
      const counts = yield* Effect.forEach(
        Array.from({ length: 40 }),
        () => database.run("x", (sql) => sql`select pg_sleep(0.01)`),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(counts, 40)
      const [row] = yield* query(
        "select count(*)::int as n from pg_stat_activity where application_name = 'mcp-live bounded' and datname = current_database()"
      )
      // One more is there for what is heard.
      assert.strictEqual(row!["n"], 3)
    })
  )
})
