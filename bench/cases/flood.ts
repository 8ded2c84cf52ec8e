/** What calls to other servers take while one server pours out whatever it can. */
import { canPin, isolate, isolateOnOneCore } from "../lib/isolate.ts"
import type { BenchCase, Row, Verdict } from "../lib/result.ts"
import { quantile, shown } from "../lib/stats.ts"

export const WAYS = {
  stdio: [
    "log messages",
    "list changes",
    "changing lists",
    "pings",
    "wide messages",
    "long messages",
    "rubbish",
    "endless line",
    "stderr",
    "empty lines on stderr"
  ],
  http: ["comments", "newlines", "events", "wide events", "long events", "long bodies"]
} as const

export type Transport = keyof typeof WAYS
export type Way = (typeof WAYS)[Transport][number]

export const ROUNDS = 3
/** Pairs of calls, one to each neighbour, in one block. */
export const CALLS = 200
/** How long it pours in a block; the calls begin when its burst is over. */
export const FLOOD_MS = 2_000
export const BURST_MS = 600

const GOAL_MS = 10

/** Milliseconds of calls. */
export interface Neighbours {
  readonly stdio: ReadonlyArray<number>
  readonly http: ReadonlyArray<number>
  /** The longest turn of the event loop, of each block. */
  readonly blocks: ReadonlyArray<number>
}

export interface FloodSamples {
  readonly transport: Transport
  readonly way: Way
  readonly alone: Neighbours
  readonly beside: Neighbours
}

const rowOf = ({ alone, beside, transport, way }: FloodSamples): Row => ({
  variant: `${transport}: ${way}`,
  values: [
    ...(["stdio", "http"] as const).flatMap((to) =>
      [0.5, 0.99].flatMap((q) => [quantile(alone[to], q), quantile(beside[to], q)])
    ),
    quantile(alone.blocks, 0.5),
    quantile(beside.blocks, 0.5)
  ]
})

const verdictOf = (to: Transport, samples: ReadonlyArray<FloodSamples>): Verdict => {
  const added = samples.map(({ alone, beside, transport, way }) => ({
    name: `${transport}: ${way}`,
    ms: quantile(beside[to], 0.99) - quantile(alone[to], 0.99)
  }))
  const worst = added.reduce((most, each) => (each.ms > most.ms ? each : most))
  return {
    goal: `a neighbour over ${to}: no flood adds more than ${GOAL_MS} ms to its p99`,
    measured: `${shown(worst.ms)} ms at most (${worst.name})`,
    pass: worst.ms <= GOAL_MS
  }
}

export const flood: BenchCase = {
  name: "flood",
  goal: `Beside a server that floods, the p99 of calls to other servers is at most ${GOAL_MS} ms above what it is without.`,
  run: async () => {
    const samples: Array<FloodSamples> = []
    for (const transport of Object.keys(WAYS) as ReadonlyArray<Transport>) {
      const start = canPin ? isolateOnOneCore : isolate
      samples.push(...(await start<ReadonlyArray<FloodSamples>>("flood.ts", transport)))
    }
    return {
      columns: (["stdio", "HTTP"] as const)
        .flatMap((to) => ["p50", "p99"].flatMap((q) => [`${to} ${q} ms`, "flooded"]))
        .concat("longest turn ms", "flooded"),
      rows: samples.map(rowOf),
      verdicts: [verdictOf("stdio", samples), verdictOf("http", samples)],
      notes: [
        `Echoes to a server over stdio and one over HTTP, in turns, a millisecond between two pairs; blocks of ${CALLS} pairs, ${ROUNDS} rounds, each once without and once while a third server pours for ${FLOOD_MS} ms; the calls begin ${BURST_MS} ms after it has.`,
        canPin
          ? "The client and the two neighbours share one core; the server that floods is on another one, as far as there is one, so that it takes their time only through what the client does for it."
          : "There is no taskset here: everything is as placed by the system, and the server that floods takes processor time of the others.",
        "The longest turn of the event loop is the median over the blocks."
      ]
    }
  }
}
