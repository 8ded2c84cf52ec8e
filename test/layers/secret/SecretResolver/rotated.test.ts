import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RedactorLayer from "../../../../src/layers/content/Redactor.ts"
import * as SecretResolverLayer from "../../../../src/layers/secret/SecretResolver.ts"
import { SecretResolver } from "../../../../src/services/secret/SecretResolver.ts"

const setUp = Effect.fnUntraced(function* (env: Record<string, string | undefined>) {
  let [asked, value] = [0, "dear-value-1"]
  let failure: string | undefined
  const read = () =>
    Effect.suspend(() => (asked++, failure === undefined ? Effect.succeed(value) : Effect.fail(failure)))
  const providers = { dear: { read, kept: true } }
  const layer = SecretResolverLayer.layer({ env, providers }).pipe(Layer.provide(RedactorLayer.layer))
  const { resolve, rotated } = yield* Effect.provide(SecretResolver, yield* Layer.build(layer))
  const look = rotated!
  return {
    resolve,
    look,
    rotated: (owner: string, thorough: boolean) => Effect.map(look(owner, thorough), ({ isOther }) => isOther),
    asked: () => asked,
    change: (next: string) => void (value = next),
    fail: (why: string) => void (failure = why)
  }
})

describe("a secret whose value has changed", () => {
  it.effect("is noticed once, for every server that got it", () =>
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

  it.effect("counts if it is new, and not if it was removed", () =>
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

  it.effect("is read again from a paid provider only on request", () =>
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

  it.effect("is named as long as it cannot be read, if its owner has an old value", () =>
    Effect.gen(function* () {
      const env: Record<string, string | undefined> = { KEY: "value-one", OTHER: "another" }
      const { fail, look, resolve } = yield* setUp(env)
      yield* resolve("a", "secret://env/KEY and secret://dear/key#2")
      yield* Effect.flip(resolve("b", "secret://env/NEVER"))
      assert.deepStrictEqual(yield* look("a", true), { isOther: false, unread: [] })
      delete env["KEY"]
      fail("it is sealed")
      const sealed = { reference: "secret://dear/key#2", detail: "it is sealed" }
      const unread = [{ reference: "secret://env/KEY", detail: "the environment variable is not set" }, sealed]
      assert.deepStrictEqual(yield* look("a", true), { isOther: false, unread })
      // What is not asked for this time still could not be read.
      assert.deepStrictEqual((yield* look("a", false)).unread, unread)
      // It never had one.
      assert.deepStrictEqual((yield* look("b", true)).unread, [])
      env["KEY"] = "value-one"
      assert.deepStrictEqual(yield* look("a", false), { isOther: false, unread: [sealed] })
    })
  )
})
