/** Counts calls by tool and minute. Bounded, and put together when somebody looks. */
import { HISTORY_MINUTES, TALLIES_SHOWN_MAX, TALLIES_TOOLS_MAX, TOKEN_CHARS } from "../defaults/Control.ts"
import type { MinuteValue, TalliesValue, TallyValue } from "./History.ts"

const MINUTE_MS = 60_000

export interface TalliedCall {
  readonly at: number
  readonly server: string
  readonly tool: string
  readonly ok: boolean
  readonly durationMs: number
  readonly resultChars: number
}

/** The calls of a time. */
interface Bucket {
  calls: number
  errors: number
  chars: number
  /** How many calls took how long, by `binOf`. */
  readonly bins: Map<number, number>
}

const EXACT_MS = 64
const PER_DOUBLING = 16

/** Short durations exactly, longer ones to a sixteenth. */
const binOf = (ms: number): number => {
  const whole = Math.max(0, Math.round(ms))
  if (whole < EXACT_MS) return whole
  const exponent = Math.floor(Math.log2(whole))
  return exponent * PER_DOUBLING + Math.floor((whole / 2 ** exponent - 1) * PER_DOUBLING)
}

/** The middle of what is in a bin. */
const msOf = (bin: number): number => {
  if (bin < EXACT_MS) return bin
  const exponent = Math.floor(bin / PER_DOUBLING)
  return Math.round(2 ** exponent * (1 + ((bin % PER_DOUBLING) + 0.5) / PER_DOUBLING))
}

const emptyBucket = (): Bucket => ({ calls: 0, errors: 0, chars: 0, bins: new Map() })

const count = (bucket: Bucket, { durationMs, ok, resultChars }: TalliedCall): void => {
  const bin = binOf(durationMs)
  bucket.calls++
  if (!ok) bucket.errors++
  bucket.chars += resultChars
  bucket.bins.set(bin, (bucket.bins.get(bin) ?? 0) + 1)
}

const sumOf = (buckets: ReadonlyArray<Bucket>): Bucket => {
  const sum = emptyBucket()
  for (const { bins, calls, chars, errors } of buckets) {
    sum.calls += calls
    sum.errors += errors
    sum.chars += chars
    for (const [bin, times] of bins) sum.bins.set(bin, (sum.bins.get(bin) ?? 0) + times)
  }
  return sum
}

/** The smallest duration that so large a share of the calls does not exceed. */
const quantile = ({ bins, calls }: Bucket, share: number): number | null => {
  let left = Math.ceil(calls * share)
  for (const [bin, times] of [...bins].toSorted(([a], [b]) => a - b)) {
    left -= times
    if (left <= 0) return msOf(bin)
  }
  return null
}

const figuresOf = (bucket: Bucket) => ({
  calls: bucket.calls,
  errors: bucket.errors,
  p50Ms: quantile(bucket, 0.5),
  p99Ms: quantile(bucket, 0.99),
  resultTokens: Math.round(bucket.chars / TOKEN_CHARS)
})

/** The calls of one tool. */
interface Kept {
  readonly server: string
  readonly tool: string
  lastAt: number
  /** By the minute since the epoch: as many as are remembered, and some that are older. */
  readonly minutes: Map<number, Bucket>
}

const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS)

/** What is too old goes. A clock that was set back leaves nothing behind that it would not reach again. */
const forget = ({ minutes }: Kept, now: number): void => {
  for (const minute of minutes.keys()) {
    if (minutes.size <= HISTORY_MINUTES) return
    if (minute <= now - HISTORY_MINUTES || minute > now) minutes.delete(minute)
  }
}

export interface Tallies {
  readonly add: (call: TalliedCall) => void
  /** Sixty minutes, the oldest first: of all servers together, and by the name of the server. */
  readonly minutes: (now: number) => {
    readonly all: ReadonlyArray<MinuteValue>
    readonly of: (server: string) => ReadonlyArray<MinuteValue>
  }
  /** `shown` makes a name of a tool safe to show. */
  readonly since: (since: number, now: number, shown: (name: string) => string) => TalliesValue
}

export const makeTallies = (): Tallies => {
  const tools = new Map<string, Kept>()

  const keptOf = ({ server, tool }: TalliedCall): Kept => {
    const key = `${server}\n${tool}`
    const known = tools.get(key)
    if (known !== undefined) return known
    // Sessions may bring servers of any name. The one that was called least recently goes.
    if (tools.size >= TALLIES_TOOLS_MAX) {
      let [oldest, lastAt] = ["", Number.POSITIVE_INFINITY]
      for (const [name, kept] of tools) if (kept.lastAt < lastAt) [oldest, lastAt] = [name, kept.lastAt]
      tools.delete(oldest)
    }
    const fresh: Kept = { server, tool, lastAt: 0, minutes: new Map() }
    tools.set(key, fresh)
    return fresh
  }

  const bucketsAt = (kept: ReadonlyArray<Kept>, minute: number): ReadonlyArray<Bucket> =>
    kept.flatMap(({ minutes }) => minutes.get(minute) ?? [])

  const lastHour = (kept: ReadonlyArray<Kept>, now: number): ReadonlyArray<MinuteValue> => {
    const present = minuteOf(now)
    return Array.from({ length: HISTORY_MINUTES }, (_, i) => {
      const minute = present - HISTORY_MINUTES + 1 + i
      return { at: minute * MINUTE_MS, ...figuresOf(sumOf(bucketsAt(kept, minute))) }
    })
  }

  return {
    add: (call) => {
      const kept = keptOf(call)
      const minute = minuteOf(call.at)
      let bucket = kept.minutes.get(minute)
      if (bucket === undefined) {
        kept.minutes.set(minute, (bucket = emptyBucket()))
        forget(kept, minute)
      }
      kept.lastAt = call.at
      count(bucket, call)
    },
    minutes: (now) => {
      const all = [...tools.values()]
      const byServer = Map.groupBy(all, ({ server }) => server)
      return { all: lastHour(all, now), of: (server) => lastHour(byServer.get(server) ?? [], now) }
    },
    since: (since, now, shown) => {
      const present = minuteOf(now)
      const first = Math.min(present, Math.max(minuteOf(since), present - HISTORY_MINUTES + 1))
      const minutes = Array.from({ length: present - first + 1 }, (_, i) => first + i)
      const tallyOf = (kept: ReadonlyArray<Kept>, server: string, tool?: string): TallyValue => {
        const steps = minutes.map((minute) => sumOf(bucketsAt(kept, minute)))
        return {
          server: shown(server),
          ...(tool === undefined ? {} : { tool: shown(tool) }),
          ...figuresOf(sumOf(steps)),
          lastAt: Math.max(...kept.map(({ lastAt }) => lastAt)),
          steps: steps.map(({ calls, errors }) => ({ calls, errors }))
        }
      }
      const mostFirst = (tallies: ReadonlyArray<TallyValue>) =>
        tallies
          .filter(({ calls }) => calls > 0)
          .toSorted((a, b) => b.calls - a.calls)
          .slice(0, TALLIES_SHOWN_MAX)
      const all = [...tools.values()]
      return {
        since: first * MINUTE_MS,
        until: now,
        steps: minutes.map((minute) => minute * MINUTE_MS),
        tools: mostFirst(all.map((kept) => tallyOf([kept], kept.server, kept.tool))),
        servers: mostFirst([...Map.groupBy(all, ({ server }) => server)].map(([server, kept]) => tallyOf(kept, server)))
      }
    }
  }
}
