/** What one small call costs. */
import { atMost, atMostTimesRaw, compare, HOW, KINDS, table } from "../lib/compare.ts"
import type { BenchCase } from "../lib/result.ts"

export const CALLS = 200
export const ROUNDS = { rounds: 100, warmUp: 20 }
export const TEXT = "x".repeat(64)

/** Each door of the library has its row. */
export const DOORS = [...KINDS, "loaded", "ai-sdk"] as const

const PER_CALL = "mcp-live, a runPromise per call"
const TIMES_RAW = 1.35
const LOADED = "loadMCPServers, tool.execute"
const ONE_FIBER = "mcp-live, in one fiber"

export const call: BenchCase = {
  name: "call",
  goal: `McpRuntime.call with its whole pipeline takes at most ${TIMES_RAW} times a raw loop, and less than the bare callTool of either SDK.`,
  run: async () => {
    const compared = await compare("call.ts", DOORS)
    return {
      ...table(compared, "µs", 1000 / CALLS),
      verdicts: [
        atMostTimesRaw(compared, ONE_FIBER, TIMES_RAW),
        atMost(compared, ONE_FIBER, "SDK v2"),
        atMost(compared, ONE_FIBER, "SDK v1"),
        atMost(compared, ONE_FIBER, "effect McpClient, in one fiber"),
        atMostTimesRaw(compared, PER_CALL, TIMES_RAW),
        atMostTimesRaw(compared, LOADED, TIMES_RAW),
        atMost(compared, LOADED, "SDK v1")
      ],
      notes: [
        `stdio, ${TEXT.length}-byte echo, one call after the other; blocks of ${CALLS} calls, ${ROUNDS.rounds} rounds after ${ROUNDS.warmUp} of warm-up.`,
        HOW
      ]
    }
  }
}
