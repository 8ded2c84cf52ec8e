/**
 * A collector on the loopback: it decodes what it gets with the protobuf schema that OpenTelemetry publishes, and keeps it. What is
 * not of that schema is answered with 400.
 */
import root from "@opentelemetry/otlp-transformer/build/src/generated/root.js"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

/** A value where objects of any form are looked into. */
type Loose = ReturnType<typeof JSON.parse>

type Value = string | number | boolean | undefined
export type Attributes = Readonly<Record<string, Value>>

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: string
  readonly traceState: string
  readonly flags: number
  readonly status: string
  readonly attributes: Attributes
  readonly events: ReadonlyArray<unknown>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly seconds: number
}

export interface Point {
  readonly attributes: Attributes
  readonly value: number
  readonly count: number
  readonly boundaries: ReadonlyArray<number>
  readonly buckets: ReadonlyArray<number>
}

export interface CollectedMetric {
  readonly name: string
  readonly unit: string
  readonly kind: "histogram" | "sum"
  readonly isMonotonic: boolean
  readonly points: ReadonlyArray<Point>
}

interface Got {
  readonly path: string
  readonly contentType: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const hex = (bytes: ReadonlyArray<number>) => Buffer.from(bytes).toString("hex")

const valueOf = (value: Loose): Value =>
  value?.stringValue ??
  value?.boolValue ??
  (value?.intValue === undefined ? value?.doubleValue : Number(value.intValue))

const attributesOf = (entries: ReadonlyArray<Loose> = []): Attributes => {
  const names = entries.map(({ key }) => key)
  if (new Set(names).size !== names.length) throw new Error(`an attribute is there twice: ${names.join()}`)
  return Object.fromEntries(entries.map(({ key, value }) => [key, valueOf(chosen(value))]))
}

/** With defaults every alternative is there: the one that was sent is the only one that is not empty. */
const chosen = (value: Loose) => {
  const { value: which } = value ?? {}
  return which === undefined ? value : { [which]: value[which] }
}

const OTLP = (root as Loose).opentelemetry.proto
const TYPES: Readonly<Record<string, Loose>> = {
  "/v1/traces": OTLP.collector.trace.v1.ExportTraceServiceRequest,
  "/v1/metrics": OTLP.collector.metrics.v1.ExportMetricsServiceRequest
}

/** JSON has ids in hex where protobuf has bytes. */
const fromJson = (value: Loose): Loose => {
  if (Array.isArray(value)) return value.map(fromJson)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      /^(traceId|spanId|parentSpanId)$/.test(key) ? Buffer.from(String(entry), "hex") : fromJson(entry)
    ])
  )
}

/** Fields that the schema does not know are not dropped without a word. */
const checkNames = (written: Loose, read: Loose, path: string): void => {
  if (Array.isArray(written)) return written.forEach((one, i) => checkNames(one, read[i], `${path}[${i}]`))
  if (typeof written !== "object" || written === null || Buffer.isBuffer(written)) return
  for (const [key, value] of Object.entries(written)) {
    if (value === undefined) continue
    if (!(key in Object(read))) throw new Error(`${path}.${key} is not in the schema`)
    checkNames(value, read[key], `${path}.${key}`)
  }
}

const spanOf = (span: Loose): Span => ({
  traceId: hex(span.traceId),
  spanId: hex(span.spanId),
  parentSpanId: hex(span.parentSpanId ?? []),
  name: span.name,
  kind: span.kind,
  traceState: span.traceState ?? "",
  flags: span.flags ?? 0,
  status: span.status?.code ?? "STATUS_CODE_UNSET",
  attributes: attributesOf(span.attributes),
  events: span.events ?? [],
  links: (span.links ?? []).map((link: Loose) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
  seconds: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e9
})

const metricOf = (metric: Loose): CollectedMetric => {
  const kind = metric.histogram == null ? "sum" : "histogram"
  return {
    name: metric.name,
    unit: metric.unit,
    kind,
    isMonotonic: metric.sum?.isMonotonic === true,
    points: metric[kind].dataPoints.map((point: Loose) => ({
      attributes: attributesOf(point.attributes),
      value: Number(point.asInt ?? point.asDouble ?? 0),
      count: Number(point.count ?? 0),
      boundaries: point.explicitBounds ?? [],
      buckets: (point.bucketCounts ?? []).map(Number)
    }))
  }
}

export interface Collector {
  readonly url: string
  readonly spans: () => ReadonlyArray<Span>
  /** As they were sent last. */
  readonly metrics: () => ReadonlyArray<CollectedMetric>
  readonly resource: () => Attributes
  readonly got: ReadonlyArray<Got>
  /** What was not of the schema. */
  readonly faults: ReadonlyArray<string>
  /** Waits until this gives something. */
  readonly until: <A>(find: (collector: Collector) => A | undefined) => Effect.Effect<A>
  /** Answers with this status from now on; 0 for no answer at all. */
  readonly answer: (status: number) => void
}

export const makeCollector: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function* () {
  const [spans, got, faults] = [[] as Array<Span>, [] as Array<Got>, [] as Array<string>]
  let metrics: ReadonlyArray<CollectedMetric> = []
  let resource: Attributes = {}
  let status = 200
  const watchers = new Set<() => void>()

  const take = (path: string, contentType: string, body: Buffer) => {
    const type = TYPES[path]
    if (type === undefined) throw new Error(`nothing is taken at ${path}`)
    const written = contentType === "application/json" ? fromJson(JSON.parse(body.toString())) : undefined
    const message = written === undefined ? type.decode(body) : type.fromObject(written)
    const read = type.toObject(message, { longs: String, bytes: Array, enums: String, arrays: true, oneofs: true })
    if (written !== undefined) checkNames(written, type.toObject(message, { defaults: true }), path)
    for (const { resource: one, scopeMetrics, scopeSpans } of read.resourceSpans ?? read.resourceMetrics ?? []) {
      resource = attributesOf(one.attributes)
      for (const scope of scopeSpans ?? []) spans.push(...scope.spans.map(spanOf))
      if (scopeMetrics !== undefined) metrics = scopeMetrics.flatMap((scope: Loose) => scope.metrics.map(metricOf))
    }
  }

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const [path, contentType, body] = [request.url!, request.headers["content-type"] ?? "", Buffer.concat(chunks)]
      got.push({ path, contentType, headers: request.headers, text: body.toString("latin1") })
      let answer = status
      try {
        if (status === 200) take(path, contentType, body)
      } catch (error) {
        faults.push(String(error))
        answer = 400
      }
      if (answer !== 0) response.writeHead(answer).end()
      for (const watch of watchers) watch()
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    metrics: () => metrics,
    resource: () => resource,
    got,
    faults,
    until: (find) =>
      Effect.callback((resume) => {
        const look = () => {
          const found = find(collector)
          if (found === undefined) return
          watchers.delete(look)
          resume(Effect.succeed(found))
        }
        watchers.add(look)
        look()
      }),
    answer: (next) => {
      status = next
    }
  }
  return collector
})
