import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { makeLongPlaces, type LongPlace } from "../../src/system/longPlaces.ts"

/** Notes who has got a place. */
const noting = () => {
  const seen: Array<string> = []
  return { seen, take: (place: LongPlace, name: string, bytes = 1) => place.take(bytes, () => void seen.push(name)) }
}

describe("places for the long messages of one server", () => {
  it.effect("are given in order, one to each stream, and given back once", () =>
    Effect.gen(function* () {
      const { hold, ofStream } = yield* makeLongPlaces({ eachMax: 1 })
      const [a, b, c] = [ofStream(), ofStream(), ofStream()]
      const { seen, take } = noting()
      take(a, "a")
      take(a, "a again")
      take(b, "b")
      take(c, "c")
      assert.deepStrictEqual(seen, ["a", "a again"])
      b.giveBack()
      a.giveBack()
      a.giveBack()
      assert.deepStrictEqual(seen, ["a", "a again", "c"], "whoever is gone does not wait")
      take(b, "b")
      c.giveBack()
      assert.deepStrictEqual(seen, ["a", "a again", "c", "b"])
      const [first, second] = [hold(), hold()]
      b.giveBack()
      take(a, "behind two answers")
      first()
      assert.notInclude(seen, "behind two answers")
      second()
      assert.include(seen, "behind two answers")
      take(b, "what is left of b")
      assert.notInclude(seen, "what is left of b")
      b.end()
      assert.include(seen, "what is left of b")
      take(b, "and its end")
      assert.include(seen, "and its end")
    }).pipe(Effect.scoped)
  )
})

describe("places for the long messages of several servers", () => {
  it.effect("are shared: whatever others have, a message of the guaranteed size has one, and no longer one", () =>
    Effect.gen(function* () {
      const places = makeLongPlaces({ eachMax: 4, inAllMax: 2, bytesMax: 100 })
      const [hostile, another, honest] = [yield* places, yield* places, yield* places]
      const { seen, take } = noting()
      for (const { ofStream } of [hostile, another]) for (let i = 0; i < 6; i++) take(ofStream(), "hostile", 100)
      assert.strictEqual(seen.length, 2)
      const [short, next] = [honest.ofStream(), honest.ofStream()]
      take(short, "short", 50)
      take(next, "next", 50)
      assert.deepStrictEqual(seen.slice(2), ["short"])
      take(short, "longer", 100)
      assert.deepStrictEqual(seen.slice(2), ["short"], "it has grown beyond the guaranteed size")
      short.giveBack()
      assert.deepStrictEqual(seen.slice(2), ["short", "next"])
    }).pipe(Effect.scoped)
  )

  it.effect("go to the server that has the fewest of them", () =>
    Effect.gen(function* () {
      const places = makeLongPlaces({ eachMax: 4, inAllMax: 2, bytesMax: 100 })
      const [many, few] = [yield* places, yield* places, yield* places]
      const { seen, take } = noting()
      const first = many.ofStream()
      take(first, "first of many", 100)
      for (const name of ["second of many", "third of many"]) take(many.ofStream(), name, 100)
      for (const name of ["first of few", "second of few"]) take(few.ofStream(), name, 100)
      assert.deepStrictEqual(seen, ["first of many", "second of many"])
      first.giveBack()
      assert.strictEqual(seen.at(-1), "first of few")
    }).pipe(Effect.scoped)
  )

  it.effect("a server that is gone leaves the others more", () =>
    Effect.gen(function* () {
      const places = makeLongPlaces({ eachMax: 4, inAllMax: 1, bytesMax: 100 })
      const scope = yield* Scope.make()
      const gone = yield* Scope.provide(places, scope)
      const { ofStream } = yield* places
      const { seen, take } = noting()
      take(gone.ofStream(), "shared", 100)
      take(ofStream(), "guaranteed to one server alone", 100)
      assert.deepStrictEqual(seen, ["shared"])
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(seen, ["shared", "guaranteed to one server alone"])
    }).pipe(Effect.scoped)
  )
})
