/**
 * Makes spans and metrics of what happens, and exports them: to a collector, and for Prometheus. The code of this file and its folder is
 * loaded only where one of them is wanted.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import type { HttpBody } from "effect/http/HttpBody"
import * as OtlpResource from "effect/observability/OtlpResource"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { VERSION } from "../../schemas/data/Version.ts"
import { SERVICE_NAME } from "../../schemas/defaults/Telemetry.ts"
import { currentSpan, seenSpan } from "../../schemas/telemetry/CurrentSpan.ts"
import { credentialsOf } from "../../schemas/connection/LaunchCredentials.ts"
import type { OtlpProtocol, PrometheusConfig } from "../../schemas/telemetry/TelemetryConfig.ts"
import type { OtlpTarget, TelemetrySettings } from "../../schemas/telemetry/TelemetrySettings.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { SecretResolver, TELEMETRY_OWNER } from "../../services/secret/SecretResolver.ts"
import type { Recorder } from "../../services/telemetry/Telemetry.ts"
import { asWhole, inBatches, makePost, type Parcel, type Post } from "./Telemetry/exporting.ts"
import { metricsIn } from "./Telemetry/metrics.ts"
import { servePrometheus } from "./Telemetry/prometheus.ts"
import { makeRecorder } from "./Telemetry/recorder.ts"
import { makeTracer, type SentSpan } from "./Telemetry/spans.ts"

type Serialization = OtlpSerialization.OtlpSerialization["Service"]

const SCOPE = { name: SERVICE_NAME, version: VERSION }

const LAYERS = { "http/json": OtlpSerialization.layerJson, "http/protobuf": OtlpSerialization.layerProtobuf }

const serializationOf = (protocol: OtlpProtocol): Effect.Effect<Serialization> =>
  Effect.provide(OtlpSerialization.OtlpSerialization, LAYERS[protocol])

/** All that serializations make are bytes. */
const parcelOf = (body: HttpBody): Parcel =>
  body._tag === "Uint8Array"
    ? { body: body.body, contentType: body.contentType }
    : { body: new Uint8Array(), contentType: "application/octet-stream" }

/** A text with its references resolved, which makes their values known as secrets. */
const revealed = (text: string) => Effect.flatMap(SecretResolver, ({ resolve }) => resolve(TELEMETRY_OWNER, text))

/** What is a credential as it stands is masked like one from a reference. */
const knowCredentials = Effect.fnUntraced(function* (values: ReadonlyArray<string>) {
  const { know } = yield* SecretResolver
  yield* Effect.forEach(values, (value) => know(TELEMETRY_OWNER, value), { discard: true })
})

/** `fetch` refuses others each time, and does not say why. */
const areHeaders = (headers: Readonly<Record<string, string>>): boolean => {
  try {
    void new Headers(headers)
    return true
  } catch {
    return false
  }
}

/** How to send to a target; without its headers, nothing is sent. */
const postTo = Effect.fnUntraced(function* ({ headers, timeoutMs, url }: OtlpTarget) {
  yield* knowCredentials(credentialsOf({ kind: "http", url, headers }))
  const all = yield* Effect.result(
    Effect.forEach(Object.entries(headers), ([name, text]) =>
      Effect.map(revealed(text), (value): [string, string] => [name, Redacted.value(value)])
    )
  )
  if (all._tag === "Success") {
    const sent = Object.fromEntries(all.success)
    if (areHeaders(sent)) return makePost({ url, timeoutMs, headers: sent })
    yield* Effect.logWarning(
      "telemetry: a header for the collector has a character that HTTP does not allow in it, so the collector gets nothing"
    )
    return undefined
  }
  const { detail, reference } = all.failure
  yield* Effect.logWarning(
    `telemetry: a header for the collector is not available, so it gets nothing: ${reference}: ${detail}`
  )
  return undefined
})

type Run = (serialization: Serialization, everyMs: number, post: Post) => Effect.Effect<void, never, Scope.Scope>

const exportTo = Effect.fnUntraced(function* (target: OtlpTarget | undefined, run: Run) {
  const post = target === undefined ? undefined : yield* postTo(target)
  if (target === undefined || post === undefined) return
  yield* run(yield* serializationOf(target.protocol), target.everyMs, post)
})

const serveMetrics = Effect.fnUntraced(function* ({ host, port, token: written }: PrometheusConfig) {
  const token = written === undefined ? undefined : yield* Effect.result(revealed(written))
  if (token?._tag !== "Failure") {
    if (token !== undefined) yield* knowCredentials([Redacted.value(token.success)])
    yield* servePrometheus({ host, port, token: token?.success })
  } else {
    const { detail, reference } = token.failure
    yield* Effect.logWarning(`telemetry: without its token nothing is served for Prometheus: ${reference}: ${detail}`)
  }
})

/** Starts all exports that `settings` want. They end with the Scope, after they have sent what is left. */
export const exporting = Effect.fnUntraced(function* (settings: TelemetrySettings) {
  const { baggage, metrics, people, prometheus, problems, sampling, traces } = settings
  for (const problem of problems) yield* Effect.logWarning(`telemetry: ${problem}`)
  const { label } = yield* ContentSanitizer
  const clock = yield* Clock.Clock
  const context = yield* Effect.context()
  const start = clock.currentTimeNanosUnsafe()
  const resource = OtlpResource.make({ attributes: { ...settings.resource }, serviceVersion: VERSION })

  let ended: (span: SentSpan) => void = () => {}
  yield* exportTo(traces, (serialization, everyMs, post) =>
    Effect.map(
      inBatches(everyMs, post, (spans: ReadonlyArray<SentSpan>) =>
        parcelOf(
          serialization.traces({ resourceSpans: [{ resource, scopeSpans: [{ scope: SCOPE, spans: [...spans] }] }] })
        )
      ),
      (take) => void (ended = take)
    )
  )
  yield* exportTo(metrics, (serialization, everyMs, post) =>
    asWhole(everyMs, post, function* () {
      for (const some of metricsIn(context, start, clock.currentTimeNanosUnsafe())) {
        const scopeMetrics = [{ scope: SCOPE, metrics: [...some] }]
        yield parcelOf(serialization.metrics({ resourceMetrics: [{ resource, scopeMetrics }] }))
      }
    })
  )
  if (prometheus !== undefined) yield* serveMetrics(prometheus)
  const tracer = makeTracer(sampling, (span) => ended(span))
  return yield* makeRecorder({ tracer, above: seenSpan, label, baggage, people, passesOn: traces === undefined })
})

/** For a program with a tracer of its own: the spans are that tracer's, and whoever reads Effect's metrics finds ours. */
export const ownTracer = Effect.fnUntraced(function* (
  tracer: Tracer.Tracer
): Effect.fn.Return<Recorder, never, ContentSanitizer> {
  const { label } = yield* ContentSanitizer
  return yield* makeRecorder({ tracer, above: currentSpan, label, baggage: false })
})
