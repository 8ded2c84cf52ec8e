/** What it costs a client that the servers are behind `mcp-live serve`. */
import { canPin, isolate, isolateOnOneCore } from "../lib/isolate.ts"
import type { BenchCase } from "../lib/result.ts"
import { samplesOf, type Samples } from "../lib/rounds.ts"
import { median, medianDifference, medianRatio, quantile } from "../lib/stats.ts"
import { CALLS, ROUNDS, TEXT } from "./call.ts"

export const DIRECT = "SDK v2 at the server"
export const SERVED = "SDK v2 at mcp-live serve"

const GOAL_US = 1000
const MICROS = 1000 / CALLS

export const serve: BenchCase = {
  name: "serve",
  goal: "A call through mcp-live serve, with policy, sanitizer and audit, takes at most 1 ms more than at the server itself.",
  run: async () => {
    const worker = "serve.ts"
    const [samples, free] = [
      canPin ? await isolateOnOneCore<ReadonlyArray<Samples>>(worker) : await isolate<ReadonlyArray<Samples>>(worker),
      await isolate<ReadonlyArray<Samples>>(worker)
    ]
    const [direct, freeDirect] = [samplesOf(samples, DIRECT).wall, samplesOf(free, DIRECT).wall]
    const more = medianDifference(samplesOf(samples, SERVED).wall, direct) * MICROS
    return {
      columns: ["µs", "× direct", "µs over direct", "µs p90", "two cores: µs", "two cores: × direct"],
      rows: samples.map(({ name, wall }) => {
        const { wall: freeWall } = samplesOf(free, name)
        return {
          variant: name,
          values: [
            median(wall) * MICROS,
            medianRatio(wall, direct),
            medianDifference(wall, direct) * MICROS,
            quantile(wall, 0.9) * MICROS,
            median(freeWall) * MICROS,
            medianRatio(freeWall, freeDirect)
          ]
        }
      }),
      verdicts: [
        {
          goal: `at most ${GOAL_US} µs over the server itself`,
          measured: `${more.toFixed(0)} µs`,
          pass: more <= GOAL_US
        }
      ],
      notes: [
        `stdio on both sides, ${TEXT.length}-byte echo, one call after the other; blocks of ${CALLS} calls, ${ROUNDS.rounds} rounds after ${ROUNDS.warmUp} of warm-up, in turns.`,
        "Client, mcp-live and servers share one core; in the columns `two cores` the system places them."
      ]
    }
  }
}
