/**
 * Whether a fleet keeps its promises while its nodes are killed, frozen, cut off, replaced, and its database goes away: `npm run fleet:chaos`.
 * Everything is real: the built program, PostgreSQL, servers, the official clients.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { generator } from "../../test/support/random.ts"
import { startBalancer } from "./balancer.ts"
import { makeCalls } from "./calls.ts"
import { answers } from "./check/answers.ts"
import { executions } from "./check/executions.ts"
import type { Facts, Violation } from "./check/facts.ts"
import { journal } from "./check/journal.ts"
import { leftovers } from "./check/leftovers.ts"
import { limits } from "./check/limits.ts"
import { sessions } from "./check/sessions.ts"
import { startFaults, type Faults } from "./faults.ts"
import { executionsIn, journalOf, openRows } from "./gather.ts"
import { startLoad } from "./load.ts"
import { makeNode, MARKER, type ChaosNode } from "./node.ts"
import { HELP, readOptions, type Options } from "./options.ts"
import { startPostgres, type Postgres } from "./postgres.ts"
import { readReports, sumOf, writeReport } from "./record.ts"
import { asText, historiesOf, reportOf } from "./report.ts"
import { FLEET, serversOf } from "./servers.ts"
import { makeTokens } from "./tokens.ts"

const NAMES = ["node-1", "node-2", "node-3"]
const GUEST = "node-4"
const TELL_MS = 5_000
const SETTLES_WITHIN_MS = 60_000
const LOOK_MS = 250
const ENDS_WITHIN_MS = 90_000
/** How often the report is written before the end. */
const REPORT_MS = 60_000
const MISTAKES_MAX = 20
/** Before the first fault, a node that does not start has a mistake in its configuration. */
const FIRST_TRIES = 3

const NODES = "nodes come, stay and end as they are told"

const say = (text: string) => void process.stdout.write(`${text}\n`)

const settles = async (postgres: Postgres): Promise<void> => {
  const until = Date.now() + SETTLES_WITHIN_MS
  while ((await openRows(postgres)) > 0 && Date.now() < until) await delay(LOOK_MS)
}

/** Everybody ends as they should. */
const stop = async (nodes: ReadonlyArray<ChaosNode>): Promise<ReadonlyArray<Violation>> => {
  for (const node of nodes) node.signal("SIGTERM")
  const kill = async (node: ChaosNode) => {
    await node.explain()
    node.signal("SIGKILL")
  }
  const late = setTimeout(() => void Promise.all(nodes.map(kill)), ENDS_WITHIN_MS)
  const ends = await Promise.all(nodes.map(async (node) => ({ node, ended: await node.ended() })))
  clearTimeout(late)
  return ends.flatMap(({ ended, node }) =>
    ended.code === 0 ? [] : [{ promise: NODES, detail: `${node.name}: ${ended.code ?? ended.signal}` }]
  )
}

interface Telling {
  readonly line: () => string
  /** Writes what is known now. */
  readonly report: () => void
  readonly isOver: () => boolean
}

const lasts = async ({ kills, minutes }: Options, faults: Faults, { isOver, line, report }: Telling) => {
  let reported = Date.now()
  const until = Date.now() + minutes * 60_000
  let told = Date.now()
  while (Date.now() < until && faults.kills.length < kills && !isOver()) {
    await delay(LOOK_MS)
    if (Date.now() - reported >= REPORT_MS) {
      report()
      reported = Date.now()
    }
    if (Date.now() - told < TELL_MS) continue
    told = Date.now()
    say(line())
  }
}

