/** Names that say which life of which node gave them. */
import { assert, describe, it } from "@effect/vitest"
import { makeNames } from "../../../../src/layers/fleet/SessionDirectory/names.ts"
import type { FleetNode } from "../../../../src/schemas/fleet/Node.ts"

const self = { name: "node-1", incarnation: "aa11" }
const other = { name: "node-2", incarnation: "bb22" } as FleetNode

const names = makeNames({ self, node: (name) => (name === other.name ? other : undefined) })

describe("a name of a fleet", () => {
  it("leads to the node that gave it, as long as that life of it goes on", () => {
    assert.deepStrictEqual(names.homeOf(names.nameOf("x")), self)
    assert.deepStrictEqual(names.homeOf("node-2.bb22.x"), { name: "node-2", incarnation: "bb22" })
    assert.isUndefined(names.homeOf("node-2.an-earlier-one.x"))
    assert.isUndefined(names.homeOf("node-2.cc33.x"))
    assert.isUndefined(names.homeOf("node-3.bb22.x"))
  })

  it("is a header value, and nothing that a database does not take", () => {
    assert.isTrue(names.isName("node-1.aa11.aZ0_-.Q"))
    for (const wrong of [
      "",
      "x",
      "node-1.aa11",
      "node-1.aa11.",
      "node-1.aa11.x\u0000",
      `node-1.aa11.${"x".repeat(300)}`
    ]) {
      assert.isFalse(names.isName(wrong), wrong)
    }
  })
})
