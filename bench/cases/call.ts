/** What one small call costs. */
import { atMost, atMostTimesRaw, compare, HOW, table } from "../lib/compare.ts"
import type { BenchCase } from "../lib/result.ts"

export const CALLS = 200
export const ROUNDS = { rounds: 100, warmUp: 20 }
export const TEXT = "x".repeat(64)

const PER_CALL = "mcp-live, a runPromise per call"
const ONE_FIBER = "mcp-live, in one fiber"

export const call: BenchCase = {
  name: "call",
  goal: "McpRuntime.call with its whole pipeline takes at most 1.5 times a raw loop, and less than the bare callTool of either SDK.",
  run: async () => {
    const compared = await compare("call.ts")
    return {
      ...table(compared, "µs", 1000 / CALLS),
      verdicts: [
        atMostTimesRaw(compared, ONE_FIBER, 1.5),
        atMost(compared, ONE_FIBER, "SDK v2"),
        atMost(compared, ONE_FIBER, "SDK v1"),
        atMost(compared, ONE_FIBER, "effect McpClient, in one fiber"),
        atMostTimesRaw(compared, PER_CALL, 1.5)
      ],
      notes: [
        `stdio, ${TEXT.length}-byte echo, one call after the other; blocks of ${CALLS} calls, ${ROUNDS.rounds} rounds after ${ROUNDS.warmUp} of warm-up.`,
        HOW
      ]
    }
  }
}
