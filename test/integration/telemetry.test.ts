import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { get } from "node:http"
import { connect, createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text as readText } from "node:stream/consumers"
import { McpLive } from "../../src/layers/McpLive.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { inFixtures } from "../fixtures/servers.ts"
import { makeCollector, type Collector, type Span } from "../support/collector.ts"
import { allowed, CONVENTIONS, required } from "../support/conventions.ts"
import { ask as askRaw } from "../support/rawHttp.ts"
import { connected, ERAS, listed, type Answers, type Era } from "../support/mcpClients.ts"
import { launched, listening, overHttp, overStdio, placeFor, type Loose, type Place } from "./serve/program.ts"
import { pauses } from "../support/pause.ts"

const CARRIER = inFixtures("telemetry/carrier.ts")
/** Stands in arguments, results, errors, stderr, a secret and baggage, and must be in nothing that is exported. */
const CANARY = "canary-c0ffee-c0ffee"
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SPAN = "00f067aa0ba902b7"
const META = {
  traceparent: `00-${TRACE}-${SPAN}-01`,
  tracestate: "rojo=00f067aa0ba902b7",
  baggage: `user=${CANARY}`
}

/** Of the collector: from a reference, and as it stands in the configuration. */
const SECRET = "collector-token-0815-0815"
const PLAIN = "plain-key-4711-4711"

const stdioServer = { command: process.execPath, args: [CARRIER, "--stderr", CANARY], env: { TOKEN: CANARY } }

/** The same server over HTTP, for the Scope. */
const httpServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = spawn(process.execPath, [CARRIER, "--http"], { stdio: ["ignore", "pipe", "inherit"] })
    for await (const port of createInterface({ input: child.stdout }))
      return { child, url: `http://127.0.0.1:${port}/mcp` }
    throw new Error("it did not start")
  }),
  ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
)

const exporting = ({ url }: Collector, more: Readonly<Record<string, string>> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: "100",
  OTEL_METRIC_EXPORT_INTERVAL: "100",
  ...more
})

const tokenOf = ({ home }: Place) => readFileSync(join(home, "serve", "token"), "utf8").trim()

const reached = (era: Era, place: Place, env: Readonly<Record<string, string>>) =>
  Effect.flatMap(listening(place, [], env), ({ url }) => overHttp(era, url, tokenOf(place)))

/** A port that nobody listens on now. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** With any `Host`, which `fetch` does not let through. */
const scraped = (port: number, path: string, headers: Record<string, string>) =>
  new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode, text }))
    }).on("error", reject)
  })

const configured = (servers: object, more: object = {}) => placeFor({ mcp: { servers, ...more } })

const call = (client: { readonly request: Loose }, name: string, args: object = {}, meta: object = META) =>
  Effect.promise(async (): Promise<Loose> => {
    try {
      return await client.request("tools/call", { name: `mcp_carrier_${name}`, arguments: args, _meta: meta })
    } catch (error) {
      return error
    }
  })

const carriedIn = (result: Loose) => JSON.parse(/\{(?:"meta"|"headers").*\}/.exec(result.content[0].text)![0])

const named = (spans: ReadonlyArray<Span>, kind: string, name: string) =>
  spans.find((span) => span.name === name && span.kind === `SPAN_KIND_${kind}`)

/** From the last span up to the first, by name. */
const pathOf = (spans: ReadonlyArray<Span>, last: Span): ReadonlyArray<string> => {
  const above = spans.find(({ spanId }) => spanId === last.parentSpanId)
  return [last.name, ...(above === undefined ? [] : pathOf(spans, above))]
}

const nothingOf = (collector: Collector) => {
  assert.deepStrictEqual(collector.faults, [])
  for (const { text } of collector.got) assert.notInclude(text, CANARY)
}

const ASKING: Answers = { elicit: async () => ({ action: "accept", content: { decision: "once" } }) }

