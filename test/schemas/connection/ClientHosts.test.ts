import { assert, describe, it } from "@effect/vitest"
import { deniesThisMachine, refusingKey, type HostRules } from "../../../src/schemas/connection/ClientHosts.ts"

const judge = (rules: Partial<HostRules>, url: string) => refusingKey({ denyHosts: [], ...rules }, new URL(url))

describe("hosts that a client's servers may have", () => {
  it("are all hosts by default", () => {
    for (const url of ["https://example.com/", "http://localhost:1/", "http://[::1]:1/"])
      assert.isUndefined(judge({}, url))
    assert.isFalse(deniesThisMachine({ denyHosts: [] }))
  })

  it("are those allowed and not denied", () => {
    const rules = { allowHosts: ["*.example.com", "EXAMPLE.org"], denyHosts: ["old.example.com"] }
    assert.isUndefined(judge(rules, "https://new.example.com/mcp"))
    assert.isUndefined(judge(rules, "https://example.org./mcp"))
    assert.strictEqual(judge(rules, "https://old.example.com/mcp"), "acp.denyHosts")
    assert.strictEqual(judge(rules, "https://OLD.example.com./mcp"), "acp.denyHosts")
    assert.strictEqual(judge(rules, "https://example.com/mcp"), "acp.allowHosts")
    assert.strictEqual(judge({ allowHosts: [] }, "https://example.com/mcp"), "acp.allowHosts")
  })

  it("include this machine under all its names or none", () => {
    for (const denied of ["localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0", "127.*", "*"]) {
      const denyHosts = [denied]
      assert.isTrue(deniesThisMachine({ denyHosts }), denied)
      for (const host of [
        "localhost",
        "a.localhost",
        "127.0.0.1",
        "127.8.8.8",
        "0x7f.1",
        "2130706433",
        "[::1]",
        "0.0.0.0",
        "[::]"
      ]) {
        assert.strictEqual(judge({ denyHosts }, `http://${host}:8080/mcp`), "acp.denyHosts", `${denied} ${host}`)
      }
    }
    assert.isFalse(deniesThisMachine({ denyHosts: ["*.example.com"] }))
    assert.isUndefined(judge({ allowHosts: ["localhost"] }, "http://[::1]:8080/mcp"))
  })
})
