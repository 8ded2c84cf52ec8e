import { assert, describe, it } from "@effect/vitest"
import { addressOf } from "../../../src/layers/McpListener/addresses.ts"
import { LISTENER_ONLY_MAX_CHARS } from "../../../src/schemas/Defaults.ts"

describe("the address that a request is for", () => {
  it("is that of everything, or of one name, decoded", () => {
    assert.deepStrictEqual(addressOf("/mcp", true), { only: undefined })
    assert.deepStrictEqual(addressOf("/mcp?x=/y", false), { only: undefined })
    assert.deepStrictEqual(addressOf("/mcp/files?x", true), { only: "files" })
    assert.deepStrictEqual(addressOf("/mcp/a%2Fb%20%C3%A9", true), { only: "a/b é" })
    assert.deepStrictEqual(addressOf(`/mcp/${"a".repeat(LISTENER_ONLY_MAX_CHARS)}`, true), {
      only: "a".repeat(LISTENER_ONLY_MAX_CHARS)
    })
  })

  it("is none of another form, without names one of them, and none that is too long", () => {
    const long = `/mcp/${"a".repeat(LISTENER_ONLY_MAX_CHARS + 1)}`
    for (const target of ["", "/", "/mcp/", "/mcp//", "/mcp/a/", "/mcp/a/b", "/mcpx", "/x/mcp", "/mcp/%", long]) {
      assert.isUndefined(addressOf(target, true), target)
    }
    assert.isUndefined(addressOf("/mcp/files", false))
  })
})
