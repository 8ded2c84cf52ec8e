/** Opens idle sessions at one node, and tells what they take there and in the database. */
import { COUNTS, type Held } from "../cases/fleetSessions.ts"
import { ECHO, startNode } from "../lib/fleet.ts"
import { inspect } from "../lib/inspected.ts"
import { newDatabase, queryAt, startPostgres } from "../lib/postgres.ts"
import { callIn, openSession } from "../lib/rawSession.ts"

const OPENING = 16

const database = await newDatabase(await startPostgres(), "sessions")
const node = await startNode({ name: "one", database, flags: ["--inspect=127.0.0.1:0"] })
const inspected = await inspect(node.debugger(), node.pid)

const open = async (count: number) => {
  let left = count
  const sessions: Array<string> = []
  const some = async () => {
    while (left-- > 0) sessions.push(await openSession(node.url))
  }
  await Promise.all(Array.from({ length: OPENING }, some))
  return sessions
}
const bytes = async () => {
  const [row] = await queryAt(database, "select pg_total_relation_size('mcp_live.sessions')::int as bytes")
  return Number(row!["bytes"])
}

const [first] = await open(OPENING)
await callIn(node.url, first!, ECHO, "warm")
const [before, rows] = [await inspected.memory(), await bytes()]
const held: Array<Held> = []
let last = first!
for (const [i, sessions] of COUNTS.entries()) {
  const more = sessions - (COUNTS[i - 1] ?? 0)
  const begun = performance.now()
  last = (await open(more)).at(-1)!
  const openMs = (performance.now() - begun) / more
  const now = await inspected.memory()
  held.push({
    sessions,
    openMs,
    rssMiB: now.rssKiB / 1_024,
    rssKiB: (now.rssKiB - before.rssKiB) / sessions,
    heapKiB: (now.heapKiB - before.heapKiB) / sessions,
    databaseKiB: ((await bytes()) - rows) / sessions / 1_024
  })
}
const said = [await callIn(node.url, first!, ECHO, "the oldest"), await callIn(node.url, last, ECHO, "the newest")]
const areAlive = said[0]!.includes("the oldest") && said[1]!.includes("the newest")
inspected.close()
process.stdout.write(`${JSON.stringify({ held, areAlive })}\n`)
process.exit(0)
