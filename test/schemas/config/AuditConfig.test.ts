import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_AUDIT } from "../../../src/schemas/config/AuditConfig.ts"
import { decode, errorsOf, warningsOf } from "./decoding.ts"

const X = `servers: { x: { command: "a" } }`
const inMcp = (audit: string) => `{ mcp: { audit: ${audit}, ${X} } }`

describe('the section "audit" of the configuration', () => {
  it("may be left out or empty", () => {
    assert.deepStrictEqual(decode(`{ mcp: { ${X} } }`).audit, DEFAULT_AUDIT)
    assert.deepStrictEqual(decode(inMcp("{}")).audit, DEFAULT_AUDIT)
  })

  it("accepts every key, under mcp and beside servers", () => {
    const audit = { enabled: false, maxBytes: 65_536, maxFiles: 1 }
    const text = JSON.stringify(audit)
    assert.deepStrictEqual(decode(inMcp(text)).audit, audit)
    assert.deepStrictEqual(decode(`{ audit: ${text}, ${X} }`).audit, audit)
    assert.deepStrictEqual(decode(`{ audit: ${text}, mcpServers: { x: { command: "a" } } }`).audit, audit)
  })

  it("refuses unknown keys and numbers out of range", () => {
    assert.deepStrictEqual(errorsOf(inMcp(`{ maxFile: 2, enabled: "no", maxBytes: 1000, maxFiles: 0 }`)), [
      'openclaw.json:1: mcp.audit.maxFile: unknown key, did you mean "maxFiles"?',
      'openclaw.json:1: mcp.audit.enabled: must be true or false, is "no"',
      "openclaw.json:1: mcp.audit.maxBytes: must be a number of bytes, at least 65536, is 1000",
      "openclaw.json:1: mcp.audit.maxFiles: must be a number of files, at least 1, is 0"
    ])
    assert.deepStrictEqual(errorsOf(inMcp("false")), ["openclaw.json:1: mcp.audit: must be an object, is false"])
  })

  it("may be given in one place only, and not for an agent", () => {
    assert.deepStrictEqual(errorsOf(`{ audit: {}, mcp: { audit: {} }, ${X} }`), [
      'openclaw.json:1: audit: means the same as "mcp.audit", which is also given: keep one'
    ])
    assert.deepStrictEqual(errorsOf(`{ agents: { defaults: { mcp: { audit: {}, ${X} } } } }`), [
      'openclaw.json:1: agents.defaults.mcp.audit: belongs in the top-level "mcp" only'
    ])
  })

  it("of another program is ignored, and ours in the wrong place has a warning", () => {
    assert.deepStrictEqual(decode(`{ audit: { enabled: false }, mcp: { ${X} } }`).audit, DEFAULT_AUDIT)
    assert.deepStrictEqual(warningsOf(`{ audit: { enabled: false, sink: "x" }, mcp: { ${X} } }`), [])
    assert.deepStrictEqual(warningsOf(`{ audit: { maxFiles: 2 }, mcp: { ${X} } }`), [
      'openclaw.json:1: audit: has no effect here: it belongs under "mcp.audit"'
    ])
  })
})