describe("one trace", () => {
  for (const era of ERAS) {
    const ways = [
      ["stdio", "http/protobuf"],
      ["http", "http/json"]
    ] as const
    for (const [over, protocol] of ways) {
      it.live(`goes from a client of ${era} over ${over} to a server over stdio and back, as ${protocol}`, () =>
        Effect.gen(function* () {
          const collector = yield* makeCollector
          const place = yield* configured({ carrier: stdioServer })
          const env = exporting(collector, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol })
          const client = over === "stdio" ? yield* overStdio(era, place, {}, [], env) : yield* reached(era, place, env)
          yield* listed(client, "tools/list", "mcp_carrier_carried")
          const { headers, meta } = carriedIn(yield* call(client, "carried", { CANARY }))
          const sent = yield* collector.until(({ spans }) => named(spans(), "CLIENT", "tools/call carried"))
          yield* collector.until(({ spans }) => named(spans(), "SERVER", "tools/call mcp_carrier_carried"))
          const spans = collector.spans()
          assert.strictEqual(meta.traceparent, `00-${TRACE}-${sent.spanId}-01`)
          assert.strictEqual(meta.tracestate, META.tracestate)
          assert.isUndefined(meta.baggage)
          assert.deepStrictEqual(headers, {})
          assert.deepStrictEqual(pathOf(spans, sent), [
            "tools/call carried",
            "dispatch",
            "execute_tool mcp_carrier_carried",
            "tools/call mcp_carrier_carried"
          ])
          const asked = named(spans, "SERVER", "tools/call mcp_carrier_carried")!
          assert.include(asked, { traceId: TRACE, parentSpanId: SPAN, traceState: META.tracestate })
          // Sampled, and its parent is in another process.
          assert.strictEqual(asked.flags, 0x301)
          assert.deepInclude(asked.attributes, {
            "mcp.method.name": "tools/call",
            "gen_ai.tool.name": "mcp_carrier_carried",
            "gen_ai.operation.name": "execute_tool",
            "mcp.protocol.version": era,
            "network.transport": over === "stdio" ? "pipe" : "tcp"
          })
          assert.match(String(asked.attributes["jsonrpc.request.id"]), /^\d+$/)
          assert.deepInclude(sent.attributes, {
            "mcp.method.name": "tools/call",
            "gen_ai.tool.name": "carried",
            "mcp.protocol.version": "2025-11-25",
            "network.transport": "pipe",
            "mcp_live.server": "carrier"
          })
          assert.strictEqual(collector.resource()["service.name"], "mcp-live")
          nothingOf(collector)
        }).pipe(Effect.scoped)
      )
    }
  }

  it.live(
    "goes on in the headers to a server over HTTP, and a client's own headers begin it where its messages say nothing",
    () =>
      Effect.gen(function* () {
        const collector = yield* makeCollector
        const place = yield* configured({ carrier: { url: (yield* httpServer).url } }, { telemetry: { baggage: true } })
        const { url } = yield* listening(place, [], exporting(collector))
        const token = tokenOf(place)
        const other = "00-11111111111111111111111111111111-2222222222222222-01"
        const post = (body: object, headers: Record<string, string>) =>
          Effect.promise(async (): Promise<Loose> => {
            const response = await fetch(url, {
              method: "POST",
              headers: {
                authorization: `Bearer ${token}`,
                "content-type": "application/json",
                accept: "application/json, text/event-stream",
                ...headers
              },
              body: JSON.stringify({ jsonrpc: "2.0", ...body })
            })
            const text = await response.text()
            return { session: response.headers.get("mcp-session-id"), ...JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? "{}") }
          })
        const clientInfo = { name: "raw", version: "0" }
        const { session } = yield* post(
          { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
          {}
        )
        const inSession = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }
        yield* post({ method: "notifications/initialized" }, inSession)
        const ask = (id: number, meta: object | undefined) =>
          Effect.map(
            post(
              { id, method: "tools/call", params: { name: "mcp_carrier_carried", arguments: {}, _meta: meta } },
              { ...inSession, traceparent: other, baggage: `user=${CANARY}` }
            ),
            ({ result }) => carriedIn(result)
          )
        const both = yield* ask(1, META)
        assert.strictEqual(both.headers.traceparent, both.meta.traceparent)
        assert.match(both.meta.traceparent, new RegExp(`^00-${TRACE}-`))
        // Because the configuration says so.
        assert.strictEqual(both.meta.baggage, META.baggage)
        assert.strictEqual(both.headers.baggage, META.baggage)
        const header = yield* ask(2, undefined)
        assert.match(header.meta.traceparent, /^00-1{32}-/)
        // A request without a session, of a client whose ids are of its own choice.
        const id = 70_007
        const { text } = yield* Effect.promise(() =>
          askRaw(
            "2026-07-28",
            url,
            token,
            "tools/call",
            { name: "mcp_carrier_carried", arguments: {} },
            { id, meta: META }
          )
        )
        assert.include(text, TRACE)
        const numbered = yield* collector.until(({ spans }) =>
          spans().find(({ attributes }) => attributes["jsonrpc.request.id"] === String(id))
        )
        assert.deepInclude(numbered.attributes, { "mcp.protocol.version": "2026-07-28" })
        const linked = yield* collector.until(({ spans }) =>
          spans().find(({ kind, traceId }) => kind === "SPAN_KIND_SERVER" && traceId === TRACE)
        )
        assert.deepStrictEqual(linked.links, [{ traceId: "1".repeat(32), spanId: "2".repeat(16) }])
        const sent = yield* collector.until(({ spans }) => named(spans(), "CLIENT", "tools/call carried"))
        assert.deepInclude(sent.attributes, { "network.transport": "tcp", "server.address": "127.0.0.1" })
        assert.isNumber(sent.attributes["server.port"])
        nothingOf(collector)
      }).pipe(Effect.scoped)
  )

  it.live("has a span for the approval of a person", () =>
    Effect.gen(function* () {
      const collector = yield* makeCollector
      const place = yield* placeFor({
        mcp: { servers: { carrier: stdioServer } },
        gateway: { tools: { ask: ["carrier/carried"] } }
      })
      const client = yield* overStdio("2025-11-25", place, ASKING, [], exporting(collector))
      yield* listed(client, "tools/list", "mcp_carrier_carried")
      yield* call(client, "carried")
      const question = yield* collector.until(({ spans }) => named(spans(), "CLIENT", "elicitation/create"))
      yield* collector.until(({ spans }) => named(spans(), "SERVER", "tools/call mcp_carrier_carried"))
      assert.deepStrictEqual(pathOf(collector.spans(), question), [
        "elicitation/create",
        "approve",
        "execute_tool mcp_carrier_carried",
        "tools/call mcp_carrier_carried"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("from a malformed header is not continued", () =>
    Effect.gen(function* () {
      const collector = yield* makeCollector
      const place = yield* configured({ carrier: stdioServer })
      const client = yield* overStdio("2025-11-25", place, {}, [], exporting(collector))
      yield* listed(client, "tools/list", "mcp_carrier_carried")
      const made = { traceparent: `00-${TRACE}-${SPAN}-01-${"x".repeat(100_000)}`, tracestate: CANARY, baggage: CANARY }
      const { meta } = carriedIn(yield* call(client, "carried", {}, made))
      assert.notInclude(meta.traceparent, TRACE)
      assert.isUndefined(meta.tracestate)
      nothingOf(collector)
    }).pipe(Effect.scoped)
  )
})

describe("a line of the log", () => {
  it.live("is one JSON document where that is asked for, with the ids of the trace that it is about", () =>
    Effect.gen(function* () {
      const collector = yield* makeCollector
      const place = yield* configured({ carrier: stdioServer })
      let stderr = ""
      const client = yield* connected("2025-11-25", {
        ...launched(place, ["--log-format", "json", "--log-level", "info"], exporting(collector)),
        onStderr: (text) => (stderr += text)
      })
      yield* listed(client, "tools/list", "mcp_carrier_paints")
      yield* call(client, "paints")
      const span = yield* collector.until(({ spans }) => named(spans(), "INTERNAL", "execute_tool mcp_carrier_paints"))
      // It comes by another way than the span, and in pieces.
      const written = yield* Effect.repeat(
        Effect.sync(() => stderr.slice(0, stderr.lastIndexOf("\n") + 1)),
        { schedule: pauses, until: (whole) => whole.includes("suspicious") }
      )
      const lines = written
        .trimEnd()
        .split("\n")
        .map((line): Loose => JSON.parse(line))
      assert.isTrue(lines.every(({ level, message, time }) => level && message && !Number.isNaN(Date.parse(time))))
      const suspicious = lines.find(({ message }) => /suspicious/.test(message))
      assert.deepInclude(suspicious, { level: "warn", trace_id: TRACE, span_id: span.spanId })
      assert.notProperty(lines[0], "trace_id")
    }).pipe(Effect.scoped)
  )
})

describe("a program with a tracer of its own", () => {
  it.live("gets the same spans, below its own", () =>
    Effect.gen(function* () {
      const made: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = Tracer.nativeTracer.span(options)
          made.push(span)
          return span
        }
      })
      const place = yield* configured({ carrier: stdioServer })
      const live = McpLive({ config: place.file, dataDirectory: place.home }).pipe(
        Layer.provide(Layer.succeed(Tracer.Tracer, tracer))
      )
      const result = yield* Effect.gen(function* () {
        const { call, ready } = yield* McpRuntime
        yield* ready
        return yield* call("mcp_carrier_carried", {})
      }).pipe(Effect.withSpan("mine"), Effect.provide(live), Effect.withTracer(tracer))
      const span = (name: string) => made.find((one) => one.name === name)!
      assert.include(carriedIn(result).meta.traceparent, `-${span("tools/call carried").spanId}-`)
      assert.include(carriedIn(result).meta.traceparent, span("mine").traceId)
      assert.strictEqual(span("tools/call carried").attributes.get("mcp_live.server"), "carrier")
      assert.isDefined(span("initialize"))
    }).pipe(Effect.scoped)
  )

  it.live("gets no spans without a tracer, and no trace context is sent", () =>
    Effect.gen(function* () {
      const place = yield* configured({ carrier: stdioServer }, { telemetry: { endpoint: "http://127.0.0.1:9" } })
      const result = yield* Effect.gen(function* () {
        const { call, ready } = yield* McpRuntime
        yield* ready
        return yield* call("mcp_carrier_carried", {})
      }).pipe(Effect.withSpan("mine"), Effect.provide(McpLive({ config: place.file, dataDirectory: place.home })))
      assert.deepStrictEqual(Object.keys(carriedIn(result).meta), ["progressToken"])
    }).pipe(Effect.scoped)
  )
})

