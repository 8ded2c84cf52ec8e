import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { makeListRooms } from "../../src/system/listRooms.ts"

const taking = (take: (bytes: number) => boolean, bytes: number) => {
  let taken = 0
  while (take(bytes)) taken += bytes
  return taken
}

describe("rooms for lists", () => {
  it.effect("one server alone has its bound, and the same again when its lists are read anew", () =>
    Effect.gen(function* () {
      const room = yield* makeListRooms({ eachMax: 60, inAllMax: 100 })
      for (let reading = 0; reading < 3; reading++) assert.strictEqual(taking(room.begin().take, 10), 60)
    }).pipe(Effect.scoped)
  )

  it.effect("whatever others have, each has its part, and those that read anew come down to theirs", () =>
    Effect.gen(function* () {
      const rooms = makeListRooms({ eachMax: 60, inAllMax: 100 })
      const [a, b, c, d] = [yield* rooms, yield* rooms, yield* rooms, yield* rooms]
      assert.strictEqual(taking(a.begin().take, 5), 60)
      assert.strictEqual(taking(b.begin().take, 5), 40)
      assert.strictEqual(taking(c.begin().take, 5), 25)
      assert.strictEqual(taking(d.begin().take, 5), 25)
      assert.strictEqual(taking(a.begin().take, 5), 25)
    }).pipe(Effect.scoped)
  )

  it.effect("what could not be read takes nothing, and the lists of before still count", () =>
    Effect.gen(function* () {
      const rooms = makeListRooms({ eachMax: 60, inAllMax: 100 })
      const [a, b] = [yield* rooms, yield* rooms]
      assert.strictEqual(taking(a.begin().take, 10), 60)
      const failed = a.begin()
      assert.isTrue(failed.take(10))
      failed.undo()
      assert.strictEqual(taking(b.begin().take, 10), 50)
    }).pipe(Effect.scoped)
  )

  it.effect("a server that is gone leaves its room", () =>
    Effect.gen(function* () {
      const rooms = makeListRooms({ eachMax: 60, inAllMax: 60 })
      const scope = yield* Scope.make()
      const gone = yield* Scope.provide(rooms, scope)
      const room = yield* rooms
      assert.strictEqual(taking(gone.begin().take, 10), 60)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(taking(room.begin().take, 10), 60)
    }).pipe(Effect.scoped)
  )
})
