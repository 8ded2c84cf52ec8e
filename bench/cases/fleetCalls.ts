/** What a fleet adds to a call: the row in the journal, and the way to another node. */
import { isolate } from "../lib/isolate.ts"
import type { BenchCase } from "../lib/result.ts"
import { samplesOf, type Samples } from "../lib/rounds.ts"
import { median, medianDifference, quantile, shown } from "../lib/stats.ts"
import { TEXT } from "./call.ts"

export const ALONE = "without a fleet"
export const NEAR = "near: the server runs at the node that is asked"
export const FAR = "far: it runs at another node"

export const IN_FLIGHT = [1, 16, 64] as const
/** Calls of one block: one at a time, and with more in flight. */
export const SINGLES = 20
export const CALLS = 64
export const ROUNDS = { rounds: 40, warmUp: 6 }

export interface FleetCalls {
  readonly samples: ReadonlyArray<Samples>
  /** The time of each single call, and the CPU of all nodes that it needs in each block of them, in milliseconds. */
  readonly singles: ReadonlyArray<{
    readonly name: string
    readonly times: ReadonlyArray<number>
    readonly cpu: ReadonlyArray<number>
  }>
}

const GOALS = [
  { name: NEAR, ms: 0.2 },
  { name: FAR, ms: 1 }
] as const

export const nameOf = (variant: string, inFlight: number): string => `${variant}, ${inFlight} in flight`

export const fleetCalls: BenchCase = {
  name: "fleetCalls",
  needs: "postgres",
  goal: "In a fleet, a call takes at most 0.2 ms more at the node where its server runs, and at most 1 ms more at another one.",
  run: async () => {
    const { samples, singles } = await isolate<FleetCalls>("fleetCalls.ts")
    const singlesOf = (variant: string) => singles.find(({ name }) => name === variant)!
    const timesOf = (variant: string) => singlesOf(variant).times
    const wall = (variant: string, inFlight: number) => samplesOf(samples, nameOf(variant, inFlight)).wall
    const added = (variant: string) => medianDifference(wall(variant, 1), wall(ALONE, 1)) / SINGLES
    return {
      columns: [
        "p10 ms",
        "p50 ms",
        "p99 ms",
        "added p50",
        "added p99",
        "CPU of the nodes µs",
        ...IN_FLIGHT.filter((inFlight) => inFlight > 1).map((inFlight) => `${inFlight} in flight: calls/s`)
      ],
      rows: [ALONE, NEAR, FAR].map((variant) => ({
        variant,
        values: [
          quantile(timesOf(variant), 0.1),
          quantile(timesOf(variant), 0.5),
          quantile(timesOf(variant), 0.99),
          ...(variant === ALONE
            ? [null, null]
            : [added(variant), quantile(timesOf(variant), 0.99) - quantile(timesOf(ALONE), 0.99)]),
          (median(singlesOf(variant).cpu) * 1_000) / SINGLES,
          ...IN_FLIGHT.filter((inFlight) => inFlight > 1).map(
            (inFlight) => (CALLS * 1_000) / median(wall(variant, inFlight))
          )
        ]
      })),
      verdicts: GOALS.map(({ ms, name }) => ({
        goal: `${name}: at most ${ms} ms more`,
        measured: `${shown(added(name))} ms`,
        pass: added(name) <= ms
      })),
      notes: [
        `The SDK's client over Streamable HTTP (2025-11-25), ${TEXT.length}-byte echo of a server over stdio; blocks of ${SINGLES} calls one after the other and of ${CALLS} calls in flight, ${ROUNDS.rounds} rounds after ${ROUNDS.warmUp} of warm-up, in turns. Added p50: median of the differences of blocks. The fastest tenth (p10) says what a call takes when nothing else wants the machine. Client, nodes, server and PostgreSQL share the machine; the system places the processes.`
      ]
    }
  }
}
