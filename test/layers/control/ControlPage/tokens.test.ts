/** Tokens that let a browser in. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeTokens } from "../../../../src/layers/control/ControlPage/tokens.ts"
import { PAGE_TOKEN_MS, PAGE_TOKENS_MAX } from "../../../../src/schemas/defaults/Page.ts"

const tokens = Effect.map(Clock.Clock, makeTokens)

describe("a token", () => {
  it.effect("is good for one use, with the powers that it was made for", () =>
    Effect.gen(function* () {
      const { make, use } = yield* tokens
      const [looks, steers] = [make(true), make(false)]
      assert.notStrictEqual(looks, steers)
      assert.isTrue(use(looks)?.readOnly)
      assert.isFalse(use(steers)?.readOnly)
      for (const used of [looks, steers, "", "x"]) assert.isUndefined(use(used))
    })
  )

  it.effect("is good for ten minutes", () =>
    Effect.gen(function* () {
      const { make, use } = yield* tokens
      const [first, second] = [make(false), make(false)]
      yield* TestClock.adjust(PAGE_TOKEN_MS - 1)
      assert.isDefined(use(first))
      yield* TestClock.adjust(1)
      assert.isUndefined(use(second))
    })
  )

  it.effect("is forgotten when many newer ones were asked for", () =>
    Effect.gen(function* () {
      const { make, use } = yield* tokens
      const all = Array.from({ length: PAGE_TOKENS_MAX + 1 }, () => make(false))
      assert.isUndefined(use(all[0]!))
      for (const token of all.slice(1)) assert.isDefined(use(token))
    })
  )
})
