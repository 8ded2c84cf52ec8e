import { assert, describe, it } from "@effect/vitest"
import { splitWords } from "../../../../src/programs/cli/afterDashes.ts"
import { difference } from "../../../../src/programs/cli/getting/difference.ts"

describe("the difference that an edit makes", () => {
  it("is its lines, with a few around them", () => {
    assert.strictEqual(difference("a\nb\nc\nd\ne\n", "a\nb\nc\nX\nY\ne\n"), "  b\n  c\n- d\n+ X\n+ Y\n  e")
    assert.strictEqual(difference("", "{}\n"), "+ {}")
    assert.strictEqual(difference("a\na\na\n", "a\na\n"), "  a\n  a\n- a")
    assert.strictEqual(difference("a\n", "a\n"), "  a".slice(0, 3))
  })

  it("moves no cursor", () => {
    assert.notInclude(difference("", "x\u001b[2J\u202e"), "\u001b")
    assert.notInclude(difference("", "x\u202e"), "\u202e")
  })
})

describe("what follows --", () => {
  it("is a command for those that take one, wherever their flags are", () => {
    const command = ["npx", "-y", "x", "--", "y"]
    assert.deepStrictEqual(splitWords(["add", "n", "--", ...command]), { own: ["add", "n"], words: command })
    assert.deepStrictEqual(splitWords(["--config", "add", "serve", "--", ...command]), {
      own: ["--config", "add", "serve"],
      words: command
    })
    for (const own of [["call", "add"], ["--agent", "serve", "call"], ["exec"]]) {
      assert.deepStrictEqual(splitWords([...own, "--", "x"]), { own: [...own, "--", "x"], words: undefined })
    }
    assert.deepStrictEqual(splitWords(["add", "n"]), { own: ["add", "n"], words: undefined })
  })
})
