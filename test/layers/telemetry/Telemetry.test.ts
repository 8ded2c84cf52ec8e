import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeMeter } from "../../../src/layers/telemetry/Telemetry/meters.ts"
import { metricsIn, prometheusName } from "../../../src/layers/telemetry/Telemetry/metrics.ts"
import { makeRecorder } from "../../../src/layers/telemetry/Telemetry/recorder.ts"
import { makeTracer, type SentSpan } from "../../../src/layers/telemetry/Telemetry/spans.ts"
import { METRIC_ATTRIBUTE_SETS_MAX } from "../../../src/schemas/defaults/Telemetry.ts"
import { seenSpan } from "../../../src/schemas/telemetry/CurrentSpan.ts"
import type { Sampling } from "../../../src/schemas/telemetry/TelemetrySettings.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"
const remote = { transport: "stdio", protocolVersion: "2025-11-25", server: "files" } as const
const ALL: Sampling = { ratio: 1, followsParent: true }

/** A recorder with spans of ours, and what they sent. */
const recording = Effect.fnUntraced(function* (sampling: Sampling = ALL, more: object = {}) {
  const sent: Array<SentSpan> = []
  const tracer = makeTracer(sampling, (span) => void sent.push(span))
  return {
    sent,
    recorder: yield* makeRecorder({
      tracer,
      above: seenSpan,
      label: (text, maxChars) => text.slice(0, maxChars),
      baggage: false,
      ...more
    })
  }
})

const apart = Effect.provideServiceEffect(
  Metric.MetricRegistry,
  Effect.sync(() => new Map())
)

const asked = (traceparent?: string, name = "read") => ({
  side: "server" as const,
  method: "tools/call",
  params: { name, ...(traceparent === undefined ? {} : { _meta: { traceparent } }) },
  id: 1,
  remote
})

describe("spans", () => {
  it.effect("without a collector are not made, and a client's context is passed on unchanged", () =>
    Effect.gen(function* () {
      const { recorder } = yield* recording({ ratio: 0, followsParent: false }, { passesOn: true })
      const traceparent = `00-${TRACE}-${SPAN}-01`
      const { carried, span } = recorder.begin(asked(traceparent))
      assert.deepStrictEqual(carried, { traceparent })
      const below = yield* Effect.withParentSpan(
        Effect.sync(() => recorder.begin({ ...asked(), side: "client" })),
        span
      )
      assert.deepStrictEqual(below.carried, { traceparent })
      assert.isUndefined(recorder.begin({ ...asked(), side: "client" }).carried)
    }).pipe(apart)
  )

  for (const [what, sampling, flags, isSent] of [
    ["a client's decision counts", { ratio: 0, followsParent: true }, "01", true],
    ["a client's decision against it counts, too", ALL, "00", false],
    ["a sampler without regard for clients decides alone", { ratio: 0, followsParent: false }, "01", false],
    ["the same with all", { ratio: 1, followsParent: false }, "00", true]
  ] as const) {
    it.effect(`${what}: of a trace with ${flags}`, () =>
      Effect.gen(function* () {
        const { recorder, sent } = yield* recording(sampling)
        const { carried, end } = recorder.begin(asked(`00-${TRACE}-${SPAN}-${flags}`))
        end({})
        assert.lengthOf(sent, isSent ? 1 : 0)
        assert.match(carried!.traceparent, new RegExp(`^00-${TRACE}-.*-0${isSent ? 1 : 0}$`))
      }).pipe(apart)
    )
  }

  it.effect("are sampled as a share of traces, the same way for all spans of one", () =>
    Effect.gen(function* () {
      const { recorder, sent } = yield* recording({ ratio: 0.5, followsParent: true })
      for (let i = 0; i < 1_000; i++) {
        const { end, span } = recorder.begin(asked())
        const below = yield* Effect.withParentSpan(
          Effect.sync(() => recorder.begin({ ...asked(), side: "client" })),
          span
        )
        assert.strictEqual(below.span.sampled, span.sampled)
        below.end({})
        end({})
      }
      // 500 traces of 2 spans, on average; by chance it is not out of these bounds once in a million runs.
      assert.isAbove(sent.length, 800)
      assert.isBelow(sent.length, 1_200)
    }).pipe(apart)
  )

  it.effect("have the next exported span as their parent, above internal spans of Effect", () =>
    Effect.gen(function* () {
      const { recorder, sent } = yield* recording()
      const { end, span } = recorder.begin(asked())
      const below = Effect.withSpan(
        Effect.sync(() => recorder.begin({ ...asked(), side: "client" }).end({})),
        "of Effect's own"
      )
      yield* Effect.withParentSpan(below, span)
      end({})
      assert.strictEqual(sent[0]?.parentSpanId, span.spanId)
    }).pipe(apart)
  )

  it.effect("end once", () =>
    Effect.gen(function* () {
      const { recorder, sent } = yield* recording()
      const { end } = recorder.begin(asked())
      end({ errorType: "timeout" })
      end({})
      assert.lengthOf(sent, 1)
      assert.strictEqual(sent[0]?.status.code, 2)
    }).pipe(apart)
  )

  it.effect("have names and addresses as labels, with secrets masked and limited length", () =>
    Effect.gen(function* () {
      const { recorder, sent } = yield* recording(ALL, {
        label: (text: string, maxChars: number) => text.replaceAll("s3cret", "[REDACTED]").slice(0, maxChars)
      })
      recorder.begin({ ...asked(undefined, "s3cret"), id: "s3cret" }).end({})
      recorder
        .begin({ ...asked(), method: "resources/read", params: { uri: `x://s3cret/${"y".repeat(5_000)}` } })
        .end({})
      const text = JSON.stringify(sent)
      assert.notInclude(text, "s3cret")
      assert.include(text, "[REDACTED]")
      assert.isBelow(text.length, 4_000)
    }).pipe(apart)
  )
})

