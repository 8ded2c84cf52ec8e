import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { spelled, spelledJson, spelledName } from "../../../src/schemas/content/SpelledText.ts"

describe("spelled", () => {
  it.each([
    ["zero width", "a\u200bb", "a⟨U+200B⟩b"],
    ["direction", "a\u202egnp.exe", "a⟨U+202E⟩gnp.exe"],
    ["tags", "a\u{e0041}", "a⟨U+E0041⟩"],
    ["variation selectors", "a\ufe0f\u{e0100}", "a⟨U+FE0F⟩⟨U+E0100⟩"],
    ["terminal controls", "\u001b[2J\r\u0007\u009b", "⟨U+001B⟩[2J⟨U+000D⟩⟨U+0007⟩⟨U+009B⟩"],
    ["blanks that are no space", "a\u00a0\u3164\u2800b", "a⟨U+00A0⟩⟨U+3164⟩⟨U+2800⟩b"],
    ["halves of characters", "\ud800", "⟨U+D800⟩"],
    ["many spaces", `a${" ".repeat(200)}b`, "a ⟨200 spaces⟩ b"],
    ["many lines", `a${"\n".repeat(40)}b`, "a\n⟨40 line breaks⟩\nb"],
    ["marks of a difference", "[-a-]{+b+}⟨U+200B⟩", "\\[-a\\-]\\{+b\\+}\\⟨U+200B⟩"],
    ["what a person can read", "Grüße, 世界 – 👍\nשלום", "Grüße, 世界 – 👍\nשלום"]
  ])("shows %s", (_, text, expected) => {
    assert.strictEqual(spelled(text), expected)
  })

  it("keeps a name on one line", () => {
    assert.strictEqual(spelledName("a\nb"), "a⟨U+000A⟩b")
  })

  it.prop("leaves no control character but the line break", [Schema.String], ([text]) => {
    assert.notMatch(spelled(text), /[^\P{C}\n]/u)
  })

  it.prop("keeps a JSON document equal", [Schema.Array(Schema.String)], ([texts]) => {
    const json = spelledJson({ texts })
    assert.deepStrictEqual(JSON.parse(json), { texts })
    assert.notMatch(json, /[^\P{C}\n]/u)
  })
})
