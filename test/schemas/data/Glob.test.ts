import { assert, describe, it } from "@effect/vitest"
import { mayBegin } from "../../../src/schemas/data/Glob.ts"

describe("what a glob may begin with", () => {
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
    it(`${pattern}: ${beginning}`, () => assert.isTrue(mayBegin(pattern, beginning)))
  }

  for (const [pattern, beginning] of [
    ["fils/read", "files/"],
    ["files", "files/"],
    ["file?", "files/"],
    ["f?s/*", "files/"],
    ["", "files/"]
  ] as const) {
    it(`${pattern}, but not ${beginning}`, () => assert.isFalse(mayBegin(pattern, beginning)))
  }

  it("is found without trying every way through", () => {
    assert.isTrue(mayBegin(`${"*a".repeat(250)}b`, "a".repeat(64)))
    assert.isFalse(mayBegin(`${"?".repeat(60)}b`, "a".repeat(64)))
  })
})
