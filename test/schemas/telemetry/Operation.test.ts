import { assert, describe, it } from "@effect/vitest"
import { METRICS } from "../../../src/schemas/telemetry/Names.ts"
import {
  describe as described,
  endAttributes,
  endedBy,
  endedWith,
  plainUri,
  refusedWith,
  remoteAttributes
} from "../../../src/schemas/telemetry/Operation.ts"
import { CallTimeout, ProtocolError } from "../../../src/schemas/connection/RequestError.ts"
import { allowed, CONVENTIONS, optIn, required } from "../../support/conventions.ts"

const clean = (text: string) => text
const stdio = { transport: "stdio", protocolVersion: "2025-11-25", server: "files" } as const
const http = { transport: "http", protocolVersion: "2026-07-28", address: { host: "a.example", port: 443 } } as const

const CASES = [
  ["tools/call", { name: "read", arguments: { path: "canary" } }, "tools/call read"],
  ["prompts/get", { name: "review", arguments: { language: "canary" } }, "prompts/get review"],
  ["resources/read", { uri: "notes://me:canary@here/today?q=canary#canary" }, "resources/read"],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "review" }, argument: { value: "canary" } },
    "completion/complete review"
  ],
  ["completion/complete", { ref: { type: "ref/resource", uri: "x://{canary}" } }, "completion/complete"],
  ["tools/list", { cursor: "canary" }, "tools/list"],
  ["initialize", { clientInfo: { name: "canary" } }, "initialize"]
] as const

describe("an operation", () => {
  for (const [method, params, name] of CASES) {
    for (const [side, remote] of [
      ["client", stdio],
      ["client", http],
      ["server", { transport: "http", protocolVersion: undefined }]
    ] as const) {
      it(`${name} of ${side} over ${remote.transport} has the attributes of the conventions and no others but ours`, () => {
        const one = described(method, params, { clean, id: 7, remote })
        const ended = endAttributes({ errorType: "tool_error", statusCode: "-32000" })
        const span = CONVENTIONS.spans.find(({ type }) => type === `mcp.${side}`)!
        const metric = CONVENTIONS.metrics.find((entry) => entry.name === `mcp.${side}.operation.duration`)!
        assert.strictEqual(one.name, name)
        for (const [given, group] of [
          [one.span, span],
          [one.metric, metric]
        ] as const) {
          const names = Object.keys({ ...given, ...ended })
          const theirs = names.filter((key) => !key.startsWith("mcp_live."))
          const missing = (side === "server" ? theirs.filter((key) => !key.startsWith("server.")) : theirs).filter(
            (key) => !allowed(group).has(key)
          )
          assert.deepStrictEqual(missing, [], "not of the conventions")
          for (const key of required(group)) assert.property(given, key)
          for (const key of optIn(group)) assert.notProperty(given, key)
        }
        assert.strictEqual(one.span["jsonrpc.request.id"], "7")
        assert.notInclude(JSON.stringify(one), "canary")
      })
    }
  }

  it("says how it was carried", () => {
    assert.deepStrictEqual(remoteAttributes(stdio), {
      "network.transport": "pipe",
      "mcp.protocol.version": "2025-11-25",
      "mcp_live.server": "files"
    })
    assert.deepStrictEqual(remoteAttributes(http), {
      "network.transport": "tcp",
      "network.protocol.name": "http",
      "mcp.protocol.version": "2026-07-28",
      "server.address": "a.example",
      "server.port": 443
    })
  })

  it("of a tool is also one of an agent", () => {
    const { metric, span } = described("tools/call", { name: "read" }, { clean, id: 1, remote: stdio })
    for (const given of [metric, span]) {
      assert.include(given, { "gen_ai.tool.name": "read", "gen_ai.operation.name": "execute_tool" })
    }
  })

  it("says of a resource where it is, and no more", () => {
    assert.strictEqual(plainUri("https://me:pw@a.example/x/y?token=1#z"), "https://a.example/x/y")
    assert.strictEqual(plainUri("file:///home/me/a.txt"), "file:///home/me/a.txt")
  })
})

describe("the end of an operation", () => {
  const refusal = (code: number | null) => new ProtocolError({ server: "s", code, detail: "canary" })

  it("is an error if the tool says so", () => {
    assert.deepStrictEqual(endAttributes(endedWith("tools/call", { isError: true })), { "error.type": "tool_error" })
    assert.deepStrictEqual(endAttributes(endedWith("tools/call", { isError: false })), {})
    assert.deepStrictEqual(endAttributes(endedWith("resources/read", { isError: true })), {})
  })

  it("of ours is an error with every code, and names none that is no number of a code", () => {
    const attributes = (code: number | null) => endAttributes(endedBy(refusal(code)))
    assert.deepStrictEqual(attributes(-32_602), { "error.type": "-32602", "rpc.response.status_code": "-32602" })
    assert.deepStrictEqual(attributes(1e300), { "error.type": "_OTHER", "rpc.response.status_code": "_OTHER" })
    assert.deepStrictEqual(attributes(null), { "error.type": "ProtocolError" })
    const late = new CallTimeout({ server: "s", method: "tools/call", timeoutMs: 1, deadline: "idle" })
    assert.deepStrictEqual(endAttributes(endedBy(late)), { "error.type": "timeout" })
  })

  it("of a client's is an error only if it is our fault", () => {
    for (const code of [-32_700, -32_600, -32_601, -32_602, -32_002]) {
      assert.deepStrictEqual(endAttributes(refusedWith(code)), { "rpc.response.status_code": String(code) })
    }
    assert.deepStrictEqual(endAttributes(refusedWith(-32_603)), {
      "error.type": "-32603",
      "rpc.response.status_code": "-32603"
    })
  })
})

describe("the metrics", () => {
  it("of the conventions are there, with their units and boundaries", () => {
    for (const { instrument, name, unit } of CONVENTIONS.metrics) {
      const ours = METRICS[name as keyof typeof METRICS]
      assert.deepStrictEqual([ours.kind, ours.unit] as ReadonlyArray<unknown>, [instrument, unit])
      assert.deepStrictEqual("boundaries" in ours && ours.boundaries, CONVENTIONS.explicit_bucket_boundaries)
    }
  })

  it("of our own have names of ours", () => {
    const theirs = new Set(CONVENTIONS.metrics.map(({ name }) => name))
    for (const name of Object.keys(METRICS)) assert.isTrue(theirs.has(name) || name.startsWith("mcp_live."), name)
  })
})
