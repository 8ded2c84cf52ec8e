/** What calls to other servers take while one server, or another client, pours out whatever it can. */
import { canPin, isolate, isolateOnOneCore } from "../lib/isolate.ts"
import type { BenchCase, Row, Verdict } from "../lib/result.ts"
import { quantile, shown } from "../lib/stats.ts"

export const WAYS = {
  stdio: [
    "log messages",
    "list changes",
    "changing lists",
    "pings",
    "wide messages",
    "long messages",
    "rubbish",
    "endless line",
    "stderr",
    "empty lines on stderr",
    "six servers together"
  ],
  http: ["comments", "newlines", "events", "wide events", "long events", "long bodies"]
} as const

export type Transport = keyof typeof WAYS
export type Way = (typeof WAYS)[Transport][number]

/** Of one server. */
export type OneWay = Exclude<Way, "six servers together">

/** What each of the servers pours in the way `six servers together`. */
export const TOGETHER = [
  "log messages",
  "list changes",
  "pings",
  "wide messages",
  "long messages",
  "rubbish"
] as const satisfies ReadonlyArray<OneWay>

/** Of a client of `mcp-live serve --http`. The long strings are arguments of calls, almost as long as they may be. */
export const CLIENT_WAYS = [
  "nothing",
  "wide bodies",
  "wide arguments",
  "deep bodies",
  "long escapes",
  "long zero-width",
  "long percents",
  "long written escapes",
  "long less-than",
  "long markers",
  "long Hindi",
  "long base64",
  "uploads that stop half-way",
  "slow bodies",
  "slow readers",
  "many sessions",
  "many small calls"
] as const
export type ClientWay = (typeof CLIENT_WAYS)[number]

export const ROUNDS = 3
/** Pairs of calls, one to each neighbour, in one block. */
export const CALLS = 200
/** How long it pours in a block; the calls begin when its burst is over. */
export const FLOOD_MS = 2_000
export const BURST_MS = 600

const GOAL_MS = 10
const WAIT_GOAL_MS = 100
const ROOM_GOAL_MB = 512

/** Milliseconds of calls. */
export interface Neighbours {
  readonly stdio: ReadonlyArray<number>
  readonly http: ReadonlyArray<number>
  /** The longest turn of the event loop, of each block; none where it is that of another process. */
  readonly blocks: ReadonlyArray<number>
}

export interface FloodSamples {
  readonly transport: Transport | "bare" | "client" | "token"
  readonly way: string
  readonly alone: Neighbours
  readonly beside: Neighbours
  /** Megabytes of the process, at most, over what it has when nothing is poured; `null` where nobody says. */
  readonly roomMb: number | null
}

const longest = ({ http, stdio }: Neighbours): number => [...http, ...stdio].reduce((most, ms) => Math.max(most, ms), 0)

const middle = (values: ReadonlyArray<number>): number | null => (values.length === 0 ? null : quantile(values, 0.5))

export const rowOf = ({ alone, beside, roomMb, transport, way }: FloodSamples): Row => ({
  variant: `${transport}: ${way}`,
  values: [
    ...(["stdio", "http"] as const).flatMap((to) =>
      [0.5, 0.99].flatMap((q) => [quantile(alone[to], q), quantile(beside[to], q)])
    ),
    longest(alone),
    longest(beside),
    middle(alone.blocks),
    middle(beside.blocks),
    roomMb
  ]
})

export const COLUMNS: ReadonlyArray<string> = (["stdio", "HTTP"] as const)
  .flatMap((to) => ["p50", "p99"].flatMap((q) => [`${to} ${q} ms`, "flooded"]))
  .concat("longest wait ms", "flooded", "longest turn ms", "flooded", "MiB more")

interface Judged {
  readonly goal: string
  readonly unit: string
  readonly most: number
  readonly of: (samples: FloodSamples) => number
}

const verdictOf = ({ goal, most, of, unit }: Judged, samples: ReadonlyArray<FloodSamples>): Verdict => {
  const [worst] = samples
    .map((each) => ({ name: `${each.transport}: ${each.way}`, value: of(each) }))
    .toSorted((one, other) => other.value - one.value)
  return {
    goal,
    measured: worst === undefined ? "nothing" : `${shown(worst.value)} ${unit} at most (${worst.name})`,
    pass: worst !== undefined && worst.value <= most
  }
}

