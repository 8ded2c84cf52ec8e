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

describe("room for lists of servers", () => {
  it.effect("gives a single server its whole bound, also when it reads its lists again", () =>
    Effect.gen(function* () {
      const room = yield* makeListRooms({ eachMax: 60, inAllMax: 100 })
      for (let reading = 0; reading < 3; reading++) assert.strictEqual(taking(room.begin().take, 10), 60)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps a part for each server, and a server that reads again comes down to its part", () =>
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

  it.effect("is given back by a read that failed, while the lists from before still count", () =>
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

  it.effect("is given back when a server's Scope closes", () =>
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