describe("what fails", () => {
  it.live("has the type of its error, and no text of it", () =>
    Effect.gen(function* () {
      const collector = yield* makeCollector
      const place = yield* configured({ carrier: stdioServer })
      const client = yield* overStdio("2025-11-25", place, {}, [], exporting(collector))
      yield* listed(client, "tools/list", "mcp_carrier_carried")
      yield* call(client, "fails", { CANARY })
      yield* call(client, "refuses", { CANARY })
      yield* call(client, `no_such_tool_${CANARY}`)
      yield* Effect.promise(() => client.request("prompts/get", { name: CANARY }).catch(() => ({})))
      const spanOf = (kind: string, name: string) => collector.until(({ spans }) => named(spans(), kind, name))
      for (const [kind, name, type] of [
        ["CLIENT", "tools/call fails", "tool_error"],
        ["SERVER", "tools/call mcp_carrier_fails", "tool_error"],
        ["INTERNAL", "execute_tool mcp_carrier_fails", "tool_error"],
        ["CLIENT", "tools/call refuses", "-32099"],
        ["INTERNAL", "execute_tool mcp_carrier_refuses", "ProtocolError"],
        ["SERVER", "tools/call mcp_carrier_refuses", "tool_error"]
      ] as const) {
        const { attributes, events, status } = yield* spanOf(kind, name)
        assert.strictEqual(attributes["error.type"], type, name)
        assert.strictEqual(status, "STATUS_CODE_ERROR", name)
        assert.deepStrictEqual(events, [])
      }
      const refused = yield* spanOf("CLIENT", "tools/call refuses")
      assert.strictEqual(refused.attributes["rpc.response.status_code"], "-32099")
      // What there is not has no name.
      const unknown = yield* spanOf("INTERNAL", "execute_tool")
      assert.strictEqual(unknown.attributes["error.type"], "ToolNotFound")
      yield* spanOf("SERVER", "tools/call")
      const prompt = yield* spanOf("SERVER", "prompts/get")
      assert.deepInclude(prompt, { status: "STATUS_CODE_UNSET" })
      assert.strictEqual(prompt.attributes["rpc.response.status_code"], "-32602")
      nothingOf(collector)
    }).pipe(Effect.scoped)
  )
})

