/** How long clients wait when a node, or the database, goes away. */
import { isolate } from "../lib/isolate.ts"
import type { BenchCase } from "../lib/result.ts"
import { median, shown } from "../lib/stats.ts"

export const FAULTS = ["kill -9", "SIGTERM", "SIGSTOP", "the database is away"] as const
export type Fault = (typeof FAULTS)[number]
export const TIMES = 2

export interface Seen {
  readonly fault: Fault
  /** After the fault, until the first of the calls was sent that were all answered. */
  readonly answeredMs: number
  readonly slowest: number
  readonly failed: number
  /** Until the node that was frozen answers for the session. */
  readonly thawedMs?: number
}

const GOAL_MS = 4_000

export const fleetFaults: BenchCase = {
  name: "fleetFaults",
  needs: "postgres",
  goal: "The sessions of a node that was killed are answered for at another one within 4 s.",
  run: async () => {
    const seen = await isolate<ReadonlyArray<Seen>>("fleetFaults.ts")
    const of = (fault: Fault) => seen.filter((each) => each.fault === fault)
    const most = (fault: Fault) => Math.max(...of(fault).map(({ answeredMs }) => answeredMs))
    const thawed = of("SIGSTOP").map(({ thawedMs = 0 }) => thawedMs)
    return {
      columns: ["answers after ms", "at most", "slowest call ms", "calls that failed"],
      rows: FAULTS.map((fault) => ({
        variant: fault,
        values: [
          median(of(fault).map(({ answeredMs }) => answeredMs)),
          most(fault),
          Math.max(...of(fault).map(({ slowest }) => slowest)),
          Math.max(...of(fault).map(({ failed }) => failed))
        ]
      })),
      verdicts: [
        {
          goal: `kill -9: answers within ${GOAL_MS} ms`,
          measured: `${shown(most("kill -9"))} ms`,
          pass: most("kill -9") <= GOAL_MS
        }
      ],
      notes: [
        `${TIMES} times each, with new nodes. One client calls without a pause, at the node that nothing happens to; the other one had the session and the server. A node that was frozen for ten seconds answers for the session ${shown(median(thawed))} ms after it goes on.`
      ]
    }
  }
}
