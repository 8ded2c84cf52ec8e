/**
 * The metrics as text for Prometheus. There may be thousands of series, so the text is made in turns of the event loop, for all that ask
 * meanwhile, and used again for a while: however often it is asked for, that takes a fixed share of the time. Responses that were not read
 * by the time of the text after the next one are closed, so that only a few texts are in memory.
 */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Semaphore from "effect/Semaphore"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import type { ServerResponse } from "node:http"
import {
  PROMETHEUS_KEPT_MIN_MS,
  PROMETHEUS_KEPT_TIMES,
  PROMETHEUS_SERIES_AT_ONCE,
  PROMETHEUS_TEXTS_MAX,
  PROMETHEUS_UNREAD_MS
} from "../../../schemas/defaults/Telemetry.ts"
import type { InTurns } from "../../../schemas/data/InTurns.ts"
import { inTurns } from "../../../system/inTurns.ts"
import { prometheusName } from "./metrics.ts"

type Registry = Metric.MetricRegistry
type Series = Registry extends Map<string, infer One> ? One : never

/** The series of each metric, which have to follow each other. */
const byName = (registry: Registry): ReadonlyArray<ReadonlyArray<[string, Series]>> => {
  const all = new Map<string, Array<[string, Series]>>()
  for (const entry of registry) {
    const series = all.get(entry[1].id)
    if (series === undefined) all.set(entry[1].id, [entry])
    else series.push(entry)
  }
  return [...all.values()]
}

const COMMENTS = /^(?:#.*\n)+/

export function* textOf(context: Context.Context<never>): InTurns<Buffer> {
  const pieces: Array<Buffer> = []
  for (const series of byName(Context.get(context, Metric.MetricRegistry))) {
    for (let from = 0; from < series.length; from += PROMETHEUS_SERIES_AT_ONCE) {
      const some = new Map(series.slice(from, from + PROMETHEUS_SERIES_AT_ONCE))
      const text = formatUnsafe(Context.add(context, Metric.MetricRegistry, some), { metricNameMapper: prometheusName })
      // What a metric is stands once, before all of its series.
      pieces.push(Buffer.from(from === 0 ? text : text.replace(COMMENTS, "")))
      yield
    }
  }
  return Buffer.concat(pieces)
}

interface Made {
  readonly text: Buffer
  /** It is used until then. */
  readonly until: number
}

export interface PrometheusText {
  /** Sends the text, when it is there, as the body of this response. */
  readonly sendTo: (response: ServerResponse, headers: Readonly<Record<string, string>>) => Effect.Effect<void>
}

export const makePrometheusText = (context: Context.Context<never>, clock: Clock.Clock): PrometheusText => {
  let made: Made | undefined
  const making = Semaphore.makeUnsafe(1)
  /** Responses that are being sent, by their texts, the oldest first. */
  const unread = new Map<Buffer, Set<ServerResponse>>()

  const make = Effect.gen(function* () {
    const from = clock.currentTimeMillisUnsafe()
    const text = yield* inTurns(textOf(context))
    const now = clock.currentTimeMillisUnsafe()
    made = { text, until: now + Math.max(PROMETHEUS_KEPT_MIN_MS, (now - from) * PROMETHEUS_KEPT_TIMES) }
    return text
  })

  const current = Effect.suspend(() =>
    made !== undefined && clock.currentTimeMillisUnsafe() < made.until ? Effect.succeed(made.text) : make
  ).pipe(making.withPermit)

  const follow = (response: ServerResponse, text: Buffer): void => {
    const all = unread.get(text) ?? new Set()
    unread.set(text, all.add(response))
    const late = setTimeout(() => response.destroy(), PROMETHEUS_UNREAD_MS).unref()
    response.once("close", () => {
      clearTimeout(late)
      all.delete(response)
      if (all.size === 0) unread.delete(text)
    })
    for (const [oldest, responses] of unread) {
      if (unread.size <= PROMETHEUS_TEXTS_MAX) return
      unread.delete(oldest)
      for (const one of responses) one.destroy()
    }
  }

  return {
    sendTo: (response, headers) =>
      Effect.map(current, (text) => {
        if (response.destroyed) return
        follow(response, text)
        response.writeHead(200, { ...headers, "content-length": String(text.length) }).end(text)
      })
  }
}
