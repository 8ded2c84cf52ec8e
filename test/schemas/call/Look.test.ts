import { assert, describe, it } from "@effect/vitest"
import { budgetFor, contentFor, originSeenBy } from "../../../src/schemas/call/Look.ts"

const budget = { bytes: 10, blocks: 1 }
const encoded = { mode: "encode", withhold: ["pattern"] } as const

describe("the view of a call's result", () => {
  it("of an agent has the given budget, policy and origin", () => {
    const origin = { content: encoded }
    for (const look of [undefined, "agent"] as const) {
      assert.strictEqual(budgetFor(look, budget), budget)
      assert.strictEqual(contentFor(look, encoded), encoded)
      assert.strictEqual(originSeenBy(look, origin), origin)
    }
  })

  it("of a person is whole and never encoded, and withholds as for an agent", () => {
    assert.isAbove(budgetFor("person", budget).bytes, 1_000_000)
    assert.deepStrictEqual(contentFor("person", encoded), { mode: "delimit", withhold: ["pattern"] })
    assert.deepStrictEqual(contentFor("raw", encoded), { mode: "trusted", withhold: ["pattern"] })
    assert.deepStrictEqual(contentFor("raw"), { mode: "trusted", withhold: [] })
  })

  it("of a trusted server has no boundaries in any view", () => {
    const trusted = { mode: "trusted", withhold: [] } as const
    for (const look of ["agent", "person", "raw"] as const) assert.strictEqual(contentFor(look, trusted), trusted)
  })
})
