import { assert, describe, it } from "@effect/vitest"
import { SCHEMA_PATTERN_MAX_CHARS } from "../../../../src/schemas/defaults/Definitions.ts"
import { isPortable } from "../../../../src/schemas/call/normalizeSchema/Pattern.ts"

describe("isPortable", () => {
  for (const pattern of [
    "^[a-z0-9]+(-[a-z0-9]+)*$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^(?:GET|POST)$",
    "[^\\]\\[/.-]",
    "\\bword\\b",
    "^\\x41.*?$",
    "a{2,}|b{1,3}?"
  ]) {
    it(`accepts what all engines support: ${pattern}`, () => assert.isTrue(isPortable(pattern)))
  }

  for (const [what, pattern] of [
    ["lookahead", "^(?!x)"],
    ["lookbehind", "(?<=a)b"],
    ["a named group", "(?<year>\\d+)"],
    ["flags inside", "(?i)a"],
    ["a back reference", "(a)\\1"],
    ["a property of Unicode", "\\p{L}"],
    ["an escape that only JavaScript has", "\\u{1F600}"],
    ["anchors that only Python has", "\\Aa\\Z"],
    ["a possessive quantifier", "a++"],
    ["a class within a class", "[[:alpha:]]"],
    ["a set operator", "[a&&b]"],
    ["an empty class", "[]"],
    ["a class that begins with its end", "[]a]"],
    ["more repetitions than RE2 counts", "a{1001}"],
    ["a repetition that runs backwards", "a{3,1}"],
    ["a range that runs backwards", "[z-a]"],
    ["a brace that repeats nothing", "{a}"],
    ["nothing to repeat", "*a"],
    ["a group that is not closed", "(a"],
    ["a group that is not opened", "a)"],
    ["a class that is not closed", "[a"],
    ["an escape of nothing", "a\\"],
    ["a novel", "a".repeat(SCHEMA_PATTERN_MAX_CHARS + 1)]
  ] as const) {
    it(`refuses ${what}`, () => assert.isFalse(isPortable(pattern)))
  }
})
