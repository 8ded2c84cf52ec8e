/** The first call after many tools with output schemas were listed. */
import { isolate } from "../lib/isolate.ts"
import type { KindName } from "../lib/kinds.ts"
import type { BenchCase } from "../lib/result.ts"
import { median, shown } from "../lib/stats.ts"

const REPEATS = 7
const GOAL_MS = 20
const KINDS: ReadonlyArray<KindName> = ["raw", "sdk-v1", "sdk-v2", "effect", "mcp-live"]

interface Step {
  readonly blockMs: number
  readonly totalMs: number
}

interface Answer {
  readonly listing: Step
  readonly first: Step
  readonly second: Step
}

export const list200: BenchCase = {
  name: "list200",
  goal: `The first call after listing 200 tools with output schemas holds the event loop for less than ${GOAL_MS} ms.`,
  run: async () => {
    const answers = new Map(KINDS.map((kind) => [kind, [] as Array<Answer>]))
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      for (const kind of KINDS) answers.get(kind)!.push(await isolate<Answer>("firstCall.ts", kind))
    }
    const of = (kind: KindName, step: keyof Answer, what: keyof Step) =>
      median(answers.get(kind)!.map((answer) => answer[step][what]))
    const block = of("mcp-live", "first", "blockMs")
    return {
      columns: ["first call: block ms", "total ms", "second call: block ms", "connect and list: block ms", "total ms"],
      rows: KINDS.map((kind) => ({
        variant: kind,
        values: [
          of(kind, "first", "blockMs"),
          of(kind, "first", "totalMs"),
          of(kind, "second", "blockMs"),
          of(kind, "listing", "blockMs"),
          of(kind, "listing", "totalMs")
        ]
      })),
      verdicts: [
        {
          goal: `mcp-live: first call blocks for less than ${GOAL_MS} ms`,
          measured: `${shown(block)} ms`,
          pass: block < GOAL_MS
        }
      ],
      notes: [
        `200 tools, each with an output schema of 8 properties of its own; a process per client, medians of ${REPEATS}.`,
        "A block is the longest turn of the event loop, seen by a setImmediate that re-arms itself. Connecting includes the spawn."
      ]
    }
  }
}
