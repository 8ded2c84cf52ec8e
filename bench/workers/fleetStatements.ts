/** What calls cost the database, by its own count (pg_stat_statements): near and far, with some in flight. */
import { setTimeout as delay } from "node:timers/promises"
import { TEXT } from "../cases/call.ts"
import { CALLS, IN_FLIGHT, KINDS, type Counted } from "../cases/fleetStatements.ts"
import { expectText } from "../lib/client.ts"
import { connectTo, ECHO, startNode } from "../lib/fleet.ts"
import { newDatabase, queryAt, startPostgres } from "../lib/postgres.ts"

/** Longer than ends of calls and lines of the audit log wait to be written. */
const WRITTEN_MS = 1_500
const IDLE_MS = 5_000

const postgres = await startPostgres()
await queryAt(postgres.url("postgres"), "alter system set shared_preload_libraries = 'pg_stat_statements'")
await postgres.tell("stop")
await postgres.tell("start")
const database = await newDatabase(postgres, "statements")
await queryAt(database, "create extension pg_stat_statements")

const one = await startNode({ name: "one", database })
const near = await connectTo(one.url)
const call = async (client: typeof near) =>
  expectText(await client.callTool({ name: ECHO, arguments: { text: TEXT } }), TEXT)
await call(near)
const two = await startNode({ name: "two", database })
const far = await connectTo(two.url)
await call(far)

/** What is kept of calls. */
const bytes = async () => {
  const [row] = await queryAt(
    database,
    `select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits
     where inhparent in ('mcp_live.calls'::regclass, 'mcp_live.audit'::regclass)`
  )
  return Number(row!["bytes"])
}

const during = async (work: () => Promise<unknown>) => {
  await delay(WRITTEN_MS)
  const before = await bytes()
  await queryAt(database, "select pg_stat_statements_reset()")
  const begun = performance.now()
  await work()
  const seconds = (performance.now() - begun) / 1_000
  await delay(WRITTEN_MS)
  const rows = await queryAt(
    database,
    `select query, calls::int as calls, total_exec_time as ms from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) and toplevel and query not like '%pg_stat_statements%'`
  )
  const sum = (kind: string) => {
    const of = rows.filter(({ query }) => (KINDS.find(({ holds }) => holds.test(String(query)))?.name ?? "") === kind)
    const total = (what: "calls" | "ms") => of.reduce((all, row) => all + Number(row[what]), 0)
    return { statements: total("calls"), ms: total("ms") }
  }
  return {
    seconds,
    bytes: (await bytes()) - before,
    ofKind: Object.fromEntries([...KINDS.map(({ name }) => name), ""].map((kind) => [kind, sum(kind)]))
  }
}

const idle = await during(() => delay(IDLE_MS))
const counted: Array<Counted> = []
for (const [where, client] of [
  ["near", near],
  ["far", far]
] as const) {
  for (const inFlight of IN_FLIGHT) {
    const some = async () => {
      for (let left = CALLS / inFlight; left > 0; left--) await call(client)
    }
    counted.push({ where, inFlight, ...(await during(() => Promise.all(Array.from({ length: inFlight }, some)))) })
  }
}
process.stdout.write(`${JSON.stringify({ idle, counted })}\n`)
process.exit(0)
