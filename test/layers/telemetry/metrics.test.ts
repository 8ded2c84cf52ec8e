import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { makeMeter } from "../../../src/layers/telemetry/Telemetry/meters.ts"
import { metricsIn, type SentMetric } from "../../../src/layers/telemetry/Telemetry/metrics.ts"
import { METRIC_ATTRIBUTE_SETS_MAX, OTLP_SERIES_MAX } from "../../../src/schemas/defaults/Telemetry.ts"

const NAMES = ["mcp.client.operation.duration", "mcp.server.operation.duration", "mcp_live.call.duration"] as const
/** Of processor time. What is allowed in one turn is 50; a busy machine counts some of its own work as ours. */
const TURN_MAX_MS = 250

/** As many series as there may be. */
const full = (): Context.Context<never> => {
  const context = Context.make(Metric.MetricRegistry, new Map()) as Context.Context<never>
  const meter = makeMeter(context)
  for (const name of NAMES) {
    for (let i = 0; i < METRIC_ATTRIBUTE_SETS_MAX; i++) {
      const tool = `mcp_files_tool_${i}`.padEnd(256, "x")
      meter(name, { "mcp.method.name": "tools/call", "gen_ai.tool.name": tool, "error.type": "tool_error" }, i)
    }
  }
  return context
}

interface Shape {
  readonly histogram: { readonly dataPoints: ReadonlyArray<unknown> }
}
const pointsOf = (metric: SentMetric) => (metric as unknown as Shape).histogram.dataPoints

describe("metrics for a collector", () => {
  it("are all there, once each, in parts of so many series at most", () => {
    const parts = [...metricsIn(full(), 0n, 1n)]
    for (const part of parts) {
      assert.isAtMost(
        part.reduce((sum, metric) => sum + pointsOf(metric).length, 0),
        OTLP_SERIES_MAX
      )
    }
    const all = new Map(NAMES.map((name) => [name as string, [] as Array<unknown>]))
    for (const metric of parts.flat()) all.get(metric.name)!.push(...pointsOf(metric))
    for (const points of all.values()) {
      assert.lengthOf(points, METRIC_ATTRIBUTE_SETS_MAX)
      assert.lengthOf(new Set(points.map((point) => JSON.stringify(point))), METRIC_ATTRIBUTE_SETS_MAX)
    }
  })

  it.effect("take a few milliseconds for each part, as protobuf as well", () =>
    Effect.gen(function* () {
      const { metrics } = yield* OtlpSerialization.OtlpSerialization
      const resource = { attributes: [], droppedAttributesCount: 0 }
      let longest = 0
      const parts = metricsIn(full(), 0n, 1n)
      for (;;) {
        const before = process.threadCpuUsage()
        const { done, value } = parts.next()
        if (done === true) break
        metrics({ resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: "x" }, metrics: [...value] }] }] })
        const { system, user } = process.threadCpuUsage(before)
        longest = Math.max(longest, (system + user) / 1_000)
      }
      assert.isAtMost(longest, TURN_MAX_MS)
    }).pipe(Effect.provide(OtlpSerialization.layerProtobuf))
  )
})
