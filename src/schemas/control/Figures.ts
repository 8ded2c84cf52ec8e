/** Figures about the calls of each server, from the calls that ended in this process: bounded, and computed when somebody looks. */
import * as Schema from "effect/Schema"
import {
  FIGURES_CALLS_MAX,
  FIGURES_SECONDS,
  FIGURES_SERVERS_MAX,
  FIGURES_WINDOW_MS,
  TOKEN_CHARS
} from "../defaults/Control.ts"

export const CallFigures = Schema.Struct({
  /** Since the gateway was started. */
  calls: Schema.Finite,
  /** Of them, those that did not end well. */
  errors: Schema.Finite,
  /** Suspicious places in their results. */
  findings: Schema.Finite,
  /** The size of their results, in tokens: an estimate. */
  resultTokens: Schema.Finite,
  callsPerMinute: Schema.Finite,
  /** Of the last quarter of an hour. `null` without a call. */
  p50Ms: Schema.NullOr(Schema.Finite),
  p99Ms: Schema.NullOr(Schema.Finite)
})
export type CallFigures = typeof CallFigures.Type

/** What the processes of a server use. */
export const ProcessUsage = Schema.Struct({
  processes: Schema.Finite,
  rssBytes: Schema.Finite,
  /** Since they were started. */
  cpuMs: Schema.Finite
})
export type ProcessUsage = typeof ProcessUsage.Type

export const NO_CALLS: CallFigures = {
  calls: 0,
  errors: 0,
  findings: 0,
  resultTokens: 0,
  callsPerMinute: 0,
  p50Ms: null,
  p99Ms: null
}

/** A call that has ended. */
export interface EndedCall {
  readonly at: number
  readonly server: string
  readonly ok: boolean
  readonly durationMs: number
  readonly resultChars: number
  readonly findings: number
}

interface Kept {
  calls: number
  errors: number
  findings: number
  chars: number
  /** When the last calls ended, and how long they took. */
  readonly at: Float64Array
  readonly ms: Float64Array
  /** Calls of each of the last seconds, and which seconds they are. */
  readonly seconds: Float64Array
  readonly counts: Float64Array
}

const nothingKept = (): Kept => ({
  calls: 0,
  errors: 0,
  findings: 0,
  chars: 0,
  at: new Float64Array(FIGURES_CALLS_MAX).fill(Number.NEGATIVE_INFINITY),
  ms: new Float64Array(FIGURES_CALLS_MAX),
  seconds: new Float64Array(FIGURES_SECONDS),
  counts: new Float64Array(FIGURES_SECONDS)
})

const secondOf = (at: number): number => Math.floor(at / 1_000)

const count = ({ counts, seconds }: Kept, at: number): void => {
  const second = secondOf(at)
  const place = second % FIGURES_SECONDS
  if (seconds[place] !== second) {
    seconds[place] = second
    counts[place] = 0
  }
  counts[place]!++
}

/** The smallest value that so large a share of the sorted values does not exceed. */
const quantile = (sorted: ReadonlyArray<number>, share: number): number | null =>
  sorted.length === 0 ? null : sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!

const figuresOf = ({ at, calls, chars, counts, errors, findings, ms, seconds }: Kept, now: number): CallFigures => {
  const durations = Array.from(ms.filter((_, i) => now - at[i]! <= FIGURES_WINDOW_MS)).toSorted((a, b) => a - b)
  const oldest = secondOf(now) - FIGURES_SECONDS
  return {
    calls,
    errors,
    findings,
    resultTokens: Math.round(chars / TOKEN_CHARS),
    callsPerMinute: counts.reduce((sum, each, i) => (seconds[i]! > oldest ? sum + each : sum), 0),
    p50Ms: quantile(durations, 0.5),
    p99Ms: quantile(durations, 0.99)
  }
}

export interface Figures {
  readonly add: (call: EndedCall) => void
  /** By the name of the server; servers without a call are left out. */
  readonly at: (now: number) => Readonly<Record<string, CallFigures>>
}

export const makeFigures = (): Figures => {
  const servers = new Map<string, Kept>()
  return {
    add: ({ at, durationMs, findings, ok, resultChars, server }) => {
      let kept = servers.get(server)
      if (kept === undefined) {
        // Sessions may bring servers of any name.
        if (servers.size >= FIGURES_SERVERS_MAX) servers.delete(servers.keys().next().value!)
        servers.set(server, (kept = nothingKept()))
      }
      const place = kept.calls++ % FIGURES_CALLS_MAX
      kept.at[place] = at
      kept.ms[place] = durationMs
      if (!ok) kept.errors++
      kept.findings += findings
      kept.chars += resultChars
      count(kept, at)
    },
    at: (now) => Object.fromEntries([...servers].map(([name, kept]) => [name, figuresOf(kept, now)]))
  }
}
