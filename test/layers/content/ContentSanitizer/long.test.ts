import { assert, describe, it } from "@effect/vitest"
import { reportChannels } from "../../../../src/layers/content/ContentSanitizer/channels.ts"
import { stripControls } from "../../../../src/layers/content/ContentSanitizer/controls.ts"
import { stripInvisible } from "../../../../src/layers/content/ContentSanitizer/invisible.ts"
import { datamark } from "../../../../src/layers/content/ContentSanitizer/marks.ts"
import { stripStrays } from "../../../../src/layers/content/ContentSanitizer/strays.ts"
import * as Tally from "../../../../src/layers/content/ContentSanitizer/tally.ts"
import { inFull } from "../../../support/full.ts"
import { visible } from "../../../support/sanitizer.ts"

/** A repetition without a bound overflows the stack of V8 on some millions of characters. */
const MIB = inFull(16, 4)
const CHARS = MIB * 1024 * 1024
const filled = (unit: string, before = "") => before + unit.repeat(Math.ceil(CHARS / unit.length))

type Step = (text: string, tally: Tally.Tally) => string | void

/** What is left of a text, and how often something was counted. */
const after = (step: Step, text: string) => {
  const tally = Tally.make()
  const left = step(text, tally)
  return { chars: left === undefined ? text.length : left.length, counted: tally.findings().map(({ count }) => count) }
}

/** Every class that an expression of these steps goes on with for as long as there is more of it. */
const CASES: ReadonlyArray<
  readonly [name: string, step: Step, before: string, unit: string, chars: number, counted: ReadonlyArray<number>]
> = [
  ["invisible", stripInvisible, "", "\u200b", 0, [CHARS]],
  ["invisible", stripInvisible, "", "\u{e0041}", 0, [CHARS / 2]],
  ["invisible", stripInvisible, "ب", "\u200c", 2, [CHARS - 1]],
  ["invisible", stripInvisible, "", "\u00ad", 0, [CHARS]],
  ["strays", stripStrays, "", "\u2800", CHARS, [1]],
  ["strays", stripStrays, "", "\u{13430}", 0, [1]],
  ["strays", stripStrays, "\u{13000}", "\u{13430}", 2 + 16, [1]],
  ["strays", stripStrays, "", "\u{1d159}", 0, [1]],
  ["strays", stripStrays, "", "\u{16fe4}", 0, [1]],
  ["strays", stripStrays, "", "\u0301", 10, [1]],
  ["strays", stripStrays, "", "\u0301\u200d", 19, [1]],
  ["channels", reportChannels, "", "ب\u200c", CHARS, [1]],
  ["channels", reportChannels, "ب\u200c".repeat(20) + "ب", "\u0301", CHARS + 41, [1]],
  ["controls", stripControls, "\x1bP", "a", 0, [1]],
  ["controls", stripControls, "\x1b[", "1", 0, [1]],
  ["controls", stripControls, "\x1b[", " ", 0, [1]],
  ["controls", stripControls, "\x1b", " ", 0, [1]]
]

describe(`${MIB} MiB of one class of characters go through each step once:`, () => {
  for (const [name, step, before, unit, chars, counted] of CASES) {
    it(`${name}: ${visible(before + unit)}`, () => {
      const found = after(step, filled(unit, before))
      assert.deepStrictEqual(found, { chars, counted })
    }, 60_000)
  }

  for (const [before, unit] of [
    ["", "\u0301"],
    ["a", "\u0301"],
    ["a", "\u{1f3fb}"],
    ["\u1100", "\u1161"],
    ["", "\u200d"],
    ["", "a"]
  ] as const) {
    it(`datamark: ${visible(before + unit)}`, () => {
      const text = filled(unit, before)
      assert.isTrue(datamark(text, "▖").replaceAll("▖", "") === text)
    }, 60_000)
  }
})
