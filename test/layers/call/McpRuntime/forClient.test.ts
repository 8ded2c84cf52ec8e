import { assert, describe, it } from "@effect/vitest"
import { callerOf } from "../../../../src/schemas/call/Caller.ts"
import { makeForClient } from "../../../../src/layers/call/McpRuntime/forClient.ts"
import { CLIENT_IDENTITIES_MAX } from "../../../../src/schemas/defaults/Clients.ts"
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

  it("keeps those of a limited number of clients: an equal one is made for whoever did not call for longest", () => {
    const forClient = makeForClient<Origin>()
    const server: Origin = { server: "a" }
    const of = (client: string) => forClient(server, { caller: callerOf(client) })
    const [first, second] = [of("first"), of("second")]
    for (let n = 0; n < CLIENT_IDENTITIES_MAX - 2; n++) of(`other ${n}`)
    assert.strictEqual(of("first"), first)
    of("one more")
    assert.strictEqual(of("first"), first)
    assert.notStrictEqual(of("second"), second)
    assert.deepStrictEqual(of("second"), second)
  })
})
