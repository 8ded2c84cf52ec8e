import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ofSameParts } from "../../../../src/layers/call/McpRuntime/sameParts.ts"
import { fakeServer } from "./fakeServer.ts"
import { numbered, bridges, resourcesOf } from "./resourceRuntime.ts"

describe("what is put together of parts", () => {
  it("is the same until one of them is another one", () => {
    let made = 0
    const joined = ofSameParts((parts: ReadonlyArray<ReadonlyArray<number>>) => {
      made++
      return parts.flat()
    })
    const [a, b] = [[1], [2]]
    const first = joined([a, b])
    assert.deepStrictEqual(first, [1, 2])
    assert.strictEqual(joined([a, b]), first)
    assert.strictEqual(made, 1)
    for (const parts of [[a], [b, a], [a, [2]], [], [a, b]]) assert.deepStrictEqual(joined(parts), parts.flat())
    assert.strictEqual(made, 6)
  })

  it.effect("resources are listed as one list for all who ask, until a server lists others", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer("a", { resources: numbered(3) })
      const { resources } = yield* resourcesOf([server])
      assert.strictEqual(yield* resources, yield* resources)
    }).pipe(Effect.provide(bridges), Effect.scoped)
  )
})
