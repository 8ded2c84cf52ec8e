import { assert, describe, it } from "@effect/vitest"
import { makeForClient } from "../../../../src/layers/call/McpRuntime/forClient.ts"
import type { Origin } from "../../../../src/schemas/call/Origin.ts"

describe("makeForClient", () => {
  it("returns the same object for each call of one client, and another one for other clients", () => {
    const forClient = makeForClient<Origin>()
    const [a, b]: readonly [Origin, Origin] = [{ server: "a" }, { server: "b" }]
    assert.strictEqual(forClient(a, {}), a)
    const ofOne = forClient(a, { client: "one" })
    assert.deepStrictEqual(ofOne, { server: "a", client: "one" })
    assert.strictEqual(forClient(a, { client: "one" }), ofOne)
    assert.notStrictEqual(forClient(a, { client: "two" }), ofOne)
    assert.deepStrictEqual(forClient(b, { client: "one" }), { server: "b", client: "one" })
  })
})
