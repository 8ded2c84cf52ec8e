import { assert, describe, it } from "@effect/vitest"
import { deniesName } from "../../../../src/programs/openclawPlugin/policy.ts"

const denied = (config: unknown, agent = "main") =>
  ["mcp_a_read", "mcp_a_write", "mcp_b_read"].filter(deniesName(config, agent, "mcp_live"))

describe("deniesName", () => {
  it("matches names and patterns of all agents, of the defaults and of the agent", () => {
    assert.deepStrictEqual(denied({ tools: { deny: [" MCP_A_* "] } }), ["mcp_a_read", "mcp_a_write"])
    const agents = {
      defaults: { tools: { deny: ["mcp_b_read"] } },
      entries: { main: { tools: { deny: ["mcp_a_read"] } }, other: { tools: { deny: ["mcp_a_write"] } } },
      list: [{ id: "main", tools: { deny: ["mcp_a_write"] } }]
    }
    assert.deepStrictEqual(denied({ agents }), ["mcp_a_read", "mcp_a_write", "mcp_b_read"])
    assert.deepStrictEqual(denied({ agents }, "other"), ["mcp_a_write", "mcp_b_read"])
  })

  it("includes what is denied for some senders or sandboxes only", () => {
    assert.deepStrictEqual(denied({ tools: { sandbox: { tools: { deny: ["mcp_a_read"] } } } }), ["mcp_a_read"])
    assert.deepStrictEqual(denied({ tools: { bySender: [{ deny: ["mcp_b_*"] }] } }), ["mcp_b_read"])
  })

  it("ignores patterns that also match the single tool, and accepts any shape", () => {
    for (const deny of [["*"], ["mcp_*"], ["group:plugins"], "mcp_a_read", [4, null], {}]) {
      assert.deepStrictEqual(denied({ tools: { deny } }), [])
    }
    for (const config of [undefined, null, [], "x", { tools: [] }, { agents: { list: [null], entries: 4 } }]) {
      assert.deepStrictEqual(denied(config), [])
    }
  })
})
