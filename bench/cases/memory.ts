/** What an idle connection holds in memory. */
import { isolate } from "../lib/isolate.ts"
import type { KindName } from "../lib/kinds.ts"
import type { BenchCase } from "../lib/result.ts"
import { median, shown } from "../lib/stats.ts"

const CONNECTIONS = 30
const REPEATS = 5
const GOAL_KIB = 1024
const KINDS: ReadonlyArray<KindName> = ["raw", "sdk-v1", "sdk-v2", "effect", "mcp-live"]

interface Answer {
  readonly rssKiB: number
  readonly heapKiB: number
}

export const memory: BenchCase = {
  name: "memory",
  goal: `An idle connection holds less than ${GOAL_KIB / 1024} MB more than one of the bare SDK v2.`,
  run: async () => {
    const answers = new Map(KINDS.map((kind) => [kind, [] as Array<Answer>]))
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      for (const kind of KINDS) answers.get(kind)!.push(await isolate<Answer>("idle.ts", kind, String(CONNECTIONS)))
    }
    const of = (kind: KindName, what: keyof Answer) => median(answers.get(kind)!.map((answer) => answer[what]))
    const beyond = (what: keyof Answer) => of("mcp-live", what) - of("sdk-v2", what)
    const verdict = (what: keyof Answer, called: string) => ({
      goal: `mcp-live: less than ${GOAL_KIB} KiB of ${called} beyond SDK v2`,
      measured: `${shown(beyond(what))} KiB`,
      pass: beyond(what) < GOAL_KIB
    })
    return {
      columns: ["RSS KiB", "heap and external KiB"],
      rows: KINDS.map((kind) => ({ variant: kind, values: [of(kind, "rssKiB"), of(kind, "heapKiB")] })),
      verdicts: [verdict("rssKiB", "RSS"), verdict("heapKiB", "heap")],
      notes: [
        `Growth of the client's process per connection over ${CONNECTIONS} connections to the raw server, beyond the first one, after garbage collection; a process per client, medians of ${REPEATS}.`
      ]
    }
  }
}
