/** What telemetry costs that is switched off. */
import type { BenchCase } from "../lib/result.ts"
import { canPin, isolate, isolateOnOneCore } from "../lib/isolate.ts"
import { samplesOf, type Samples } from "../lib/rounds.ts"
import { median, medianRatio } from "../lib/stats.ts"
import { CALLS, ROUNDS } from "./call.ts"

export const OUT = "left out"
export const OFF = "switched off"
/** The noise of one run. */
const MOST = 1.03

export const telemetry: BenchCase = {
  name: "telemetry",
  goal: "Telemetry that is switched off costs a call nothing that can be measured.",
  run: async () => {
    const samples = await (canPin ? isolateOnOneCore : isolate)<ReadonlyArray<Samples>>("telemetry.ts")
    const out = samplesOf(samples, OUT).wall
    const ratio = medianRatio(samplesOf(samples, OFF).wall, out)
    return {
      columns: ["µs", "× left out", "CPU µs"],
      rows: samples.map(({ cpu, name, wall }) => ({
        variant: name,
        values: [(median(wall) * 1000) / CALLS, medianRatio(wall, out), (median(cpu) * 1000) / CALLS]
      })),
      verdicts: [{ goal: `${OFF}: at most ${MOST} × ${OUT}`, measured: `${ratio.toFixed(3)} ×`, pass: ratio <= MOST }],
      notes: [
        `Calls over stdio in one fiber, in turns; blocks of ${CALLS} calls, ${ROUNDS.rounds} rounds after ${ROUNDS.warmUp} of warm-up. Ratios are taken in each round, and their median is shown.`
      ]
    }
  }
}
