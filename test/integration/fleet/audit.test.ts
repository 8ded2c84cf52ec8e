import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as AuditLogLayer from "../../../src/layers/call/AuditLog.ts"
import * as ContentSanitizerLayer from "../../../src/layers/content/ContentSanitizer.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as AuditLinesLayer from "../../../src/layers/fleet/AuditLines.ts"
import * as AuditTrailLayer from "../../../src/layers/fleet/AuditTrail.ts"
import * as DayTablesLayer from "../../../src/layers/fleet/DayTables.ts"
import { parseAuditLine, type AuditRecord } from "../../../src/schemas/call/AuditRecord.ts"
import { withoutPerson } from "../../../src/schemas/call/Forgotten.ts"
import { makeUsage, type UsageAsked, type UsageRow } from "../../../src/schemas/call/Usage.ts"
import { AuditLog, type CallRecord } from "../../../src/services/call/AuditLog.ts"
import { AuditTrail } from "../../../src/services/call/AuditTrail.ts"
import { Database } from "../../../src/services/fleet/Database.ts"
import { auditApproval, auditCall, oneOfEach, timeOf } from "../../support/auditRecords.ts"
import { openDatabase } from "../../support/fleetDatabase.ts"
import { inFolder } from "../../support/folder.ts"
import { describePostgres, newDatabase, ownPostgres } from "../../support/postgres.ts"

const call = (tool: string): CallRecord => ({
  agent: "main",
  server: "files",
  tool,
  shape: () => "{}",
  durationMs: 1,
  outcome: "ok",
  resultChars: 2,
  findings: []
})

const inOrder = ({ calls, durationMs, errors, of, personId, resultChars }: UsageRow) => [
  Object.entries(of),
  personId,
  [calls, errors, durationMs, resultChars]
]

/** The audit log of a node, and of all. */
const node = Effect.fnUntraced(function* (database: Database["Service"], directory: string, name = "node-1") {
  const lines = AuditLinesLayer.layer({ self: { name, incarnation: "1" }, directory })
  const context = yield* Layer.build(
    Layer.fresh(
      Layer.merge(
        Layer.provide(AuditLogLayer.layerLines, [
          lines,
          Layer.provide(ContentSanitizerLayer.layer, RedactorLayer.layer)
        ]),
        AuditTrailLayer.layer
      ).pipe(Layer.provide(Layer.succeed(Database, database)))
    )
  )
  return { log: Context.get(context, AuditLog), trail: Context.get(context, AuditTrail) }
})

const toolOf = (record: AuditRecord | undefined) => (record?.kind === "call" ? record.tool : record?.kind)

const toolsIn = (trail: AuditTrail["Service"]) =>
  Effect.flatMap(trail.read(), Stream.runCollect).pipe(
    Effect.map((pieces) => pieces.flat().map(({ record }) => toolOf(record)))
  )

const becomes = <E>(look: Effect.Effect<unknown, E>, wanted: unknown) =>
  look.pipe(
    Effect.repeat({ until: (found) => JSON.stringify(found) === JSON.stringify(wanted), schedule: Schedule.spaced(20) })
  )

