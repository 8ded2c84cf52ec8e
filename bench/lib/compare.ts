/**
 * Compares clients twice. In turns within one process, on one core together with their servers: there the figures repeat
 * within a few percent, they are what the software costs. And each in a process of its own, placed as the system likes,
 * which is how one is used: that adds what it costs to wake a core that went to sleep while the other one worked, which
 * depends on the machine and outweighs the rest on virtual ones.
 */
import type { BenchClient, ClientKind } from "./client.ts"
import { canPin, isolate, isolateOnOneCore } from "./isolate.ts"
import { loadKinds, type KindName } from "./kinds.ts"
import { rawServer } from "./launch.ts"
import type { CaseResult } from "./result.ts"
import { interleave, samplesOf, type Rounds, type Samples, type Timed } from "./rounds.ts"
import { median, medianDifference, medianRatio, quantile } from "./stats.ts"

/**
 * For workers: opens every client, or the one that is named on the command line, against a raw server of its own, runs
 * their variants in turns and prints the samples.
 */
export const sample = async (
  variants: (kind: ClientKind, client: BenchClient) => ReadonlyArray<Timed>,
  rounds: Rounds,
  among: ReadonlyArray<KindName> = KINDS
): Promise<void> => {
  const named = among.filter((name) => name === process.argv[2])
  const kinds = await loadKinds(...(named.length > 0 ? named : among))
  const clients = await Promise.all(kinds.map(({ open }) => open(rawServer())))
  const samples = await interleave(
    clients.flatMap((client, index) => variants(kinds[index]!, client)),
    rounds
  )
  await Promise.all(clients.map((client) => client.close()))
  process.stdout.write(`${JSON.stringify(samples)}\n`)
}

export const KINDS: ReadonlyArray<KindName> = ["raw", "sdk-v1", "sdk-v2", "effect", "mcp-live"]

export const RAW = "raw loop"

export interface Compared {
  /** In turns, on one core; as placed by the system where that cannot be had. */
  readonly samples: ReadonlyArray<Samples>
  /** Each in a process of its own, as placed by the system. */
  readonly free: ReadonlyArray<Samples>
}

export const compare = async (worker: string, among: ReadonlyArray<KindName> = KINDS): Promise<Compared> => {
  const free: Array<Samples> = []
  for (const kind of among) free.push(...(await isolate<ReadonlyArray<Samples>>(worker, kind)))
  return { free, samples: canPin ? await isolateOnOneCore(worker) : await isolate(worker) }
}

/** `factor` turns milliseconds of a block into `unit`. */
export const table = (
  { free, samples }: Compared,
  unit: string,
  factor: number
): Pick<CaseResult, "columns" | "rows"> => {
  const raw = samplesOf(samples, RAW).wall
  const freeRaw = samplesOf(free, RAW).wall
  return {
    columns: [unit, "× raw", `${unit} over raw`, `${unit} p90`, `CPU ${unit}`, `alone: ${unit}`, "alone: × raw"],
    rows: samples.map(({ cpu, name, wall }) => {
      const { wall: freeWall } = samplesOf(free, name)
      return {
        variant: name,
        values: [
          median(wall) * factor,
          medianRatio(wall, raw),
          medianDifference(wall, raw) * factor,
          quantile(wall, 0.9) * factor,
          median(cpu) * factor,
          median(freeWall) * factor,
          medianRatio(freeWall, freeRaw)
        ]
      }
    })
  }
}

export const atMost = ({ samples }: Compared, ours: string, peer: string) => {
  const ratio = medianRatio(samplesOf(samples, ours).wall, samplesOf(samples, peer).wall)
  return { goal: `${ours}: at most ${peer}`, measured: `${ratio.toFixed(2)} of it`, pass: ratio <= 1 }
}

export const atMostTimesRaw = ({ samples }: Compared, ours: string, times: number) => {
  const ratio = medianRatio(samplesOf(samples, ours).wall, samplesOf(samples, RAW).wall)
  return { goal: `${ours}: at most ${times} × the raw loop`, measured: `${ratio.toFixed(2)} ×`, pass: ratio <= times }
}

export const HOW = `All clients take turns in one process, each with a server process of its own; ratios are taken in each round and their median is shown. ${
  canPin
    ? "Client and servers share one core (taskset); for the columns `alone` each client has a process of its own, placed by the system."
    : "There is no taskset here: all columns are as placed by the system; for the columns `alone` each client has a process of its own."
} CPU is that of the client's process.`
