/** Our metrics as they are sent to a collector. */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { entriesToAttributes } from "effect/observability/OtlpResource"
import type { MetricsData } from "effect/observability/OtlpMetrics"
import { OTLP_SERIES_MAX } from "../../../schemas/defaults/Telemetry.ts"
import { METRICS, OVERFLOW, SERVER_PORT, type MetricEntry, type MetricName } from "../../../schemas/telemetry/Names.ts"

export type SentMetric = MetricsData["resourceMetrics"][number]["scopeMetrics"][number]["metrics"][number]

type Snapshot = Metric.Metric.Snapshot
type Point = Readonly<Record<string, unknown>>

const CUMULATIVE = 2
/** Effect's own exporters take the unit from this; it is no attribute. */
const UNIT = "unit"

/** A metric of Effect has attributes that are texts; some are meant as something else. */
const attributesOf = (attributes: Metric.Metric.AttributeSet = {}) =>
  entriesToAttributes(
    Object.entries(attributes).flatMap(([key, value]): ReadonlyArray<[string, unknown]> => {
      if (key === UNIT) return []
      return [[key, key === SERVER_PORT ? Number(value) : key === OVERFLOW ? true : value]]
    })
  )

const pointOf = (snapshot: Snapshot): Point | undefined => {
  if (snapshot.type === "Counter") return { asInt: Math.round(Number(snapshot.state.count)) }
  if (snapshot.type === "Gauge") return { asInt: Math.round(Number(snapshot.state.value)) }
  if (snapshot.type !== "Histogram") return undefined
  const { buckets, count, max, min, sum } = snapshot.state
  const bounded = buckets.filter(([boundary]) => Number.isFinite(boundary))
  // Effect counts what is at most so large, OTLP what is in each bucket.
  const counts = bounded.map(([, upTo], i) => upTo - (bounded[i - 1]?.[1] ?? 0))
  return {
    count,
    sum,
    min,
    max,
    bucketCounts: [...counts, count - (bounded.at(-1)?.[1] ?? 0)],
    explicitBounds: bounded.map(([boundary]) => boundary)
  }
}

const shapeOf = (kind: MetricEntry["kind"], dataPoints: ReadonlyArray<Point>) =>
  kind === "histogram"
    ? { histogram: { aggregationTemporality: CUMULATIVE, dataPoints } }
    : { sum: { aggregationTemporality: CUMULATIVE, isMonotonic: kind === "sum", dataPoints } }

const isOurs = (id: string): id is MetricName => Object.hasOwn(METRICS, id)

interface Times {
  readonly startTimeUnixNano: string
  readonly timeUnixNano: string
}

/** Of the series in the registry of this context. */
const metricsOf = (context: Context.Context<never>, times: Times): ReadonlyArray<SentMetric> => {
  const points = new Map<MetricName, Array<Point>>()
  for (const snapshot of Metric.snapshotUnsafe(context)) {
    const { attributes, id } = snapshot
    const point = isOurs(id) ? pointOf(snapshot) : undefined
    if (!isOurs(id) || point === undefined) continue
    const all = points.get(id) ?? []
    points.set(id, all)
    all.push({ attributes: attributesOf(attributes), ...times, ...point })
  }
  return [...points].map(([name, dataPoints]) => {
    const { about, kind, unit } = METRICS[name]
    // `pointOf` makes the points that the kind of the metric has, which their type does not say.
    return { name, description: about, unit, ...shapeOf(kind, dataPoints) } as unknown as SentMetric
  })
}

/**
 * All of our metrics in the registry, from `startNanos` until now, a few series at a time: there may be thousands, and what is made of them
 * for a collector takes long.
 */
export function* metricsIn(
  context: Context.Context<never>,
  startNanos: bigint,
  nowNanos: bigint
): Generator<ReadonlyArray<SentMetric>, void> {
  const times: Times = { startTimeUnixNano: String(startNanos), timeUnixNano: String(nowNanos) }
  const series = [...Context.get(context, Metric.MetricRegistry)].filter(([, { id }]) => isOurs(id))
  for (let from = 0; from < series.length; from += OTLP_SERIES_MAX) {
    const some = new Map(series.slice(from, from + OTLP_SERIES_MAX))
    yield metricsOf(Context.add(context, Metric.MetricRegistry, some), times)
  }
}

/** As Prometheus names metrics: with their unit, and `total` for sums. */
export const prometheusName = (id: string): string => {
  if (!isOurs(id)) return id
  const { kind, unit } = METRICS[id]
  return `${id}${unit === "s" ? ".seconds" : ""}${kind === "sum" ? ".total" : ""}`
}
