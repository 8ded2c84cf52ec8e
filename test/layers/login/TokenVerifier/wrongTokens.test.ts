import { assert, describe, it } from "@effect/vitest"
import { makeWrongTokens, type WrongTokens } from "../../../../src/layers/login/TokenVerifier/wrongTokens.ts"
import {
  RENEWALS_BURST,
  RENEWALS_MAX,
  RENEWALS_PER_MINUTE,
  WRONG_TOKENS_ADDRESSES_MAX,
  WRONG_TOKENS_BURST,
  WRONG_TOKENS_PER_MINUTE
} from "../../../../src/schemas/defaults/Clients.ts"

const LIMITS = { burst: WRONG_TOKENS_BURST, perMinute: WRONG_TOKENS_PER_MINUTE }

const checkedOf = ({ check }: WrongTokens, address: string, times: number, holder?: string): number =>
  Array.from({ length: times }, () => check(address, holder)).filter((wasRight) => wasRight !== undefined).length

describe("wrong tokens of an address", () => {
  it("are checked up to a burst, and then so many a minute; those of other addresses are none of its business", () => {
    let now = 0
    const tokens = makeWrongTokens(() => now, LIMITS)
    assert.strictEqual(checkedOf(tokens, "192.0.2.1", WRONG_TOKENS_BURST * 2), WRONG_TOKENS_BURST)
    assert.isDefined(tokens.check("192.0.2.2"))
    now += 1_000
    assert.strictEqual(checkedOf(tokens, "192.0.2.1", WRONG_TOKENS_BURST), WRONG_TOKENS_PER_MINUTE / 60)
  })

  it("may be looked at without being counted", () => {
    const tokens = makeWrongTokens(() => 0, LIMITS)
    tokens.check("192.0.2.1", "ada")?.()
    for (let i = 0; i < WRONG_TOKENS_BURST * 2; i++) assert.isTrue(tokens.mayCheck("192.0.2.1"))
    assert.strictEqual(checkedOf(tokens, "192.0.2.1", WRONG_TOKENS_BURST * 2), WRONG_TOKENS_BURST)
    assert.isFalse(tokens.mayCheck("192.0.2.1"))
    assert.isFalse(tokens.mayCheck("192.0.2.1", "made up"))
    assert.isTrue(tokens.mayCheck("192.0.2.1", "ada"))
    assert.isTrue(tokens.mayCheck("192.0.2.2"))
  })

  it("are only those that were wrong", () => {
    const { check } = makeWrongTokens(() => 0, LIMITS)
    for (let i = 0; i < WRONG_TOKENS_BURST * 2; i++) {
      const wasRight = check("192.0.2.1")
      assert.isDefined(wasRight)
      wasRight?.()
    }
  })

  it("are counted for so many addresses, and for those that sent some last", () => {
    const tokens = makeWrongTokens(() => 0, LIMITS)
    checkedOf(tokens, "192.0.2.1", WRONG_TOKENS_BURST)
    for (let i = 1; i < WRONG_TOKENS_ADDRESSES_MAX; i++) tokens.check(`address ${i}`)
    assert.isUndefined(tokens.check("192.0.2.1"))
  })

  it("of a holder whose token was right have a budget of their own, which is small", () => {
    let now = 0
    const tokens = makeWrongTokens(() => now, LIMITS)
    tokens.check("192.0.2.1", "ada")?.()
    checkedOf(tokens, "192.0.2.1", WRONG_TOKENS_BURST)
    assert.isUndefined(tokens.check("192.0.2.1", "made up"))
    for (let i = 0; i < RENEWALS_BURST * 2; i++) {
      const wasRight = tokens.check("192.0.2.1", "ada")
      assert.isDefined(wasRight)
      wasRight?.()
    }
    assert.strictEqual(checkedOf(tokens, "192.0.2.1", RENEWALS_BURST * 2, "ada"), RENEWALS_BURST)
    now += 60_000
    checkedOf(tokens, "192.0.2.1", WRONG_TOKENS_BURST)
    assert.strictEqual(checkedOf(tokens, "192.0.2.1", RENEWALS_BURST * 2, "ada"), RENEWALS_PER_MINUTE)
  })

  it("of holders are remembered for so many", () => {
    const tokens = makeWrongTokens(() => 0, LIMITS)
    for (let i = 0; i <= RENEWALS_MAX; i++) tokens.check("192.0.2.1", `holder ${i}`)?.()
    checkedOf(tokens, "192.0.2.1", WRONG_TOKENS_BURST)
    assert.isUndefined(tokens.check("192.0.2.1", "holder 0"))
    assert.isDefined(tokens.check("192.0.2.1", `holder ${RENEWALS_MAX}`))
  })

  it("over IPv6 are those of the network that one customer has", () => {
    const tokens = makeWrongTokens(() => 0, LIMITS)
    for (let i = 0; i < WRONG_TOKENS_BURST; i++) tokens.check(`2001:db8:1:2::${i.toString(16)}`)
    assert.isUndefined(tokens.check("2001:db8:1:2:ffff::1"))
    assert.isDefined(tokens.check("2001:db8:1:3::1"))
  })
})