describePostgres("the audit log of a fleet", () => {
  it.live("has the records of all nodes, and gives each once to whoever follows it", () =>
    Effect.gen(function* () {
      const { url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      const [one, other] = [yield* node(database, yield* inFolder), yield* node(database, yield* inFolder, "node-2")]
      yield* one.log.record(call("first"))
      yield* becomes(toolsIn(other.trail), ["first"])
      yield* other.log.record(call("second"))
      const following = yield* one.trail.read()
      const now = Effect.map(Stream.runCollect(following), (pieces) =>
        pieces.flat().map(({ record }) => toolOf(record))
      )
      yield* becomes(toolsIn(one.trail), ["first", "second"])
      assert.deepStrictEqual(yield* now, ["first", "second"])
      yield* one.log.record(call("third"))
      yield* becomes(toolsIn(one.trail), ["first", "second", "third"])
      assert.deepStrictEqual(yield* now, ["third"])
    })
  )

  it.live("is read page by page, from the newest to the oldest", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const { log, trail } = yield* node(yield* openDatabase(url), yield* inFolder)
      const names = Array.from({ length: 1_200 }, (_, n) => (n % 100 === 0 ? `wanted_${n}` : `other_${n}`))
      for (const name of names) yield* log.record(call(name))
      yield* becomes(query("select count(*)::int as n from mcp_live.audit"), [{ n: 1_200 }])
      const accepts = (record: AuditRecord) => record.kind === "call" && record.tool.startsWith("wanted_")
      const first = yield* trail.past({ limit: 7, accepts })
      assert.deepStrictEqual(
        first.lines.map(({ record }) => toolOf(record)),
        ["wanted_500", "wanted_600", "wanted_700", "wanted_800", "wanted_900", "wanted_1000", "wanted_1100"]
      )
      const second = yield* trail.past({ limit: 7, accepts, before: first.cursor })
      assert.deepStrictEqual(
        second.lines.map(({ record }) => toolOf(record)),
        ["wanted_0", "wanted_100", "wanted_200", "wanted_300", "wanted_400"]
      )
      assert.isUndefined(second.cursor)
    })
  )

  it.live("is summed up by the database as it would be from files, with one statement a day", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      const statements: Array<string> = []
      const counted: Database["Service"] = {
        ...database,
        run: (detail, work) => {
          statements.push(detail)
          return database.run(detail, work)
        }
      }
      const { trail } = yield* node(counted, yield* inFolder)
      const [ada, namesake] = [
        { person: "Ada", personId: "a1" },
        { person: "Ada", personId: "a2" }
      ]
      const records = [
        auditCall(0, { ...ada, durationMs: 5.5, resultChars: 7 }),
        auditCall(1, { ...ada, outcome: "CallTimeout" }),
        auditCall(2, { ...namesake, tool: "write_100%" }),
        auditCall(86_400, { client: "client bob", server: null, tool: "nope", outcome: "ToolNotFound" }),
        ...oneOfEach(3).slice(1)
      ]
      for (const record of records) {
        const values = [record.time.slice(0, 10), "n", JSON.stringify(record)].map((one) => `'${one}'`)
        yield* query(`insert into mcp_live.audit (on_day, node, line) values (${values.join(", ")})`)
      }
      const asks: ReadonlyArray<UsageAsked> = [
        { by: ["person"] },
        { by: ["day", "server", "tool"] },
        { by: ["agent", "client"], since: Date.parse(timeOf(1)) },
        { by: ["person", "tool"], only: { person: "ADA" } },
        { by: ["person"], only: { person: "a2", agent: "ma?n", tool: "write_100%" } },
        { by: [], only: { tool: "write_1" } },
        { by: ["tool"], only: { tool: "*/read_*" } }
      ]
      for (const asked of asks) {
        const inFiles = makeUsage(asked)
        for (const record of records) inFiles.add(record)
        const { rows, total } = yield* trail.usage(asked)
        const sorted = (all: ReadonlyArray<unknown>) => all.map((row) => JSON.stringify(row)).toSorted()
        assert.deepStrictEqual(
          sorted(rows.map(inOrder)),
          sorted(inFiles.result().rows.map(inOrder)),
          JSON.stringify(asked)
        )
        assert.deepStrictEqual(total, inFiles.result().total)
      }
      statements.length = 0
      yield* trail.usage({ by: ["person"] })
      assert.lengthOf(statements, 2 * 2 + 1)
    })
  )

  it.live("is without a person who is forgotten, as the journal is, and has all of its records", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const { trail } = yield* node(yield* openDatabase(url), yield* inFolder)
      const ada = { person: 'Ada "the \\ first"', personId: "a1", client: "Ada by cli 01" }
      const records = [
        auditCall(0, ada),
        { ...auditApproval(1), person: ada.person, personId: "a1", answeredBy: ada.person, answeredById: "a1" },
        { ...auditApproval(4), person: "Bob", personId: "b1", answeredBy: ada.person, answeredById: "a1" },
        { ...auditApproval(5), person: ada.person, personId: "a1", answeredBy: "Bob", answeredById: "b1" },
        auditCall(86_400, { ...ada, client: "operator", shape: '{"person":"x"}' }),
        auditCall(2, { person: "Bob", personId: "b1", client: "Bob by cli 02" }),
        ...oneOfEach(3)
      ]
      for (const record of records) {
        const line = JSON.stringify(record).replaceAll("'", "''")
        yield* query(
          `insert into mcp_live.audit (on_day, node, line) values ('${record.time.slice(0, 10)}', 'n', '${line}')`
        )
      }
      for (const client of [ada.client, "Bob by cli 02"]) {
        yield* query(
          `insert into mcp_live.calls (incarnation, seq, on_day, node, opened_at, agent, client, server, tool)
           values ('1', nextval('mcp_live.audit_ids'), '2026-01-01', 'n', now(), 'main', '${client}', 's', 't')`
        )
      }
      assert.strictEqual(yield* trail.forget({ ids: ["a1"], names: [], clients: [ada.client, "operator"] }), 5)
      const inFiles = records.map(
        (record) => withoutPerson(JSON.stringify(record), new Set(["a1"])) ?? JSON.stringify(record)
      )
      const rows = yield* query("select line from mcp_live.audit")
      const parsed = (lines: ReadonlyArray<unknown>) =>
        lines.map((line) => JSON.stringify(parseAuditLine(String(line)))).toSorted()
      assert.deepStrictEqual(parsed(rows.map(({ line }) => line)), parsed(inFiles))
      assert.deepStrictEqual(
        (yield* query("select client from mcp_live.calls order by client")).map(({ client }) => client),
        ["Bob by cli 02", "forgotten"]
      )
      assert.strictEqual(yield* trail.forget({ ids: ["a1"], names: [], clients: [] }), 0)
    })
  )

  it.live("misses nothing that was recorded while the database was away, and keeps its order", () =>
    Effect.gen(function* () {
      const server = yield* ownPostgres
      const { url } = yield* newDatabase(server)
      const folder = yield* inFolder
      const { log, trail } = yield* node(yield* openDatabase(url), folder)
      yield* log.record(call("before"))
      yield* becomes(toolsIn(trail), ["before"])
      yield* server.tell("stop")
      yield* log.record(call("meanwhile"))
      const owed = join(folder, "audit-node-1.jsonl")
      yield* becomes(
        Effect.sync(() => existsSync(owed) && readFileSync(owed, "utf8").includes("meanwhile")),
        true
      )
      yield* server.tell("start")
      yield* becomes(
        Effect.orElseSucceed(toolsIn(trail), () => []),
        ["before", "meanwhile"]
      )
      yield* log.record(call("after"))
      yield* becomes(toolsIn(trail), ["before", "meanwhile", "after"])
    })
  )
})

