/** How many calls one, two and three nodes of a fleet make in a second, as far as the cores of one machine can tell. */
import { cpus } from "node:os"
import { isolate } from "../lib/isolate.ts"
import type { BenchCase } from "../lib/result.ts"
import { samplesOf, type Samples } from "../lib/rounds.ts"
import { median, medianRatio } from "../lib/stats.ts"

export const NODES = [1, 2, 3] as const
export const ALONE = "without a fleet"
export const IN_FLIGHT = 48
export const CALLS = 96
export const ROUNDS = { rounds: 24, warmUp: 4 }

export const nameOf = (nodes: number): string => `${nodes} ${nodes === 1 ? "node" : "nodes"}`

export const fleetNodes: BenchCase = {
  name: "fleetNodes",
  needs: "postgres",
  goal: "There is none: nodes on the same cores cannot be faster than one, and how much slower they are is shown.",
  run: async () => {
    const samples = await isolate<ReadonlyArray<Samples>>("fleetNodes.ts")
    const names = [ALONE, ...NODES.map(nameOf)]
    const wall = (name: string) => samplesOf(samples, name).wall
    const ofOne = (name: string) => medianRatio(wall(nameOf(1)), wall(name))
    return {
      columns: ["calls/s", "of one node"],
      rows: names.map((name) => ({ variant: name, values: [(CALLS * 1_000) / median(wall(name)), ofOne(name)] })),
      verdicts: [],
      notes: [
        `${IN_FLIGHT} calls in flight in all, ${CALLS} in a block, ${ROUNDS.rounds} rounds in turns; each node calls a server of its own. Client, nodes, servers and PostgreSQL share ${cpus().length} cores: that nodes add up cannot be seen here, only what they cost each other.`
      ]
    }
  }
}
