/** What idle sessions of clients take at a node of a fleet, and that it can have 20,000. */
import { FLEET_SESSIONS_MAX } from "../../src/schemas/defaults/Listener.ts"
import { isolate } from "../lib/isolate.ts"
import type { BenchCase } from "../lib/result.ts"
import { shown } from "../lib/stats.ts"

/** The first sixteen are open before anything is measured. */
export const COUNTS = [1_000, 5_000, FLEET_SESSIONS_MAX - 16]

export interface Held {
  readonly sessions: number
  /** To open one, with sixteen at a time. */
  readonly openMs: number
  /** Of the whole process. */
  readonly rssMiB: number
  readonly rssKiB: number
  readonly heapKiB: number
  readonly databaseKiB: number
}

export const fleetSessions: BenchCase = {
  name: "fleetSessions",
  needs: "postgres",
  goal: `A node of a fleet has room for ${FLEET_SESSIONS_MAX} sessions.`,
  run: async () => {
    const { areAlive, held } = await isolate<{ readonly held: ReadonlyArray<Held>; readonly areAlive: boolean }>(
      "fleetSessions.ts"
    )
    const all = held.at(-1)!
    return {
      columns: ["KiB each", "of these heap", "KiB in the database", "ms to open", "MiB of the process"],
      rows: held.map(({ databaseKiB, heapKiB, openMs, rssKiB, rssMiB, sessions }) => ({
        variant: `${sessions} idle sessions`,
        values: [rssKiB, heapKiB, databaseKiB, openMs, rssMiB]
      })),
      verdicts: [
        {
          goal: `the oldest and the newest of ${FLEET_SESSIONS_MAX} sessions answer`,
          measured: `${areAlive ? "both" : "not both"}; the process takes ${shown(all.rssMiB)} MiB`,
          pass: areAlive
        }
      ],
      notes: [
        "Sessions of 2025-11-25 that have said `initialize` and `notifications/initialized`, without a stream of notifications; resident memory after garbage collection, over that with sixteen sessions."
      ]
    }
  }
}
