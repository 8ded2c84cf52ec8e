/**
 * `npm run bench:hostile`: the scenarios of the hostile server against the SDK's clients of version 1 and 2 and mcp-live, each
 * trial in a process of its own, two at a time. Writes `results/hostile.json` and the tables in docs/hostile.md, or with
 * `--only` or `--client` prints alone. Exits with 1 when a trial could not be made, not when a client falls short.
 */
import { writeFileSync } from "node:fs"
import { machine } from "../lib/machine.ts"
import { median } from "../lib/stats.ts"
import { bestOf, classify } from "./classify.ts"
import { CLIENTS, type ClientName } from "./clients/subject.ts"
import { HELP, readOptions, type Options } from "./options.ts"
import { asJson, asText, lineOf, write } from "./report.ts"
import {
  listScenarios,
  politeSetup,
  setupOf,
  titleOf,
  TRANSPORTS,
  type Scenario,
  type TransportName
} from "./scenarios.ts"
import type { Cell, Idle, Report, Row } from "./table.ts"
import { DEADLINE_MS, endAll, LEFT_AFTER_MS, runTrial, TIMEOUT_MS, type Trial } from "./trial.ts"

const AT_ONCE = 2
const IDLE_TRIALS = 3

const mebibytes = (bytes: number) => Math.round(bytes / 1024 ** 2)

/** All of `work`, so many at once, in order. */
const inTurns = async <A>(work: ReadonlyArray<() => Promise<A>>): Promise<ReadonlyArray<A>> => {
  const done: Array<A> = []
  const waiting = work.entries()
  const lane = async () => {
    for (const [index, each] of waiting) done[index] = await each()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return done
}

/** What could not be started on a machine that was short of something is started once more. */
const twice = <A>(work: () => Promise<A>): Promise<A> => work().catch(work)

/** MiB that a client takes with the polite server. */
const idleTrial = async (transport: TransportName, client: ClientName): Promise<number> => {
  const trial = await runTrial({ ...politeSetup(transport), client })
  const isGood = trial.end === "done" && trial.steps.every(({ failed }) => failed === undefined)
  if (!isGood) throw new Error(`${client} cannot use the polite server over ${transport}: ${JSON.stringify(trial)}`)
  return mebibytes(trial.peak)
}

const idleOf = async (transport: TransportName, clients: ReadonlyArray<ClientName>): Promise<Idle> => {
  const peaks = await inTurns(
    clients.flatMap((client) =>
      Array.from({ length: IDLE_TRIALS }, () => async () => ({
        client,
        mib: await twice(() => idleTrial(transport, client))
      }))
    )
  )
  const of = (client: ClientName) => median(peaks.filter((peak) => peak.client === client).map(({ mib }) => mib))
  return { transport, peakMiB: Object.fromEntries(clients.map((client) => [client, of(client)])) }
}

/** Of closing, only where it is what the scenario is about. */
const timeOf = ({ drive }: Scenario, { elapsedMs, end, steps }: Trial): number =>
  end === "done"
    ? steps
        .filter(({ step }) => step !== "close" || drive.do === "close")
        .map(({ ms }) => ms)
        .reduce((sum, ms) => sum + ms, 0)
    : elapsedMs

const cellOf = (scenario: Scenario, trial: Trial, idleMiB: number): Cell => {
  const peakMiB = mebibytes(trial.peak)
  return {
    ...classify(scenario, trial),
    ms: Math.round(timeOf(scenario, trial) * 10) / 10,
    peakMiB,
    overIdleMiB: peakMiB - idleMiB,
    stallMs: Math.round(Math.max(0, ...trial.steps.map(({ stallMs }) => stallMs))),
    besideMs: trial.steps.find(({ besideMs }) => besideMs !== undefined)?.besideMs
  }
}

const rowOf = async (
  scenario: Scenario,
  transport: TransportName,
  clients: ReadonlyArray<ClientName>,
  idle: ReadonlyArray<Idle>
): Promise<Row> => {
  const setup = setupOf(scenario, transport)
  const idleMiB = idle.find((each) => each.transport === transport)!.peakMiB
  const cells: Partial<Record<ClientName, Cell>> = {}
  for (const client of clients) {
    cells[client] = cellOf(scenario, await twice(() => runTrial({ ...setup, client })), idleMiB[client]!)
  }
  const row: Row = {
    class: scenario.class,
    title: titleOf(scenario),
    about: scenario.about,
    id: scenario.id,
    transport,
    best: bestOf(scenario.drive),
    cells
  }
  process.stdout.write(`${lineOf(row, clients)}\n`)
  return row
}

const isChosen =
  ({ only }: Options) =>
  (scenario: Scenario): boolean =>
    only === undefined ||
    [scenario.name, titleOf(scenario), scenario.class, ...scenario.id].some((each) => only.test(each))

const measure = async (options: Options): Promise<Report> => {
  // Taken before we load the machine ourselves.
  const [where, start] = [machine(), performance.now()]
  const { clients } = options
  const scenarios = listScenarios().filter(isChosen(options))
  if (scenarios.length === 0) throw new Error("no scenario is called so")
  const idle: Array<Idle> = []
  for (const transport of options.transports) idle.push(await idleOf(transport, clients))
  const rows = await inTurns(
    scenarios.flatMap((scenario) =>
      scenario.transports
        .filter((name) => options.transports.includes(name))
        .map((transport) => () => rowOf(scenario, transport, clients, idle))
    )
  )
  return {
    where,
    clients,
    minutes: (performance.now() - start) / 60_000,
    timeoutMs: TIMEOUT_MS,
    deadlineMs: DEADLINE_MS,
    leftAfterMs: LEFT_AFTER_MS,
    idle,
    rows
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    endAll()
    process.exit(1)
  })
}

const given = (): Options => {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`)
    return process.exit(64)
  }
}

const options = given()
if (options.help) {
  process.stdout.write(HELP)
} else {
  const report = await measure(options)
  process.stdout.write(`\n${asText(report)}`)
  if (options.json !== undefined) writeFileSync(options.json, asJson(report))
  const isWhole =
    options.only === undefined &&
    options.clients.length === CLIENTS.length &&
    options.transports.length === TRANSPORTS.length
  if (isWhole) write(report)
}
