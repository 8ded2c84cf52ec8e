/**
 * Our metrics as metrics of Effect, so that every exporter of Effect's finds them in its registry. Each set of attributes has a series;
 * their number is limited, because names come from servers and clients.
 */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { METRIC_ATTRIBUTE_SETS_MAX } from "../../../schemas/defaults/Telemetry.ts"
import { METRICS, OVERFLOW, type MetricEntry, type MetricName } from "../../../schemas/telemetry/Names.ts"
import type { Attributes } from "../../../schemas/telemetry/Operation.ts"

/** Adds to a sum or a level, or records a value of a histogram. */
export type Meter = (name: MetricName, attributes: Attributes, value: number) => void

/** Effect's exporters take the unit from an attribute of this name. */
const UNIT = "unit"

const makeSeries = (name: MetricName, attributes: Attributes): Metric.Metric<number, unknown> => {
  const { about, boundaries = [], kind, unit }: MetricEntry = METRICS[name]
  const given = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]))
  const options = { description: about, attributes: { [UNIT]: unit, ...given } }
  if (kind === "histogram") return Metric.histogram(name, { ...options, boundaries })
  // For Prometheus, what falls is no counter.
  return kind === "sum" ? Metric.counter(name, { ...options, incremental: true }) : Metric.gauge(name, options)
}

export const makeMeter = (context: Context.Context<never>): Meter => {
  const metrics = new Map<MetricName, Map<string, Metric.Metric<number, unknown>>>()
  return (name, attributes, value) => {
    let series = metrics.get(name)
    if (series === undefined) metrics.set(name, (series = new Map()))
    const isFull = series.size >= METRIC_ATTRIBUTE_SETS_MAX
    const key = JSON.stringify(attributes)
    let one = series.get(key)
    if (one === undefined) {
      const shared = isFull ? { [OVERFLOW]: "true" } : attributes
      const sharedKey = isFull ? OVERFLOW : key
      one = series.get(sharedKey) ?? makeSeries(name, shared)
      series.set(sharedKey, one)
    }
    // It adds to a gauge, which the other way to change one would set.
    one.modifyUnsafe(value, context)
  }
}
