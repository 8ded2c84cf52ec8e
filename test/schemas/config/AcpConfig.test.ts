import { assert, describe, it } from "@effect/vitest"
import { ACP, DEFAULT_ACP } from "../../../src/schemas/config/AcpConfig.ts"
import { decode, errorsOf, warningsOf } from "./decoding.ts"

const X = `servers: { x: { command: "a" } }`
const inMcp = (acp: string) => `{ mcp: { acp: ${acp}, ${X} } }`

describe('the section "acp" of the configuration', () => {
  it("may be left out or empty", () => {
    assert.deepStrictEqual(decode(`{ mcp: { ${X} } }`).acp, DEFAULT_ACP)
    assert.deepStrictEqual(decode(inMcp("{}")).acp, DEFAULT_ACP)
    assert.deepInclude(DEFAULT_ACP, { maxServers: 10, maxTools: 100, callsPerMinute: 100 })
  })

  it("accepts every key, under mcp and beside servers", () => {
    const acp = {
      backend: "openclaw",
      maxServers: 0,
      maxTools: 5,
      callsPerMinute: 0,
      burst: 3,
      toolTimeout: 5_000,
      stdio: false,
      allowPrivate: true,
      allowHosts: ["*.example.com"],
      denyHosts: ["localhost"],
      allowEnv: ["NODE_OPTIONS"],
      contextWindow: 128_000,
      dynamicTools: true,
      resourceContext: false,
      roots: false
    } as const
    const text = JSON.stringify(acp)
    assert.deepStrictEqual(decode(inMcp(text)).acp, acp)
    assert.deepStrictEqual(decode(`{ acp: ${text}, ${X} }`).acp, acp)
  })

  it("refuses unknown keys and numbers out of range", () => {
    assert.deepStrictEqual(
      errorsOf(
        inMcp(
          `{ maxServer: 2, maxServers: -1, maxTools: 1001, callsPerMinute: 60001, burst: 0, toolTimeout: 0, denyHosts: "x", allowEnv: ["LD_*"], stdio: "no" }`
        )
      ),
      [
        'openclaw.json:1: mcp.acp.maxServer: unknown key, did you mean "maxServers"?',
        "openclaw.json:1: mcp.acp.maxServers: must be a number of servers, or 0 for none, is -1",
        "openclaw.json:1: mcp.acp.maxTools: must be at most 1000, is 1001",
        "openclaw.json:1: mcp.acp.callsPerMinute: must be at most 60000, is 60001",
        "openclaw.json:1: mcp.acp.burst: must be a positive number of calls, is 0",
        "openclaw.json:1: mcp.acp.toolTimeout: must be a positive number of milliseconds, is 0",
        'openclaw.json:1: mcp.acp.stdio: must be true or false, is "no"',
        "openclaw.json:1: mcp.acp.denyHosts: must be a list of names or patterns, is a string",
        "openclaw.json:1: mcp.acp.allowEnv[0]: takes exact names, not patterns"
      ]
    )
  })

  it("refuses an unknown backend", () => {
    assert.deepStrictEqual(errorsOf(inMcp(`{ backend: "acpx" }`)), [
      'openclaw.json:1: mcp.acp.backend: must be "embedded" or "openclaw", is "acpx"'
    ])
  })

  it("may be given in one place only, and OpenClaw's own section is ignored", () => {
    assert.deepStrictEqual(errorsOf(`{ acp: {}, mcp: { acp: {} }, ${X} }`), [
      'openclaw.json:1: acp: means the same as "mcp.acp", which is also given: keep one'
    ])
    assert.deepStrictEqual(errorsOf(`{ agents: { defaults: { mcp: { acp: {}, ${X} } } } }`), [
      'openclaw.json:1: agents.defaults.mcp.acp: belongs in the top-level "mcp" only'
    ])
    assert.deepStrictEqual(decode(`{ acp: { enabled: true, backend: "acpx" }, mcp: { ${X} } }`).acp, DEFAULT_ACP)
    assert.deepStrictEqual(warningsOf(`{ acp: { enabled: true, backend: "acpx" }, mcp: { ${X} } }`), [])
    for (const ours of Object.keys(ACP.keys).map(
      (key) => `{ ${key}: ${key === "backend" ? '"embedded"' : "false"} }`
    )) {
      assert.deepStrictEqual(
        warningsOf(`{ acp: ${ours}, mcp: { ${X} } }`),
        ['openclaw.json:1: acp: has no effect here: it belongs under "mcp.acp"'],
        ours
      )
    }
  })
})
