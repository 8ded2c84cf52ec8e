import { assert, describe, it } from "@effect/vitest"
import { makeWrongTokens, networkOf } from "../../../../src/layers/login/TokenVerifier/wrongTokens.ts"
import {
  WRONG_TOKENS_ADDRESSES_MAX,
  WRONG_TOKENS_BURST,
  WRONG_TOKENS_PER_MINUTE
} from "../../../../src/schemas/defaults/Clients.ts"

const checkedOf = (mayCheck: (address: string) => boolean, address: string, times: number): number =>
  Array.from({ length: times }, () => mayCheck(address)).filter(Boolean).length

describe("wrong tokens of an address", () => {
  it("are checked up to a burst, and then so many a minute; those of other addresses are none of its business", () => {
    let now = 0
    const { mayCheck } = makeWrongTokens(() => now)
    assert.strictEqual(checkedOf(mayCheck, "192.0.2.1", WRONG_TOKENS_BURST * 2), WRONG_TOKENS_BURST)
    assert.isTrue(mayCheck("192.0.2.2"))
    now += 1_000
    assert.strictEqual(checkedOf(mayCheck, "192.0.2.1", WRONG_TOKENS_BURST), WRONG_TOKENS_PER_MINUTE / 60)
  })

  it("are only those that were wrong", () => {
    const { mayCheck, wasRight } = makeWrongTokens(() => 0)
    for (let i = 0; i < WRONG_TOKENS_BURST * 2; i++) {
      assert.isTrue(mayCheck("192.0.2.1"))
      wasRight("192.0.2.1")
    }
  })

  it("are counted for so many addresses, and for those that sent some last", () => {
    const { mayCheck } = makeWrongTokens(() => 0)
    checkedOf(mayCheck, "192.0.2.1", WRONG_TOKENS_BURST)
    for (let i = 1; i < WRONG_TOKENS_ADDRESSES_MAX; i++) mayCheck(`address ${i}`)
    assert.isFalse(mayCheck("192.0.2.1"))
  })

  it("over IPv6 are those of the network that one customer has", () => {
    for (const [address, network] of [
      ["192.0.2.1", "192.0.2.1"],
      ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
      ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
      ["2001:db8::6", "2001:db8:0:0::/64"],
      ["2001:db8::2:3:4:5:6", "2001:db8:0:2::/64"],
      ["::1", "0:0:0:0::/64"]
    ] as const) {
      assert.strictEqual(networkOf(address), network)
    }
  })
})
