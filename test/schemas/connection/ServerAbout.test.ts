import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { aboutIn } from "../../../src/schemas/connection/ServerAbout.ts"
import { inLine } from "../../../src/schemas/content/ServerText.ts"
import { CUT_MARGIN_CHARS, LABEL_MAX_CHARS } from "../../../src/schemas/defaults/Texts.ts"
import { ContentSanitizer } from "../../../src/services/content/ContentSanitizer.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { sanitizer } from "../../support/sanitizer.ts"

describe("what a server says about itself", () => {
  it("is kept in part when it is long", () => {
    const { name = "" } = aboutIn({ serverInfo: { name: "x".repeat(1_000_000) } })
    assert.isAtMost(name.length, LABEL_MAX_CHARS + CUT_MARGIN_CHARS + 1)
  })

  it.effect("shows no part of a secret where it is cut", () =>
    Effect.gen(function* () {
      const secret = "sk-live-9f8e7d6c5b4a3f2e1d0c"
      ;(yield* Redactor).register(secret)
      const { label } = yield* ContentSanitizer
      const text = `${"x".repeat(LABEL_MAX_CHARS - 10)}${secret} and more`
      const about = aboutIn({ serverInfo: { name: text, title: text, version: text } })
      for (const said of [about.name, about.title, about.version]) {
        assert.notInclude(inLine(said!, label, LABEL_MAX_CHARS), secret.slice(0, 4))
      }
    }).pipe(Effect.provide(sanitizer))
  )
})
