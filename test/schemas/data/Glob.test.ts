import { assert, describe, it } from "@effect/vitest"
import { mayBegin } from "../../../src/schemas/data/Glob.ts"

describe("mayBegin", () => {
  for (const [pattern, beginning] of [
    ["files/read", "files/"],
    ["files/*", "files/"],
    ["*", "files/"],
    ["f*s/r*", "files/"],
    ["*/read", "files/"],
    ["**read", "files/"],
    ["?iles/x", "files/"],
    ["?/x", "\u{1F4C1}/"],
    ["*delete*", "a/b/"],
    ["a", ""],
    ["", ""]
  ] as const) {
    it(`is true for ${pattern} and ${beginning}`, () => assert.isTrue(mayBegin(pattern, beginning)))
  }

  for (const [pattern, beginning] of [
    ["fils/read", "files/"],
    ["files", "files/"],
    ["file?", "files/"],
    ["f?s/*", "files/"],
    ["", "files/"]
  ] as const) {
    it(`is false for ${pattern} and ${beginning}`, () => assert.isFalse(mayBegin(pattern, beginning)))
  }

  it("does not try every way through a pattern", () => {
    assert.isTrue(mayBegin(`${"*a".repeat(250)}b`, "a".repeat(64)))
    assert.isFalse(mayBegin(`${"?".repeat(60)}b`, "a".repeat(64)))
  })
})