const JUDGED: ReadonlyArray<Judged> = [
  ...(["stdio", "http"] as const).map((to) => ({
    goal: `a neighbour over ${to}: no flood adds more than ${GOAL_MS} ms to its p99`,
    unit: "ms",
    most: GOAL_MS,
    of: ({ alone, beside }: FloodSamples) => quantile(beside[to], 0.99) - quantile(alone[to], 0.99)
  })),
  {
    goal: `no flood makes a neighbour's call wait more than ${WAIT_GOAL_MS} ms longer`,
    unit: "ms",
    most: WAIT_GOAL_MS,
    of: ({ alone, beside }) => longest(beside) - longest(alone)
  },
  {
    goal: `no flood takes more than ${ROOM_GOAL_MB} MiB over what there was without`,
    unit: "MiB",
    most: ROOM_GOAL_MB,
    of: ({ roomMb }) => roomMb ?? 0
  }
]

/** The goals that every flood has. */
export const verdictsOf = (samples: ReadonlyArray<FloodSamples>): ReadonlyArray<Verdict> =>
  JUDGED.map((judged) => verdictOf(judged, samples))

const isBare = ({ transport }: FloodSamples) => transport === "bare"

/** Of the worst of both neighbours, over what it is without a flood. */
const addedBy = ({ alone, beside }: FloodSamples): number =>
  Math.max(...(["stdio", "http"] as const).map((to) => quantile(beside[to], 0.99) - quantile(alone[to], 0.99)))

const besideBare = (ours: ReadonlyArray<FloodSamples>, bare: ReadonlyArray<FloodSamples>): Verdict => {
  const more = bare.filter((one) => ours.some((each) => each.way === one.way && addedBy(each) > addedBy(one)))
  return {
    goal: "no flood of a client adds more to the p99 of another one than it adds with a bare Node server",
    measured: `${bare.length - more.length} of ${bare.length} add less${more.length === 0 ? "" : `; more: ${more.map(({ way }) => way).join(", ")}`}`,
    pass: bare.length > 0 && more.length === 0
  }
}

export const flood: BenchCase = {
  name: "flood",
  goal: `Beside a server or a client that floods, the p99 of calls to other servers is at most ${GOAL_MS} ms above what it is without, and no call waits ${WAIT_GOAL_MS} ms longer.`,
  run: async () => {
    const samples: Array<FloodSamples> = []
    const start = canPin ? isolateOnOneCore : isolate
    for (const transport of Object.keys(WAYS)) {
      samples.push(...(await start<ReadonlyArray<FloodSamples>>("flood.ts", transport)))
    }
    for (const transport of ["client", "bare"]) {
      samples.push(...(await start<ReadonlyArray<FloodSamples>>("floodOfClients.ts", transport)))
    }
    const [bare, ours] = [samples.filter(isBare), samples.filter((each) => !isBare(each))]
    return {
      columns: COLUMNS,
      rows: samples.map(rowOf),
      verdicts: [...verdictsOf(ours), besideBare(ours, bare)],
      notes: [
        `Echoes to a server over stdio and one over HTTP, in turns, a millisecond between two pairs; blocks of ${CALLS} pairs, ${ROUNDS} rounds, each once without and once while a third server pours for ${FLOOD_MS} ms; the calls begin ${BURST_MS} ms after it has.`,
        canPin
          ? "The client and the two neighbours share one core; the server that floods is on another one, as far as there is one, so that it takes their time only through what the client does for it."
          : "There is no taskset here: everything is as placed by the system, and the server that floods takes processor time of the others.",
        "The longest turn of the event loop is the median over the blocks; the longest wait is that of one call.",
        "`client`: the calls go through `mcp-live serve --http`, with one client's token, while another client pours at it; the memory is that of serve.",
        "`nothing`: the other client takes its core, as one that floods does, and sends nothing. What that row adds is what the machine and the method add to each of the others; it is judged like them.",
        "`bare`: the same client and the same floods, with a Node server of fifty lines that parses a body and echoes an argument by itself: what such a flood costs beside any server that is one process on that core."
      ]
    }
  }
}
