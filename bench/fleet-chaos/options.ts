/** The command line of the chaos run. */
import { parseArgs } from "node:util"
import { FAULTS, type FaultKind } from "./faults.ts"

export interface Options {
  /** The run ends after this time; with `kills` also, as soon as one of both is reached. */
  readonly minutes: number
  /** The run ends after so many nodes were killed. */
  readonly kills: number
  readonly clients: number
  readonly seed: number
  /** The pause between two faults is between a third of this and five thirds of it. */
  readonly pace: number
  /** The mean time that a client thinks between two calls. */
  readonly think: number
  readonly kinds: ReadonlyArray<FaultKind>
  readonly json: string | undefined
  /** Where the report of each run is, as JSON. */
  readonly report: string | undefined
  /** Only prints the sum of the reports there. */
  readonly sum: string | undefined
  readonly help: boolean
}

export const HELP = `npm run fleet:chaos [-- OPTIONS]

Three nodes of the built program on a PostgreSQL of their own, behind a load balancer. Clients of both eras call servers, and a random fault
happens every few seconds. A checker knows each call. Exits with 1 if a promise was broken, and prints the calls that show it.

A client makes a call every four seconds on average, so 200 clients make about 50 calls a second; up to four more call the server that has a
limit eight times a second each. SIGINT ends a run early and well, with all checks. The run keeps each call in memory: about 1 KB.

  --minutes N   ends after N minutes (default: 2; with --kills: no limit)
  --kills N     ends after N nodes were killed
  --clients N   clients (default: 200)
  --seed N      of the random generator (default: a new one)
  --pace MS     mean pause between two faults (default: 3000)
  --think MS    mean pause of a client between two calls (default: 4000)
  --faults A,B  only these: ${FAULTS.join(", ")}
  --json FILE   also writes the report there
  --report FILE adds the report to those of earlier runs there, and writes it anew each minute: so a run that is killed has one, too
  --sum FILE    runs nothing, and prints the sum of the reports there
  --help
`

const MINUTES = 2

const numberIn = (text: string | undefined, name: string, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text)
  if (Number.isNaN(value) || value <= 0) throw new Error(`--${name} must be a number above 0`)
  return value
}

const isFault = (name: string): name is FaultKind => (FAULTS as ReadonlyArray<string>).includes(name)

const kindsIn = (text: string | undefined): ReadonlyArray<FaultKind> =>
  text === undefined
    ? FAULTS
    : text.split(",").map((name) => {
        if (!isFault(name)) throw new Error(`no fault '${name}': ${FAULTS.join(", ")}`)
        return name
      })

export const readOptions = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string" },
      kills: { type: "string" },
      clients: { type: "string" },
      seed: { type: "string" },
      pace: { type: "string" },
      think: { type: "string" },
      faults: { type: "string" },
      json: { type: "string" },
      report: { type: "string" },
      sum: { type: "string" },
      help: { type: "boolean" }
    }
  })
  return {
    minutes: numberIn(values.minutes, "minutes", values.kills === undefined ? MINUTES : Infinity),
    kills: numberIn(values.kills, "kills", Infinity),
    clients: Math.round(numberIn(values.clients, "clients", 200)),
    seed: Math.round(numberIn(values.seed, "seed", Date.now() % 1_000_000)),
    pace: numberIn(values.pace, "pace", 3_000),
    think: numberIn(values.think, "think", 4_000),
    kinds: kindsIn(values.faults),
    json: values.json,
    report: values.report,
    sum: values.sum,
    help: values.help === true
  }
}
