import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import { followChanges } from "../../../../src/layers/connection/ServerPool/refresh.ts"
import { LIST_CHANGED_DEBOUNCE_MS, LIST_REFRESH_MAX_MS } from "../../../../src/schemas/defaults/Definitions.ts"

it.effect("the lists of a server are read again after a change that met a mistake", () =>
  Effect.gen(function* () {
    let count = 0
    const refresh = Effect.sync(() => {
      if (++count === 1) throw new Error("a mistake")
      return true
    })
    const changed = yield* Queue.sliding<void>(1)
    yield* Effect.forkChild(
      followChanges("fs", refresh, changed, () => Effect.void),
      { startImmediately: true }
    )
    for (const past of [1, 2]) {
      yield* Queue.offer(changed, undefined)
      yield* TestClock.adjust(LIST_CHANGED_DEBOUNCE_MS + LIST_REFRESH_MAX_MS)
      assert.strictEqual(count, past)
    }
  }).pipe(Effect.provide(Logger.layer([])))
)
