/** Many calls at once. */
import { atMost, compare, HOW, table } from "../lib/compare.ts"
import type { BenchCase } from "../lib/result.ts"

export const CALLS = 50
/** Times that so many are sent, one batch after the other, in one block. */
export const BATCHES = 10
export const ROUNDS = { rounds: 60, warmUp: 10 }

export const inflight50: BenchCase = {
  name: "inflight50",
  goal: "50 calls in flight take no longer than with the bare SDK v2.",
  run: async () => {
    const compared = await compare("inflight.ts")
    return {
      ...table(compared, "ms", 1 / BATCHES),
      verdicts: [atMost(compared, "mcp-live", "SDK v2")],
      notes: [
        `${CALLS} echoes sent at once, all answers checked; ${BATCHES} such batches a block, ${ROUNDS.rounds} rounds.`,
        HOW
      ]
    }
  }
}
