import { assert, describe, it } from "@effect/vitest"
import { makeForClient } from "../../../../src/layers/call/McpRuntime/forClient.ts"
import type { Origin } from "../../../../src/schemas/call/Origin.ts"

describe("as whom a call is known", () => {
  it("each client of an agent has one object of its own, the same for each of its calls", () => {
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
