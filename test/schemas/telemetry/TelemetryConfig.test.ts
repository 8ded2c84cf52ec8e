import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_TELEMETRY } from "../../../src/schemas/telemetry/TelemetryConfig.ts"
import { decode, errorsOf, warningsOf } from "../config/decoding.ts"

const X = `servers: { x: { command: "a" } }`
const inMcp = (telemetry: string) => `{ mcp: { telemetry: ${telemetry}, ${X} } }`

describe("the section for telemetry", () => {
  it("may be left out, as may everything in it", () => {
    assert.deepStrictEqual(decode(`{ mcp: { ${X} } }`).telemetry, DEFAULT_TELEMETRY)
    assert.deepStrictEqual(decode(inMcp("{}")).telemetry, DEFAULT_TELEMETRY)
  })

  it("takes every key, under mcp and beside servers", () => {
    const telemetry = {
      endpoint: "https://otlp.example.com/base",
      protocol: "http/json",
      headers: { authorization: "Bearer secret://env/TOKEN" },
      traces: false,
      metrics: false,
      sampleRatio: 0.25,
      baggage: true,
      people: true,
      serviceName: "gateway",
      resource: { "deployment.environment.name": "test" },
      prometheus: { host: "0.0.0.0", port: 9999, token: "secret://env/SCRAPE" }
    } as const
    const text = JSON.stringify(telemetry)
    assert.deepStrictEqual(decode(inMcp(text)).telemetry, telemetry)
    assert.deepStrictEqual(decode(`{ telemetry: ${text}, ${X} }`).telemetry, telemetry)
  })

  it("serves Prometheus on this machine, if nothing else is said", () => {
    assert.deepStrictEqual(decode(inMcp("{ prometheus: {} }")).telemetry?.prometheus, { host: "127.0.0.1", port: 9464 })
  })

  it("does not open the metrics to others without a token", () => {
    assert.deepStrictEqual(errorsOf(inMcp(`{ prometheus: { host: "0.0.0.0" } }`)), [
      "openclaw.json:1: mcp.telemetry.prometheus: needs a `token` if its `host` is no loopback address: otherwise anybody could read it"
    ])
  })

  it("refuses what it does not know, and shows no credential", () => {
    const wrong = `{ endpiont: "x", endpoint: "https://me:s3cret@otlp.example.com", protocol: "grpc", sampleRatio: 2 }`
    const errors = errorsOf(inMcp(wrong))
    assert.lengthOf(errors, 4)
    assert.match(errors[0]!, /did you mean "endpoint"/)
    assert.match(errors[1]!, /credentials belong in headers/)
    assert.match(errors[2]!, /"http\/protobuf" or "http\/json"/)
    assert.match(errors[3]!, /from 0 to 1/)
    assert.notInclude(errors.join("\n"), "s3cret")
  })

  it("of another program is left alone", () => {
    assert.deepStrictEqual(decode(`{ telemetry: { enabled: true }, mcp: { ${X} } }`).telemetry, DEFAULT_TELEMETRY)
    assert.deepStrictEqual(warningsOf(`{ telemetry: { enabled: true }, mcp: { ${X} } }`), [])
  })
})
