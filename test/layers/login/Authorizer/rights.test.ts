import { assert, describe, it } from "@effect/vitest"
import { makeRights } from "../../../../src/layers/login/Authorizer/rights.ts"
import {
  MORE_RIGHTS_MAX,
  MORE_RIGHTS_WINDOW_MS,
  REFUSED_RIGHTS_MAX
} from "../../../../src/schemas/defaults/Authorization.ts"

describe("asking for more scopes", () => {
  it("happens once per set of scopes, in any order, until they are granted", () => {
    const rights = makeRights()
    assert.isFalse(rights.ask([], 0))
    assert.isTrue(rights.ask(["a", "b"], 0))
    assert.isFalse(rights.ask(["b", "a"], 0))
    rights.given(["b", "a"])
    assert.isTrue(rights.ask(["a", "b"], 0))
  })

  it("happens a limited number of times per window", () => {
    const rights = makeRights()
    const asked = (now: number) => Array.from({ length: 9 }, (_, n) => rights.ask([`${now}-${n}`], now))
    assert.lengthOf(asked(0).filter(Boolean), MORE_RIGHTS_MAX)
    assert.lengthOf(asked(MORE_RIGHTS_WINDOW_MS).filter(Boolean), MORE_RIGHTS_MAX)
  })

  it("remembers a limited number of scopes that were not granted", () => {
    const rights = makeRights()
    const at = (n: number) => n * MORE_RIGHTS_WINDOW_MS
    for (let n = 0; n <= REFUSED_RIGHTS_MAX; n++) assert.isTrue(rights.ask([`right-${n}`], at(n)))
    assert.isFalse(rights.ask(["right-1"], at(100)))
    assert.isTrue(rights.ask(["right-0"], at(100)))
  })
})
