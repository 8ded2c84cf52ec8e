import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as RedactorLayer from "../../../src/layers/Redactor.ts"
import { maskedParts } from "../../../src/layers/ResultStore/masked.ts"
import { KEPT_TEXT_CHUNK_CHARS } from "../../../src/schemas/defaults/Results.ts"
import { CUT_MARGIN_CHARS } from "../../../src/schemas/defaults/Texts.ts"
import { Redactor } from "../../../src/services/Redactor.ts"

const SECRET = "sk-live-0123456789abcdefghij"
const { redact } = Effect.runSync(
  Effect.gen(function* () {
    const redactor = yield* Redactor
    redactor.register(SECRET)
    return redactor
  }).pipe(Effect.provide(RedactorLayer.layer))
)

const PART = 1_000
const partsOf = (text: string, partChars = PART) => [...maskedParts(text, redact, partChars)]

describe("maskedParts", () => {
  it("a long text comes in parts that take a few milliseconds each", () => {
    const parts = [...maskedParts("a".repeat(9_000_000), redact)]
    assert.strictEqual(parts.length, Math.ceil(9_000_000 / KEPT_TEXT_CHUNK_CHARS))
    for (const part of parts) assert.isAtMost(part.length, KEPT_TEXT_CHUNK_CHARS)
    assert.strictEqual(parts.join("").length, 9_000_000)
  })

  it("a secret is masked wherever it lies, also where one part would end", () => {
    for (let at = PART - SECRET.length - 1; at <= PART + 1; at++) {
      const text = `${"x".repeat(at)}${SECRET}${"y".repeat(20 * CUT_MARGIN_CHARS)}`
      assert.strictEqual(partsOf(text).join(""), redact(text), `${at}`)
    }
  })

  it("secrets without a gap between them are masked as in one text", () => {
    const text = `${SECRET.repeat(2_000)}${"y".repeat(50_000)}${SECRET}`
    assert.strictEqual(partsOf(text).join(""), redact(text))
  })

  it("no character is cut in half", () => {
    const text = `x${"😀".repeat(5_000)}`
    for (const partChars of [999, 1_000]) {
      for (const part of partsOf(text, partChars)) assert.notInclude(part, "\ufffd")
      assert.strictEqual(partsOf(text, partChars).join(""), text)
    }
  })

  it("half a character of the text itself becomes one that can be written, of the same length", () => {
    assert.strictEqual(partsOf("a\ud800b\udc00c").join(""), "a\ufffdb\ufffdc")
  })

  it("nothing is nothing", () => {
    assert.deepStrictEqual(partsOf(""), [])
  })
})
