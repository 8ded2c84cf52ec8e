import { assert, describe, it } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { makeSealer, SEAL_KEY_BYTES } from "../../src/system/sealed.ts"

const key = randomBytes(SEAL_KEY_BYTES)

describe("a sealed text", () => {
  it("is opened with the key and for the purpose that it was sealed with, and in no other way", () => {
    const sealer = makeSealer(key, "a")
    const sealed = sealer.seal("a secret")
    assert.strictEqual(sealer.open(sealed), "a secret")
    assert.notInclude(Buffer.from(sealed, "base64url").toString("latin1"), "secret")
    assert.isUndefined(makeSealer(key, "b").open(sealed))
    assert.isUndefined(makeSealer(randomBytes(SEAL_KEY_BYTES), "a").open(sealed))
    const bytes = Buffer.from(sealed, "base64url")
    for (let i = 0; i < bytes.byteLength; i++) {
      const changed = Buffer.from(bytes)
      changed[i]! ^= 1
      assert.isUndefined(sealer.open(changed.toString("base64url")), `byte ${i}`)
    }
    for (const other of ["", "x", sealed.slice(4)]) assert.isUndefined(sealer.open(other))
    // The same bytes in another form: whoever remembers a sealed text would not know it again.
    for (const other of [`${sealed}=`, `${sealed}.`, ` ${sealed}`, `${sealed.slice(0, 5)}!${sealed.slice(5)}`]) {
      assert.isUndefined(sealer.open(other), other)
    }
  })

  it("is another one each time, unless equal texts are to be sealed alike", () => {
    const [apart, alike] = [makeSealer(key, "a"), makeSealer(key, "a", true)]
    assert.notStrictEqual(apart.seal("x"), apart.seal("x"))
    assert.strictEqual(alike.seal("x"), alike.seal("x"))
    assert.notStrictEqual(alike.seal("x"), alike.seal("y"))
    assert.strictEqual(alike.open(alike.seal("x")), "x")
    assert.notStrictEqual(alike.seal("x"), makeSealer(key, "b", true).seal("x"))
  })
})
