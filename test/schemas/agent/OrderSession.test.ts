import { assert, describe, it } from "@effect/vitest"
import { freshSessionKey, orderKey, ownerOf } from "../../../src/schemas/agent/OrderSession.ts"

describe("session keys of MCP clients", () => {
  it("are new each time, with the time and 96 random bits", () => {
    const key = freshSessionKey(1_700_000_000_000)
    assert.match(key, /^mcp-1700000000000-[0-9a-f]{24}$/)
    assert.strictEqual(new Set(Array.from({ length: 1_000 }, () => freshSessionKey(1))).size, 1_000)
  })

  it("differ by client, agent and key", () => {
    const clients = [
      [{ principal: "a" }, "k"],
      [{ principal: "a" }, "k2"],
      [{ principal: "b" }, "k"],
      [{ principal: "a", agent: "x" }, "k"],
      [{ principal: "a", agent: "null" }, "k"],
      [{ principal: 'a","x' }, "k"],
      [{ principal: "a", agent: undefined }, 'null,"k']
    ] as const
    assert.strictEqual(new Set(clients.map(([client, key]) => orderKey(client, key))).size, clients.length)
    assert.strictEqual(orderKey({ principal: "a" }, "k"), orderKey({ principal: "a", agent: undefined }, "k"))
  })

  it("have one owner per client, and other keys have none", () => {
    const owner = (principal: string, key: string, agent?: string) => ownerOf(orderKey({ principal, agent }, key))
    assert.strictEqual(owner("a", "k"), owner("a", "k2", "x"))
    assert.notStrictEqual(owner("a", "k"), owner("b", "k"))
    for (const key of ["", "agent:main:main", "0f0e1bd5-4a57-4a3e-9c55-3a3bd5cf1d5a", "order-1"]) {
      assert.strictEqual(ownerOf(key), "")
    }
  })

  it("never have the form of an ACP session's id, whatever the client gives", () => {
    const session = "0f0e1bd5-4a57-4a3e-9c55-3a3bd5cf1d5a"
    for (const key of [session, "agent:main:main", orderKey({ principal: "a" }, "k")]) {
      assert.match(orderKey({ principal: "b" }, key), /^order-[0-9a-f]{40}$/)
      assert.notStrictEqual(orderKey({ principal: "b" }, key), key)
    }
  })
})
