import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ofSameParts } from "../../../../src/layers/call/McpRuntime/sameParts.ts"
import { fakeServer } from "./fakeServer.ts"
import { numbered, bridges, resourcesOf } from "./resourceRuntime.ts"

describe("ofSameParts", () => {
  it("returns the same value until one of the parts changes", () => {
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

  it.effect("keeps one list of resources while no server changes its own", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer("a", { resources: numbered(3) })
      const { resources } = yield* resourcesOf([server])
      assert.strictEqual(yield* resources, yield* resources)
    }).pipe(Effect.provide(bridges), Effect.scoped)
  )
})
