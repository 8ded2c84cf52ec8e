import { assert, describe, it } from "@effect/vitest"
import { OTLP_METRICS_EVERY_MS, OTLP_SPANS_EVERY_MS, OTLP_TIMEOUT_MS } from "../../../src/schemas/defaults/Telemetry.ts"
import { DEFAULT_TELEMETRY, type TelemetryConfig } from "../../../src/schemas/telemetry/TelemetryConfig.ts"
import { telemetrySettings, type Environment } from "../../../src/schemas/telemetry/TelemetrySettings.ts"

const settings = (config: Partial<TelemetryConfig> = {}, env: Environment = {}) =>
  telemetrySettings({ ...DEFAULT_TELEMETRY, ...config }, env)

const HERE = "http://127.0.0.1:4318"
const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: HERE }

describe("the settings of telemetry", () => {
  it("are none where nobody asks for any", () => {
    assert.isUndefined(settings())
    assert.isUndefined(settings({}, { OTEL_SERVICE_NAME: "x", OTEL_EXPORTER_OTLP_ENDPOINT: "" }))
  })

  it("come from the configuration", () => {
    const { metrics, prometheus, resource, sampling, traces } = settings({
      endpoint: `${HERE}/otlp/`,
      protocol: "http/json",
      headers: { authorization: "secret://env/X" },
      resource: { "deployment.environment.name": "test" }
    })!
    assert.deepStrictEqual(traces, {
      url: `${HERE}/otlp/v1/traces`,
      protocol: "http/json",
      headers: { authorization: "secret://env/X" },
      timeoutMs: OTLP_TIMEOUT_MS,
      everyMs: OTLP_SPANS_EVERY_MS
    })
    assert.strictEqual(metrics?.url, `${HERE}/otlp/v1/metrics`)
    assert.strictEqual(metrics?.everyMs, OTLP_METRICS_EVERY_MS)
    assert.isUndefined(prometheus)
    assert.deepStrictEqual(sampling, { ratio: 1, followsParent: true })
    assert.deepStrictEqual(resource, { "deployment.environment.name": "test", "service.name": "mcp-live" })
  })

  it("come from the variables first", () => {
    const { metrics, resource, sampling, traces } = settings(
      { endpoint: "http://elsewhere:1", headers: { a: "b" }, serviceName: "configured", sampleRatio: 0.5 },
      {
        ...ON,
        OTEL_EXPORTER_OTLP_HEADERS: "api-key=k%20ey, x=y=z",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/own",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "only=traces",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/protobuf",
        OTEL_EXPORTER_OTLP_TIMEOUT: "500",
        OTEL_METRIC_EXPORT_INTERVAL: "2000",
        OTEL_BSP_SCHEDULE_DELAY: "150",
        OTEL_SERVICE_NAME: "named",
        OTEL_RESOURCE_ATTRIBUTES: "service.name=other,host.name=a%2Cb",
        OTEL_TRACES_SAMPLER: "traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.25"
      }
    )!
    assert.deepStrictEqual(traces, {
      url: "https://traces.example/own",
      protocol: "http/json",
      headers: { only: "traces" },
      timeoutMs: 500,
      everyMs: 150
    })
    assert.deepStrictEqual(metrics, {
      url: `${HERE}/v1/metrics`,
      protocol: "http/protobuf",
      headers: { "api-key": "k ey", x: "y=z" },
      timeoutMs: 500,
      everyMs: 2000
    })
    assert.deepStrictEqual(resource, { "service.name": "named", "host.name": "a,b" })
    assert.deepStrictEqual(sampling, { ratio: 0.25, followsParent: false })
  })

  it("are none if OTEL_SDK_DISABLED says so", () => {
    assert.isUndefined(settings({ endpoint: HERE }, { ...ON, OTEL_SDK_DISABLED: "TRUE" }))
  })

  it("leave a signal out whose exporter is none", () => {
    const { metrics, traces } = settings({}, { ...ON, OTEL_TRACES_EXPORTER: "none" })!
    assert.isUndefined(traces)
    assert.isDefined(metrics)
    assert.isUndefined(settings({ endpoint: HERE }, { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" }))
    assert.isUndefined(settings({ endpoint: HERE, traces: false })!.traces)
  })

  it("use the usual collector where an exporter is named alone", () => {
    const { metrics, traces } = settings({}, { OTEL_TRACES_EXPORTER: "otlp" })!
    assert.strictEqual(traces?.url, "http://localhost:4318/v1/traces")
    assert.isUndefined(metrics)
  })

  it("serve Prometheus on this machine alone where a variable asks for it", () => {
    const { metrics, problems, prometheus } = settings(
      {},
      {
        ...ON,
        OTEL_METRICS_EXPORTER: "prometheus",
        OTEL_EXPORTER_PROMETHEUS_HOST: "0.0.0.0",
        OTEL_EXPORTER_PROMETHEUS_PORT: "9999"
      }
    )!
    assert.deepStrictEqual(prometheus, { host: "127.0.0.1", port: 9999 })
    assert.isUndefined(metrics)
    assert.match(problems.join(), /with a token/)
  })

  it("serve Prometheus as the configuration says, unless a variable says otherwise", () => {
    const prometheus = { host: "0.0.0.0", port: 9000, token: "t" }
    const among = (env: Environment) => settings({ endpoint: HERE, prometheus }, env)!.prometheus
    assert.deepStrictEqual(among({}), prometheus)
    assert.deepStrictEqual(among({ OTEL_METRICS_EXPORTER: "prometheus" }), prometheus)
    assert.deepStrictEqual(among({ OTEL_EXPORTER_PROMETHEUS_PORT: "9001" }), { ...prometheus, port: 9001 })
    assert.isUndefined(among({ OTEL_METRICS_EXPORTER: "none" }))
    assert.isUndefined(among({ OTEL_METRICS_EXPORTER: "otlp" }))
  })

  for (const port of ["99999", "9464.5", "0", "abc"]) {
    it(`serve Prometheus at the usual port instead of ${port}, and say so`, () => {
      const env = { OTEL_METRICS_EXPORTER: "prometheus", OTEL_EXPORTER_PROMETHEUS_PORT: port }
      const { problems, prometheus } = settings({}, env)!
      assert.strictEqual(prometheus?.port, 9464)
      assert.match(problems.join("\n"), /^OTEL_EXPORTER_PROMETHEUS_PORT must be a whole number from 1 to 65535/)
    })
  }

  for (const [name, value, problem] of [
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", /http\/protobuf is used/],
    ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/xml", /^OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be/],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317", /^OTEL_EXPORTER_OTLP_ENDPOINT must be an address with http/],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:pass@127.0.0.1:4318", /credentials belong in headers/],
    ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "nowhere", /^OTEL_EXPORTER_OTLP_METRICS_ENDPOINT must be an address/],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon", /a whole number/],
    // A timer and AbortSignal.timeout() take neither.
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "10.5", /a whole number/],
    ["OTEL_METRIC_EXPORT_INTERVAL", "99999999999", /a whole number from 100 to 2147483647/],
    ["OTEL_EXPORTER_OTLP_HEADERS", "Bearer abc", /^OTEL_EXPORTER_OTLP_HEADERS must be written as name=value/],
    ["OTEL_RESOURCE_ATTRIBUTES", "production", /^OTEL_RESOURCE_ATTRIBUTES must be written as name=value/],
    ["OTEL_TRACES_EXPORTER", "zipkin", /there are: otlp, none$/],
    ["OTEL_METRICS_EXPORTER", "prometheus,console", /there are: otlp, prometheus, none$/],
    ["OTEL_TRACES_SAMPLER", "jaeger_remote", /not a sampler/]
  ] as const) {
    it(`say what is wrong with ${name}=${value}`, () => {
      const { problems } = settings({}, { ...ON, [name]: value })!
      assert.lengthOf(problems, 1)
      assert.match(problems[0]!, problem)
      // It may be anything, also a secret.
      if (!name.endsWith("_PROTOCOL")) assert.notInclude(problems[0]!, value)
    })
  }
})