/** The response to a request that names two hosts. */
const withTwoHosts = (port: number) => {
  const socket = connect(port, "127.0.0.1")
  socket.write("GET /metrics HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n")
  return readText(socket)
}

describe("metrics", () => {
  it.live("are those of the conventions with their attributes, and our own", () =>
    Effect.gen(function* () {
      const collector = yield* makeCollector
      const place = yield* placeFor({
        mcp: { servers: { carrier: stdioServer } },
        gateway: { tools: { deny: ["carrier/refuses"] } }
      })
      const { stop, url } = yield* listening(place, [], exporting(collector))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const client = yield* overHttp("2025-11-25", url, tokenOf(place))
          yield* listed(client, "tools/list", "mcp_carrier_carried")
          yield* call(client, "carried")
          yield* call(client, "fails")
          yield* call(client, "refuses")
          yield* collector.until(({ metrics }) => metrics().find(({ name }) => name === "mcp_live.calls.refused"))
        })
      )
      // When the program ends, it sends what is left: the sessions have ended then.
      yield* Effect.promise(() => stop())
      yield* collector.until(({ metrics }) => metrics().find(({ name }) => name === "mcp.client.session.duration"))
      yield* collector.until(({ metrics }) => metrics().find(({ name }) => name === "mcp.server.session.duration"))
      const metric = (name: string) => collector.metrics().find((one) => one.name === name)!
      for (const convention of CONVENTIONS.metrics) {
        const { kind, points, unit } = metric(convention.name!)
        assert.deepStrictEqual([kind, unit], ["histogram", convention.unit])
        for (const { attributes, boundaries, buckets, count } of points) {
          assert.deepStrictEqual(boundaries, CONVENTIONS.explicit_bucket_boundaries)
          assert.strictEqual(
            buckets.reduce((sum, each) => sum + each, 0),
            count
          )
          for (const key of required(convention)) assert.property(attributes, key)
          const strange = Object.keys(attributes).filter((key) => !allowed(convention).has(key))
          assert.isTrue(
            strange.every((key) => key.startsWith("mcp_live.") || key === "network.transport"),
            `${convention.name}: ${strange.join()}`
          )
        }
      }
      const valueOf = (name: string, attributes: object) =>
        metric(name).points.find((point) =>
          Object.entries(attributes).every(([key, value]) => point.attributes[key] === value)
        )
      assert.strictEqual(
        valueOf("mcp.client.operation.duration", { "gen_ai.tool.name": "fails", "error.type": "tool_error" })?.count,
        1
      )
      assert.strictEqual(valueOf("mcp_live.calls.refused", { "mcp_live.stage": "authorize" })?.value, 1)
      assert.strictEqual(valueOf("mcp_live.call.duration", { "mcp_live.outcome": "ok" })?.count, 1)
      assert.isAbove(valueOf("mcp_live.result.tokens", { "mcp_live.server": "carrier" })!.value, 0)
      assert.strictEqual(valueOf("mcp_live.calls.in_flight", { "mcp_live.server": "carrier" })?.value, 0)
      assert.isFalse(metric("mcp_live.calls.in_flight").isMonotonic)
      assert.isDefined(valueOf("mcp_live.servers", { "mcp_live.state": "Ready" }))
      nothingOf(collector)
    }).pipe(Effect.scoped)
  )

  it.live("are served for Prometheus to this machine alone", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const place = yield* configured({ carrier: stdioServer }, { telemetry: { prometheus: { port } } })
      const client = yield* overStdio("2025-11-25", place)
      yield* listed(client, "tools/list", "mcp_carrier_carried")
      yield* call(client, "carried")
      const scrape = (path: string, headers: Record<string, string> = {}) =>
        Effect.promise(() => scraped(port, path, headers))
      const { status, text } = yield* scrape("/metrics")
      assert.strictEqual(status, 200)
      assert.match(text, /^mcp_client_operation_duration_seconds_count\{.*gen_ai_tool_name="carried".*\} 1$/m)
      assert.match(text, /^# TYPE mcp_live_result_tokens_total counter$/m)
      assert.match(text, /^# TYPE mcp_live_servers gauge$/m)
      assert.match(text, /^mcp_live_servers\{.*mcp_live_state="Ready".*\} 1$/m)
      assert.notInclude(text, CANARY)
      // A page whose name points here.
      assert.strictEqual((yield* scrape("/metrics", { host: `evil.example:${port}` })).status, 403)
      assert.strictEqual((yield* scrape("/")).status, 404)
      // A proxy in front of us could take the other one.
      assert.match(yield* Effect.promise(() => withTwoHosts(port)), /^HTTP\/1\.1 400 /)
    }).pipe(Effect.scoped)
  )
})

