import { assert, describe, it } from "@effect/vitest"
import { makeOnce } from "../../../../src/programs/cli/audit/once.ts"

describe("lines from files and from a gateway", () => {
  it("are new once, whichever side is first", () => {
    const { isNew } = makeOnce()
    assert.isTrue(isNew("file", "a"))
    assert.isFalse(isNew("gateway", "a"))
    assert.isTrue(isNew("gateway", "b"))
    assert.isFalse(isNew("file", "b"))
  })

  it("of one side alone are all new, also if they are equal", () => {
    const { isNew } = makeOnce()
    assert.deepStrictEqual([isNew("file", "a"), isNew("file", "a")], [true, true])
    assert.deepStrictEqual([isNew("gateway", "a"), isNew("gateway", "a"), isNew("gateway", "a")], [false, false, true])
  })

  it("are forgotten, the oldest first, when one side is far ahead", () => {
    const { isNew } = makeOnce()
    for (let i = 0; i <= 20_000; i++) isNew("file", `${i}`)
    assert.isTrue(isNew("gateway", "0"))
    assert.isFalse(isNew("gateway", "20000"))
  })
})
