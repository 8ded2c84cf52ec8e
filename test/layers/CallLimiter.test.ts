import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as CallLimiterLayer from "../../src/layers/CallLimiter.ts"
import { CallLimiter } from "../../src/services/CallLimiter.ts"

describe("CallLimiter", () => {
  it.effect(
    "lets so many calls of a server in, refuses the next with the limit, and counts each server for itself",
    () =>
      Effect.gen(function* () {
        const { enter } = yield* CallLimiter
        assert.deepStrictEqual([enter("a"), enter("a")], [undefined, undefined])
        assert.deepInclude(enter("a"), { _tag: "Overloaded", server: "a", limit: 2 })
        assert.isUndefined(enter("b"))
      }).pipe(Effect.provide(CallLimiterLayer.layer({ inFlight: 2 })))
  )

  it.effect("a place that is given back can be taken again; a refused call took none", () =>
    Effect.gen(function* () {
      const { enter, leave } = yield* CallLimiter
      for (let i = 0; i < 3; i++) {
        assert.isUndefined(enter("a"))
        assert.isDefined(enter("a"))
        leave("a")
      }
    }).pipe(Effect.provide(CallLimiterLayer.layer({ inFlight: 1 })))
  )
})