describe("a collector", () => {
  for (const [how, status] of [
    ["answers with an error", 500],
    ["never answers", 0]
  ] as const) {
    it.live(`that ${how} costs one line in the log`, () =>
      Effect.gen(function* () {
        const collector = yield* makeCollector
        collector.answer(status)
        const place = yield* configured({ carrier: stdioServer })
        let stderr = ""
        const env = exporting(collector, { OTEL_EXPORTER_OTLP_TIMEOUT: "300" })
        const client = yield* connected("2025-11-25", {
          ...launched(place, [], env),
          onStderr: (text) => (stderr += text)
        })
        yield* listed(client, "tools/list", "mcp_carrier_carried")
        for (let i = 0; i < 20; i++) assert.isDefined(carriedIn(yield* call(client, "carried")).meta)
        yield* collector.until(({ got }) => (got.length >= 4 ? true : undefined))
        assert.isDefined(carriedIn(yield* call(client, "carried")).meta)
        // It comes by another way than the answers to calls.
        const lines = yield* Effect.repeat(
          Effect.sync(() => stderr.split("\n").filter((line) => line.includes("telemetry"))),
          { schedule: pauses, until: ({ length }) => length > 0 }
        )
        // One for spans and one for metrics, which have addresses of their own.
        assert.isAtMost(lines.length, 2, lines.join("\n"))
      }).pipe(Effect.scoped)
    )
  }

  it.live("with headers that HTTP does not allow gets nothing, and the log says why", () =>
    Effect.gen(function* () {
      const collector = yield* makeCollector
      const place = yield* configured({ carrier: stdioServer })
      let stderr = ""
      const env = exporting(collector, { OTEL_EXPORTER_OTLP_HEADERS: "x-key=first%0Asecond" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const client = yield* connected("2025-11-25", {
            ...launched(place, [], env),
            onStderr: (text) => (stderr += text)
          })
          yield* listed(client, "tools/list", "mcp_carrier_carried")
          assert.isDefined(carriedIn(yield* call(client, "carried")).meta)
          yield* Effect.sync(() => stderr).pipe(
            Effect.repeat({
              schedule: pauses,
              until: (text) =>
                /telemetry: a header for the collector has a character that HTTP does not allow/.test(text)
            })
          )
        })
      )
      // When the program ends, it sends what is left.
      assert.notInclude(stderr, "second")
      assert.lengthOf(collector.got, 0)
    }).pipe(Effect.scoped)
  )

  it.live("gets headers with secrets, which no server can get", () =>
    Effect.gen(function* () {
      const collector = yield* makeCollector
      const place = yield* configured(
        { carrier: stdioServer },
        {
          telemetry: {
            endpoint: collector.url,
            headers: {
              authorization: "Bearer secret://env/COLLECTOR_TOKEN",
              "x-api-key": PLAIN,
              "x-tenant": "production"
            }
          }
        }
      )
      const env = { COLLECTOR_TOKEN: SECRET, OTEL_BSP_SCHEDULE_DELAY: "100" }
      const client = yield* overStdio("2025-11-25", place, {}, [], env)
      yield* listed(client, "tools/list", "mcp_carrier_carried")
      // Another server may neither get it nor be heard with it.
      const refused = yield* call(client, "carried", { text: SECRET })
      assert.match(JSON.stringify(refused), /a secret that does not belong to this server/)
      assert.match(JSON.stringify(yield* call(client, "carried", { text: PLAIN })), /a secret that does not belong/)
      // A header that is no credential is no secret.
      assert.include(JSON.stringify(yield* call(client, "fails", { text: "production" })), "production")
      const { headers } = yield* collector.until(({ got }) => got[0])
      assert.include(headers, { authorization: `Bearer ${SECRET}`, "x-api-key": PLAIN, "x-tenant": "production" })
      nothingOf(collector)
    }).pipe(Effect.scoped)
  )
})
