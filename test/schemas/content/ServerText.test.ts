import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { CUT_MARGIN_CHARS } from "../../../src/schemas/defaults/Texts.ts"
import { inLine, inProse, keptFor } from "../../../src/schemas/content/ServerText.ts"
import { ContentSanitizer } from "../../../src/services/content/ContentSanitizer.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { sanitizer } from "../../support/sanitizer.ts"

const upper = (text: string) => text.toUpperCase()

describe("a server's text is cleaned up to what is shown, and a margin", () => {
  it("a short text is cleaned whole, and a long one in part", () => {
    const seen: Array<number> = []
    const label = (text: string, maxChars: number) => {
      seen.push(text.length)
      return upper(text).slice(0, maxChars)
    }
    assert.strictEqual(inLine("abc", label, 5), "ABC")
    assert.strictEqual(inLine("x".repeat(1_000_000), label, 5), "XXXXX")
    assert.isAtMost(Math.max(...seen), CUT_MARGIN_CHARS + 5)
  })
})

layer(sanitizer)("words of a server: what comes into view when much is taken away", (it) => {
  const SECRET = "sk-live-9f8e7d6c5b4a3f2e1d0c"
  const unseen = "\u200b".repeat(CUT_MARGIN_CHARS)

  it.effect("contains no part of a secret, wherever the cut is", () =>
    Effect.gen(function* () {
      const { describe: prose, label } = yield* ContentSanitizer
      ;(yield* Redactor).register(SECRET)
      for (const maxChars of [200, 512]) {
        for (let shown = 4; shown < SECRET.length; shown++) {
          const text = `${unseen}${"x".repeat(maxChars - shown)}${SECRET}`
          const atCut = `${unseen}${"x".repeat(maxChars + 1 - shown)}${SECRET}`
          const kept = [text, atCut].map((each) => keptFor(each, maxChars))
          for (const said of [text, ...kept].flatMap((each) => [
            inLine(each, label, maxChars),
            inProse(each, prose, maxChars)
          ])) {
            assert.notInclude(said, SECRET.slice(0, 4), `${shown} of ${maxChars}`)
            assert.isAtMost(said.length, maxChars)
          }
        }
      }
    })
  )

  it.effect("says that a long text was cut", () =>
    Effect.gen(function* () {
      const { describe: prose, label } = yield* ContentSanitizer
      assert.match(inLine("word ".repeat(10_000), label, 100), /^(word )+\S*…$/)
      assert.match(inProse("word ".repeat(10_000), prose, 100), /more characters\]$/)
      assert.strictEqual(inLine(unseen + unseen, label, 100), "…")
    })
  )
})
