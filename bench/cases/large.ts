/** One result that is a single line of nine megabytes. */
import { compare, HOW, RAW, table } from "../lib/compare.ts"
import type { BenchCase } from "../lib/result.ts"
import { samplesOf } from "../lib/rounds.ts"
import { medianRatio, shown } from "../lib/stats.ts"

export const BYTES = 9_000_000
export const ROUNDS = { rounds: 25, warmUp: 5, collect: true }
const GOAL = 2

export const large: BenchCase = {
  name: "large",
  goal: `A result of 9 MB in one line takes less than ${GOAL} times what a raw loop takes.`,
  run: async () => {
    const compared = await compare("large.ts")
    const verdict = (where: string, samples: typeof compared.samples) => {
      const ratio = medianRatio(samplesOf(samples, "mcp-live").wall, samplesOf(samples, RAW).wall)
      return { goal: `mcp-live: less than ${GOAL} × raw, ${where}`, measured: `${shown(ratio)} ×`, pass: ratio < GOAL }
    }
    return {
      ...table(compared, "ms", 1),
      verdicts: [verdict("on one core", compared.samples), verdict("placed freely", compared.free)],
      notes: [
        `One call of ${BYTES} bytes per block, ${ROUNDS.rounds} rounds, garbage collected before each block.`,
        "The raw loop collects chunks up to the line feed and parses them once; the server sends a line made beforehand.",
        HOW
      ]
    }
  }
}