const main = async () => {
  const args = process.argv.slice(2)
  const options = readOptions(args)
  if (options.help) return say(HELP)
  if (options.sum !== undefined) return say(sumOf(readReports(options.sum)))
  const began = Date.now()
  const run = `${process.pid}-${began}`
  const folder = mkdtempSync(join(tmpdir(), "mcp-live-chaos-"))
  const [counts, limited] = [join(folder, "counts"), join(folder, "limited")]
  mkdirSync(join(folder, "files"))
  const postgres = await startPostgres()
  const calls = makeCalls()
  const balancer = await startBalancer(calls)
  const tokens = await makeTokens(options.clients)
  const config = {
    mcp: {
      fleet: { database: postgres.url, peers: { secret: `the secret of the peers of ${run}` }, ...FLEET },
      serve: tokens.serve,
      clients: tokens.clients,
      order: { perMinute: 0 },
      servers: serversOf({ folder: join(folder, "files"), counts, limited, env: { [MARKER]: run } })
    }
  }
  const plan = { folder, run, config, balancer }
  const nodes = await Promise.all(NAMES.map((name) => makeNode({ ...plan, name })))
  const guest = await makeNode({ ...plan, name: GUEST })
  say(`seed ${options.seed}, ${options.clients} clients; everything is in ${folder}`)
  await Promise.all(nodes.map((node) => node.start(FIRST_TRIES)))
  const load = startLoad({ ...options, clients: tokens.all, url: balancer.url, calls })
  const faults = startFaults({ ...options, random: generator(options.seed), nodes, guest, postgres })
  let isAsked = false
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => (isAsked = true))
  // A mistake of a client or of the run itself is told of, and ends nothing: the rest of an hour is worth more.
  const mistakes: Array<string> = []
  const note = (error: unknown) => {
    if (mistakes.push(error instanceof Error ? (error.stack ?? error.message) : String(error)) > MISTAKES_MAX)
      mistakes.pop()
  }
  process.on("uncaughtException", note)
  process.on("unhandledRejection", note)

  const line = () => {
    const states = [...nodes, guest].map((node) => `${node.name.slice(5)} ${node.state()}`).join(", ")
    const bad = calls.all().reduce((count, { outcome }) => count + (outcome === "lost" ? 1 : 0), 0)
    const after = Math.round((Date.now() - began) / 1_000)
    return `${after} s: ${faults.kills.length} killed, ${faults.done.length} faults; ${calls.all().length} calls, ${calls.open()} open, ${bad} lost; ${states}${faults.isDatabaseAway() ? "; no database" : ""}`
  }

  const command = `npm run fleet:chaos -- ${args.join(" ")}`.trim()
  const factsNow = (journal: Facts["journal"]): Facts => ({
    calls: calls.all(),
    executions: executionsIn(counts, limited),
    journal,
    faults: faults.done,
    kills: faults.kills,
    seen: load.seen,
    ended: Date.now()
  })
  const found = (facts: Facts, checks: ReadonlyArray<(facts: Facts) => ReadonlyArray<Violation>>) => [
    ...checks.flatMap((check) => check(facts)),
    ...faults.complaints.map((detail) => ({ promise: NODES, detail })),
    ...mistakes.map((detail) => ({ promise: "the run itself makes no mistakes", detail }))
  ]
  const write = (facts: Facts, violations: ReadonlyArray<Violation>, isOver: boolean) => {
    const report = reportOf({ ...options, run, isOver, facts, violations, command, began })
    if (options.report !== undefined) writeReport(options.report, report)
    return report
  }
  const reportNow = () => {
    if (options.report === undefined) return
    const facts = factsNow([])
    const over = { ...facts, calls: facts.calls.filter(({ ended }) => ended !== undefined) }
    write(over, found(over, [answers, executions, limits, sessions]), false)
  }
  await lasts(options, faults, { line, report: reportNow, isOver: () => isAsked })

  say("all is put back in order")
  await faults.finish()
  // What it owes to the journal is on its disk.
  await guest.start()
  const unwell = await load.finish()
  await settles(postgres)
  const ends = await stop([...nodes, guest])
  const facts = factsNow(await journalOf(postgres))
  const violations: ReadonlyArray<Violation> = [
    ...found(facts, [answers, executions, journal, limits, sessions]),
    ...unwell.map((detail) => ({ promise: "afterwards every client goes on", detail })),
    ...ends,
    ...(await leftovers(run))
  ]
  await balancer.close()
  await postgres.close()
  const report = write(facts, violations, true)
  say(`\n${asText(report)}`)
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`)
  if (violations.length === 0) return rmSync(folder, { recursive: true, force: true })
  for (const node of [...nodes, guest]) writeFileSync(join(folder, `${node.name}.log`), node.log().join("\n"))
  say(historiesOf(violations, facts))
  say(`\nthe logs of the nodes are in ${folder}`)
  process.exitCode = 1
}

try {
  await main()
} catch (error) {
  // Nothing can be checked any more; the report that was written last stays.
  process.stderr.write(`the run itself has failed: ${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 2
}
// A client that gave a call up may still wait for its stream.
process.exit()
