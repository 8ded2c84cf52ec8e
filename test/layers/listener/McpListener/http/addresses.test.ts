import { assert, describe, it } from "@effect/vitest"
import { addressOf } from "../../../../../src/layers/listener/McpListener/http/addresses.ts"
import { LISTENER_ONLY_MAX_CHARS } from "../../../../../src/schemas/defaults/Listener.ts"

describe("the address that a request is for", () => {
  it("is that of everything, or of one name, decoded", () => {
    for (const kind of ["mcp", "sse"] as const) {
      const only = (name: string | undefined) => ({ kind, only: name })
      assert.deepStrictEqual(addressOf(`/${kind}`, true), only(undefined))
      assert.deepStrictEqual(addressOf(`/${kind}?x=/y`, false), only(undefined))
      assert.deepStrictEqual(addressOf(`/${kind}/files?x`, true), only("files"))
      assert.deepStrictEqual(addressOf(`/${kind}/a%2Fb%20%C3%A9`, true), only("a/b é"))
      const long = "a".repeat(LISTENER_ONLY_MAX_CHARS)
      assert.deepStrictEqual(addressOf(`/${kind}/${long}`, true), only(long))
    }
  })

  it("is the one for messages of clients with a stream", () => {
    assert.deepStrictEqual(addressOf("/messages?sessionId=x", false), { kind: "messages", only: undefined })
    assert.isUndefined(addressOf("/messages/x", true))
  })

  it("is none of another form, without names one of them, and none that is too long", () => {
    const long = `/mcp/${"a".repeat(LISTENER_ONLY_MAX_CHARS + 1)}`
    for (const target of ["", "/", "/mcp/", "/mcp//", "/mcp/a/", "/mcp/a/b", "/mcpx", "/x/mcp", "/mcp/%", long]) {
      assert.isUndefined(addressOf(target, true), target)
    }
    assert.isUndefined(addressOf("/mcp/files", false))
    assert.isUndefined(addressOf("/sse/files", false))
  })
})
