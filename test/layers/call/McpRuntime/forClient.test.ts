import { assert, describe, it } from "@effect/vitest"
import { callerOf } from "../../../../src/schemas/call/Caller.ts"
import { makeForClient } from "../../../../src/layers/call/McpRuntime/forClient.ts"
import type { Origin } from "../../../../src/schemas/call/Origin.ts"

describe("makeForClient", () => {
  it("returns the same object for each call of one client, and another one for other clients", () => {
    const forClient = makeForClient<Origin>()
    const [a, b]: readonly [Origin, Origin] = [{ server: "a" }, { server: "b" }]
    assert.strictEqual(forClient(a, {}), a)
    const ofOne = forClient(a, { caller: callerOf("one") })
    assert.deepStrictEqual(ofOne, { server: "a", client: "one" })
    assert.strictEqual(forClient(a, { caller: callerOf("one") }), ofOne)
    assert.notStrictEqual(forClient(a, { caller: callerOf("two") }), ofOne)
    assert.deepStrictEqual(forClient(b, { caller: callerOf("one") }), { server: "b", client: "one" })
  })
})
