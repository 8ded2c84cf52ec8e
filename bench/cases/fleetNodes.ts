/** How many calls one, two and three nodes of a fleet make in a second, as far as the cores of one machine can tell. */
import { cpus } from "node:os"
import { isolate } from "../lib/isolate.ts"
import type { BenchCase } from "../lib/result.ts"
import { samplesOf, type Samples } from "../lib/rounds.ts"
import { median, medianRatio, shown } from "../lib/stats.ts"

export const NODES = [1, 2, 3] as const
export const ALONE = "without a fleet"
export const IN_FLIGHT = 48
export const CALLS = 96
export const ROUNDS = { rounds: 24, warmUp: 4 }

export const nameOf = (nodes: number): string => `${nodes} ${nodes === 1 ? "node" : "nodes"}`

/** Of the calls per second of one node: more nodes on the same cores must not cost much. */
const GOAL = 0.8

export const fleetNodes: BenchCase = {
  name: "fleetNodes",
  needs: "postgres",
  goal: `More nodes on the same cores make at least ${GOAL} of the calls of one node in a second.`,
  run: async () => {
    const samples = await isolate<ReadonlyArray<Samples>>("fleetNodes.ts")
    const names = [ALONE, ...NODES.map(nameOf)]
    const wall = (name: string) => samplesOf(samples, name).wall
    const ofOne = (name: string) => medianRatio(wall(nameOf(1)), wall(name))
    return {
      columns: ["calls/s", "of one node"],
      rows: names.map((name) => ({ variant: name, values: [(CALLS * 1_000) / median(wall(name)), ofOne(name)] })),
      verdicts: NODES.slice(1).map((nodes) => ({
        goal: `${nameOf(nodes)}: at least ${GOAL} × one node`,
        measured: `${shown(ofOne(nameOf(nodes)))} ×`,
        pass: ofOne(nameOf(nodes)) >= GOAL
      })),
      notes: [
        `${IN_FLIGHT} calls in flight in all, ${CALLS} in a block, ${ROUNDS.rounds} rounds in turns; each node calls a server of its own. Client, nodes, servers and PostgreSQL share ${cpus().length} cores: that nodes add up cannot be seen here, only that they do not hinder each other.`
      ]
    }
  }
}