describePostgres("the tables of single days", () => {
  it.live("are made ahead by nodes that start together, and dropped when they are older than configured", () =>
    Effect.gen(function* () {
      const { query, url } = yield* newDatabase()
      const database = yield* openDatabase(url)
      yield* query(
        "create table mcp_live.audit_20200101 partition of mcp_live.audit for values from ('2020-01-01') to ('2020-01-02')"
      )
      yield* query(
        "insert into mcp_live.audit (on_day, node, line) values ('2020-01-01', 'n', '{}'), ('2020-02-01', 'n', '{}')"
      )
      const kept = Layer.fresh(DayTablesLayer.layer(30)).pipe(Layer.provide(Layer.succeed(Database, database)))
      yield* Effect.forEach([1, 2, 3], () => Layer.build(kept), { concurrency: "unbounded" })
      const rows = yield* query(`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'mcp_live.audit'::regclass order by c.relname`)
      const days = [0, 1, 2, 3].map((day) => new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10))
      assert.deepStrictEqual(
        rows.map(({ name }) => name),
        [...days.map((day) => `audit_${day.replaceAll("-", "")}`), "audit_other"]
      )
      assert.deepStrictEqual(yield* query("select count(*)::int as n from mcp_live.audit"), [{ n: 0 }])
      yield* query("insert into mcp_live.audit (on_day, node, line) values (current_date, 'n', '{}')")
      assert.deepStrictEqual(yield* query("select count(*)::int as n from mcp_live.audit_other"), [{ n: 0 }])
    })
  )
})
