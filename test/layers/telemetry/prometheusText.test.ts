import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import { makeMeter } from "../../../src/layers/telemetry/Telemetry/meters.ts"
import { prometheusName } from "../../../src/layers/telemetry/Telemetry/metrics.ts"
import { makePrometheusText, textOf } from "../../../src/layers/telemetry/Telemetry/prometheusText.ts"
import { METRIC_ATTRIBUTE_SETS_MAX, PROMETHEUS_KEPT_MIN_MS } from "../../../src/schemas/defaults/Telemetry.ts"

/** With so many series of each metric. */
const withSeries = (count: number): Context.Context<never> => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  const meter = makeMeter(context as Context.Context<never>)
  for (let i = 0; i < count; i++) {
    meter("mcp.client.operation.duration", { name: `n${i}${"x".repeat(256)}` }, 1)
    meter("mcp.server.operation.duration", { name: `n${i}${"x".repeat(256)}` }, 1)
    meter("mcp_live.server.restarts", { name: `n${i}` }, 1)
  }
  return context as Context.Context<never>
}

const stepsOf = <A>(work: Generator<void, A>): { readonly steps: number; readonly value: A } => {
  for (let steps = 0; ; steps++) {
    const { done, value } = work.next()
    if (done === true) return { steps, value }
  }
}

/** A response that is read when the test says so. */
const response = () => {
  const bodies: Array<Buffer> = []
  const emitter = new EventEmitter()
  const made = Object.assign(emitter, {
    destroyed: false,
    writeHead: () => made,
    end: (body: Buffer) => void bodies.push(body),
    destroy: () => {
      made.destroyed = true
      emitter.emit("close")
    }
  })
  return { bodies, made, response: made as unknown as ServerResponse }
}

describe("the text for Prometheus", () => {
  it("is the one that Effect would make at once, made in many steps", () => {
    const context = withSeries(METRIC_ATTRIBUTE_SETS_MAX)
    const { steps, value } = stepsOf(textOf(context))
    assert.isTrue(value.toString() === formatUnsafe(context, { metricNameMapper: prometheusName }))
    assert.isAbove(steps, 300)
  })

  it.effect("is made once for all that ask meanwhile, and used again for a while", () =>
    Effect.gen(function* () {
      const context = withSeries(3)
      let now = 0
      const clock = { ...(yield* Clock.Clock), currentTimeMillisUnsafe: () => now }
      const { sendTo } = makePrometheusText(context, clock)
      const asked = Array.from({ length: 8 }, response)
      yield* Effect.forEach(asked, (one) => sendTo(one.response, {}), { concurrency: "unbounded", discard: true })
      const [first] = asked[0]!.bodies
      for (const { bodies } of asked) assert.strictEqual(bodies[0], first)
      now += PROMETHEUS_KEPT_MIN_MS
      const later = response()
      yield* sendTo(later.response, {})
      assert.notStrictEqual(later.bodies[0], first)
    })
  )

  it.effect("is kept in memory twice at most: responses that do not read an older one are closed", () =>
    Effect.gen(function* () {
      const context = withSeries(3)
      let now = 0
      const clock = { ...(yield* Clock.Clock), currentTimeMillisUnsafe: () => now }
      const { sendTo } = makePrometheusText(context, clock)
      const asked = Array.from({ length: 4 }, response)
      for (const one of asked) {
        yield* sendTo(one.response, {})
        now += PROMETHEUS_KEPT_MIN_MS
      }
      assert.deepStrictEqual(
        asked.map(({ made }) => made.destroyed),
        [true, true, false, false]
      )
    })
  )
})
