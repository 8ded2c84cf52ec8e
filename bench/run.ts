/**
 * `npm run bench` runs every case and writes `results/latest.json` and `results/latest.md`; `npm run bench -- call` runs
 * the cases whose names hold `call` and only prints them. Exits with 1 when a case could not run, not when a goal is missed.
 */
import { acp } from "./cases/acp.ts"
import { call } from "./cases/call.ts"
import { coldstart } from "./cases/coldstart.ts"
import { flood } from "./cases/flood.ts"
import { floodOfTokens } from "./cases/floodOfTokens.ts"
import { fleetCalls } from "./cases/fleetCalls.ts"
import { fleetFaults } from "./cases/fleetFaults.ts"
import { fleetNodes } from "./cases/fleetNodes.ts"
import { fleetSessions } from "./cases/fleetSessions.ts"
import { fleetStatements } from "./cases/fleetStatements.ts"
import { inflight50 } from "./cases/inflight50.ts"
import { large } from "./cases/large.ts"
import { list200 } from "./cases/list200.ts"
import { memory } from "./cases/memory.ts"
import { serve } from "./cases/serve.ts"
import { serveHttp } from "./cases/serveHttp.ts"
import { start20 } from "./cases/start20.ts"
import { telemetry } from "./cases/telemetry.ts"
import { token } from "./cases/token.ts"
import { mayTell } from "../src/programs/cli/servers/waiting.ts"
import { machine } from "./lib/machine.ts"
import { missingPostgres } from "./lib/postgres.ts"
import { asText, write, type Finished } from "./lib/report.ts"

const CASES = [
  call,
  telemetry,
  inflight50,
  large,
  list200,
  start20,
  coldstart,
  acp,
  serve,
  serveHttp,
  memory,
  flood,
  floodOfTokens,
  token,
  fleetCalls,
  fleetStatements,
  fleetNodes,
  fleetSessions,
  fleetFaults
]

const filter = process.argv[2]
// Taken before we load the machine ourselves.
const where = machine()
const chosen = CASES.filter(({ name }) => filter === undefined || name.includes(filter))
const finished: Array<Finished> = []

/** On a terminal one line that is rewritten, and goes at the end; elsewhere, line by line. */
const tell = (words: string) => {
  if (!mayTell([], process.env)) return
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${words}`)
  else if (words !== "") process.stderr.write(`${words}\n`)
}

for (const [i, each] of chosen.entries()) {
  const missing = each.needs === "postgres" ? missingPostgres() : ""
  if (missing !== "") {
    process.stderr.write(`${each.name} is left out: ${missing}\n`)
    continue
  }
  tell(`Running ${each.name}, ${i + 1} of ${chosen.length}`)
  try {
    const done = { case: each, result: await each.run() }
    finished.push(done)
    tell("")
    process.stdout.write(`${asText(done)}\n`)
  } catch (error) {
    tell("")
    process.stderr.write(`${each.name} could not run: ${error instanceof Error ? error.stack : String(error)}\n`)
    process.exitCode = 1
  }
}
if (filter === undefined) write(where, finished)
