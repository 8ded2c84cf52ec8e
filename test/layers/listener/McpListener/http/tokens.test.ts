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
      assert.isUndefined(whoHolds(given))
    assert.strictEqual(whoHolds("bearer a-token")?.principal, "somebody")
  })
})