describe("metrics", () => {
  it.effect("of names without end share one series", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context()
      const meter = makeMeter(context)
      for (let i = 0; i < METRIC_ATTRIBUTE_SETS_MAX + 500; i++) meter("mcp_live.server.restarts", { name: `n${i}` }, 1)
      const points = [...metricsIn(context, 0n, 1n)].flat().flatMap((metric) => metric.sum!.dataPoints)
      assert.lengthOf(points, METRIC_ATTRIBUTE_SETS_MAX + 1)
      const shared = points.find(({ attributes }) => attributes[0]?.key === "otel.metric.overflow")
      assert.strictEqual(shared?.asInt, 500)
      assert.deepStrictEqual(shared?.attributes[0]?.value, { boolValue: true })
    }).pipe(apart)
  )

  it.effect("that also fall are no counters for Prometheus, and add up", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context()
      const meter = makeMeter(context)
      for (const value of [1, 1, -1]) meter("mcp_live.calls.in_flight", { name: "files" }, value)
      const text = formatUnsafe(context, { metricNameMapper: prometheusName })
      assert.match(text, /^# TYPE mcp_live_calls_in_flight gauge$/m)
      assert.match(text, /^mcp_live_calls_in_flight\{.*\} 1$/m)
      const [metric] = [...metricsIn(context, 0n, 1n)].flat()
      assert.strictEqual(metric!.sum!.dataPoints[0]!.asInt, 1)
      assert.isFalse(metric!.sum!.isMonotonic)
    }).pipe(apart)
  )

  it.effect("leave out what others have in the registry", () =>
    Effect.gen(function* () {
      yield* Metric.update(Metric.counter("somebody.elses"), 1)
      assert.lengthOf([...metricsIn(yield* Effect.context(), 0n, 1n)], 0)
    }).pipe(apart)
  )
})

const SRC = fileURLToPath(new URL("../../../src/", import.meta.url))

describe("the code for exports", () => {
  it("is imported by nothing that is loaded without them", () => {
    const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    /** What a file imports when it is loaded. */
    const imported = (file: string) =>
      [...readFileSync(join(SRC, file), "utf8").matchAll(/^(?:import|export)\s(?!type)[^"]*from "([^"]+)"/gm)].map(
        ([, name]) => (name!.startsWith(".") ? join(dirname(file), name!) : name!)
      )
    const others = files.filter((file) => !file.startsWith("layers/telemetry/"))
    const found = others.filter((file) =>
      imported(file).some((name) => name.startsWith("effect/observability") || name.startsWith("layers/telemetry/"))
    )
    assert.deepStrictEqual(found, [])
    assert.include(imported("layers/telemetry/Telemetry.ts"), "layers/telemetry/Telemetry/recorder.ts")
  })
})
