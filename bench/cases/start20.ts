/** Twenty servers starting together. */
import { loadKinds } from "../lib/kinds.ts"
import { everythingServer, rawServer, type Launch } from "../lib/launch.ts"
import { openLive } from "../lib/liveClient.ts"
import type { BenchCase, Row, Verdict } from "../lib/result.ts"
import { median, shown } from "../lib/stats.ts"

const SERVERS = 20
const REPEATS = 5
/** The slowest alone, a little more, and what each further server may add. */
const limit = (aloneMs: number) => 1.3 * aloneMs + SERVERS * 15

interface Starter {
  readonly name: string
  /** Starts them together, and returns a way to stop them. */
  readonly start: (launches: ReadonlyArray<Launch>) => Promise<() => Promise<unknown>>
}

const starters = async (): Promise<ReadonlyArray<Starter>> => {
  const [raw, v2] = await loadKinds("raw", "sdk-v2")
  const together = (kind: typeof raw): Starter => ({
    name: kind!.name,
    start: async (launches) => {
      const clients = await Promise.all(launches.map((launch) => kind!.open(launch)))
      return () => Promise.all(clients.map((client) => client.close()))
    }
  })
  return [
    together(raw),
    together(v2),
    { name: "mcp-live", start: async (launches) => (await openLive(launches)).close }
  ]
}

const time = async ({ start }: Starter, launches: ReadonlyArray<Launch>): Promise<number> => {
  const began = performance.now()
  const stop = await start(launches)
  const took = performance.now() - began
  await stop()
  return took
}

/** `bound` by the machine: where the processes themselves need more than is allowed, only the raw loop can be compared. */
const measure = async (server: string, launch: Launch, bound: boolean) => {
  const all = await starters()
  const samples = all.map(({ name }) => ({ name, alone: [] as Array<number>, together: [] as Array<number> }))
  for (const starter of all) await time(starter, [launch])
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const [index, starter] of all.entries()) {
      samples[index]!.alone.push(await time(starter, [launch]))
      samples[index]!.together.push(
        await time(
          starter,
          Array.from({ length: SERVERS }, () => launch)
        )
      )
    }
  }
  const rows = samples.map(({ alone, name, together }): Row => {
    const one = median(alone)
    return { variant: `${server}: ${name}`, values: [one, median(together), limit(one), median(together) / one] }
  })
  const [rawRow, , ours] = rows
  const [, measured, allowed] = ours!.values
  const floor = rawRow!.values[1]!
  const overFloor = measured! / floor
  const asAllowed: Verdict = {
    goal: `${server}: ${SERVERS} within 1.3 × alone + ${SERVERS} × 15 ms`,
    measured: `${shown(measured!)} ms of ${shown(allowed!)} ms allowed (the raw loop needs ${shown(floor)} ms)`,
    pass: measured! <= allowed!
  }
  const besideRaw: Verdict = {
    goal: `${server}: ${SERVERS} within 1.3 × what the raw loop needs for as many`,
    measured: `${shown(overFloor)} ×`,
    pass: overFloor <= 1.3
  }
  const verdicts = bound ? [besideRaw] : [asAllowed, besideRaw]
  return { rows, verdicts }
}

export const start20: BenchCase = {
  name: "start20",
  goal: `${SERVERS} servers that start together are ready within 1.3 × the slowest one alone + ${SERVERS} × 15 ms.`,
  run: async () => {
    const raw = await measure("raw.ts", rawServer(), false)
    const slow = await measure("raw.ts that waits 1 s", rawServer("--wait", "1000"), false)
    const everything = await measure("server-everything", everythingServer, true)
    return {
      columns: ["one alone ms", `${SERVERS} together ms`, "allowed ms", "× alone"],
      rows: [...raw.rows, ...slow.rows, ...everything.rows],
      verdicts: [...raw.verdicts, ...slow.verdicts, ...everything.verdicts],
      notes: [
        `From the first spawn until every one has shaken hands and listed its tools; medians of ${REPEATS}, in turns.`,
        "The processes of the servers share the cores with us. Twenty of server-everything need more processor time than the goal allows, whoever starts them: there the raw loop is the measure."
      ]
    }
  }
}
