import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  CONTROL,
  CONTROLS,
  INVISIBLE,
  INVISIBLES,
  isPlain,
  kindOf,
  kindsOf,
  STRAYS
} from "../../../../src/layers/content/ContentSanitizer/kinds.ts"

const characters = Array.from({ length: 0x11_0000 }, (_, codePoint) => String.fromCodePoint(codePoint))

/** As the expressions say it. */
const plainly = (text: string) => !/[^\t\n\x20-\x7e]/.test(text)
const hasNone = (text: string, kind: number) => (kindsOf(text) & kind) === 0

describe("the kinds of characters", () => {
  it("include each control and invisible character by its first unit", () => {
    const overlooked = characters.filter(
      (char) =>
        (CONTROL.test(char) && (kindOf(char.charCodeAt(0)) & CONTROLS) === 0) ||
        (INVISIBLE.test(char) && (kindOf(char.charCodeAt(0)) & INVISIBLES) === 0)
    )
    assert.deepStrictEqual(overlooked, [])
  })

  it("include strays and piles of marks at any position of a long text", () => {
    for (const before of [0, 1, 16_370, 16_379, 16_384, 40_000]) {
      for (const stray of [
        "\u2028",
        "\u2800",
        "\u{13430}",
        "\u{13441}",
        "\u{16fe4}",
        "\u{1d159}",
        "\u0301".repeat(11),
        "\u0301\u200d".repeat(11)
      ]) {
        assert.isFalse(hasNone("a".repeat(before) + stray, STRAYS))
      }
    }
  })

  it("leave out letters, signs and emoji", () => {
    assert.isTrue(hasNone("Grüße, 你好, สวัสดี, 😀 – “ok” €5", CONTROLS | INVISIBLES | STRAYS))
  })

  it("treat only tab, line feed and printable ASCII as plain", () => {
    const wrong = characters.filter((char) => isPlain(char) !== plainly(char))
    assert.deepStrictEqual(wrong, [])
  })

  for (const char of ["\0", "\r", "\x1f", "\x7f", "\x80", "é", "中", "😀", "\ud83d"]) {
    it(`see ${JSON.stringify(char)} at any position of a long text`, () => {
      for (const before of [0, 1, 16_381, 16_382, 16_383, 16_384, 16_385, 40_000]) {
        for (const after of [0, 1, 20_000]) {
          assert.isFalse(isPlain("a".repeat(before) + char + "a".repeat(after)), `${before} before, ${after} after`)
        }
      }
    })
  }

  const PIECES = ["a", "~", " ", "\n", "\t", "\r\n", "\0", "\x7f", "é", "\u200b", "中", "😀", "\u{e0041}", "\udc00"]
  const mixed = Arbitrary.array(Arbitrary.schema(Schema.Literals(PIECES)), { maxLength: 6 }).pipe(
    Arbitrary.map((pieces) => pieces.join(""))
  )

  it.effect.prop(
    "agree with the regular expressions for any text",
    [mixed, mixed],
    ([text, more]) =>
      Effect.sync(() => {
        for (const any of [text, `${text}${"x".repeat(16_383)}${more}`]) {
          assert.strictEqual(isPlain(any), plainly(any))
          if (CONTROL.test(any)) assert.isFalse(hasNone(any, CONTROLS))
          if (INVISIBLE.test(any)) assert.isFalse(hasNone(any, INVISIBLES))
        }
      }),
    { arbitrary: { runs: 500 } }
  )
})
