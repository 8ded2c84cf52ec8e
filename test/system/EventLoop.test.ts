import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { EventLoop, makeEventLoop } from "../../src/system/EventLoop.ts"

describe("the EventLoop service", () => {
  it("is the same for all runtimes of a process", async () => {
    assert.strictEqual(await Effect.runPromise(EventLoop), await Effect.runPromise(EventLoop))
  })

  it.effect("gives the loop that a caller provides in its place", () =>
    Effect.gen(function* () {
      const own = makeEventLoop()
      assert.strictEqual(yield* Effect.provideService(EventLoop, EventLoop, own), own)
      assert.notStrictEqual(yield* EventLoop, own)
    })
  )
})
