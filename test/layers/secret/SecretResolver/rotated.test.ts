import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import * as SecretResolverLayer from "../../../../src/layers/secret/SecretResolver.ts"
import { SecretResolver } from "../../../../src/services/secret/SecretResolver.ts"

const setUp = Effect.fnUntraced(function* (env: Record<string, string | undefined>) {
  let [asked, value] = [0, "dear-value-1"]
  const providers = { dear: { read: () => Effect.sync(() => (asked++, value)), kept: true } }
  const layer = SecretResolverLayer.layer({ env, providers }).pipe(Layer.provide(RedactorLayer.layer))
  const { resolve, rotated } = yield* Effect.provide(SecretResolver, yield* Layer.build(layer))
  return { resolve, rotated: rotated!, asked: () => asked, change: (next: string) => void (value = next) }
})

describe("a secret whose value has changed", () => {
  it.effect("is noticed once, for whoever was given it", () =>
    Effect.gen(function* () {
      const env = { KEY: "value-one", OTHER: "another" }
      const { resolve, rotated } = yield* setUp(env)
      yield* resolve("a", "Bearer secret://env/KEY")
      yield* resolve("b", "secret://env/OTHER")
      assert.isFalse(yield* rotated("a", false))
      env.KEY = "value-two"
      // Who only wants to mask it does not have it.
      yield* resolve("a", "secret://env/KEY", { early: true })
      assert.isTrue(yield* rotated("a", false))
      assert.isFalse(yield* rotated("b", false))
      assert.isFalse(yield* rotated("nobody", false))
      // Said once.
      assert.isFalse(yield* rotated("a", false))
      env.KEY = "value-three"
      yield* resolve("a", "Bearer secret://env/KEY")
      assert.isFalse(yield* rotated("a", false))
    })
  )

  it.effect("counts where there was none, and not where there is none any more", () =>
    Effect.gen(function* () {
      const env: Record<string, string | undefined> = {}
      const { resolve, rotated } = yield* setUp(env)
      yield* Effect.flip(resolve("a", "secret://env/KEY"))
      assert.isFalse(yield* rotated("a", false))
      env["KEY"] = "value-one"
      assert.isTrue(yield* rotated("a", false))
      yield* resolve("a", "secret://env/KEY")
      delete env["KEY"]
      assert.isFalse(yield* rotated("a", false))
    })
  )

  it.effect("is asked for anew at a provider that costs only when that is wanted", () =>
    Effect.gen(function* () {
      const { asked, change, resolve, rotated } = yield* setUp({})
      yield* resolve("a", "secret://dear/key")
      change("dear-value-2")
      assert.isFalse(yield* rotated("a", false))
      assert.strictEqual(asked(), 1)
      assert.isTrue(yield* rotated("a", true))
      assert.strictEqual(asked(), 2)
      // The new value is kept, and given to whoever asks now.
      yield* resolve("a", "secret://dear/key")
      assert.strictEqual(asked(), 2)
      assert.isFalse(yield* rotated("a", true))
    })
  )
})
