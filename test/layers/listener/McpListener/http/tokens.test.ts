import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { makeTokens } from "../../../../../src/layers/listener/McpListener/http/tokens.ts"

describe("tokens", () => {
  it("that are empty let nobody in", () => {
    const whoHolds = makeTokens([
      { token: Redacted.make(""), principal: "nobody" },
      { token: Redacted.make("a-token"), principal: "somebody" }
    ])
    for (const given of [undefined, "", "Bearer", "Bearer ", "Basic a-token", "nonsense"])
      assert.isUndefined(whoHolds(given, {}))
    const connection = {}
    for (const given of ["bearer a-token", "bearer a-token"]) {
      assert.strictEqual(whoHolds(given, connection)?.principal, "somebody")
    }
    // What a connection has shown opens nothing for what it shows next, nor for another one.
    for (const given of [undefined, "", "bearer a-toke", "bearer a-token2"]) {
      assert.isUndefined(whoHolds(given, connection))
    }
    assert.isUndefined(whoHolds("bearer wrong", {}))
    assert.strictEqual(whoHolds("bearer a-token", {})?.principal, "somebody")
  })
})
