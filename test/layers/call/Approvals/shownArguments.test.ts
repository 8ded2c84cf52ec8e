import { assert, describe, it } from "@effect/vitest"
import { APPROVAL_ARGUMENTS_MAX, APPROVAL_ARGUMENTS_MAX_CHARS } from "../../../../src/schemas/defaults/Approvals.ts"
import { showArguments } from "../../../../src/layers/call/Approvals/shownArguments.ts"

const SECRET = "hunter2-hunter2"
const redact = (text: string) => text.replaceAll(SECRET, "[REDACTED]")
const show = (args: Record<string, unknown>) => showArguments(args, redact)

/** Whatever a terminal, an editor or an eye could take for something else. */
const UNSEEN = /[^\n\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

describe("showArguments", () => {
  it("shows one argument per line, as JSON", () => {
    assert.strictEqual(
      show({ path: "a b\nc", deep: { list: [1, true, null] }, "two words": 1, left: undefined }),
      'path: "a b\\nc"\ndeep: {"list":[1,true,null]}\n"two words": 1'
    )
    assert.strictEqual(show({}), "")
  })

  it("masks secrets in names and values, also with invisible characters in between", () => {
    const text = show({
      token: SECRET,
      [SECRET]: 1,
      split: "hunter2\u200b-hun\u202eter2",
      deep: { in: [`x${SECRET}y`] }
    })
    assert.strictEqual(text, 'token: "[REDACTED]"\n"[REDACTED]": 1\nsplit: "[REDACTED]"\ndeep: {"in":["x[REDACTED]y"]}')
  })

  it("escapes invisible characters, and leaves other text as it is", () => {
    const unseen = ["\u202e", "\u2066", "\u200b", "\u00ad", "\u0007", "\u009b", "\u007f", "\u2028", "\u3164", "\u2800"]
    for (const char of [...unseen, "\ufe0f", "\u00a0", "\u3000", "\u{e0041}", "\ud800", "\ufeff", "\u180e", "\u115f"]) {
      const text = show({ command: `ls${char}x`, [`k${char}`]: 1 })
      assert.notMatch(text, UNSEEN, JSON.stringify(char))
      assert.match(text, /^command: "ls\\u[0-9a-f]{4}/, JSON.stringify(char))
    }
    assert.strictEqual(show({ text: "grüße 日本 👍 e\u0301" }), 'text: "grüße 日本 👍 e\u0301"')
  })

  it("escapes line breaks in names and values", () => {
    const text = show({ "a\nallowed: yes": "b\r\nc\u2028d\u0085e" })
    assert.lengthOf(text.split(/[\n\r\u0085\u2028\u2029]/), 1)
  })

  it("cuts a long argument in the middle, shows its end, and counts what is left out", () => {
    const command = `echo ${" ".repeat(50_000)}; rm -rf /`
    const text = show({ command, recursive: true })
    assert.isBelow(text.length, APPROVAL_ARGUMENTS_MAX_CHARS + 200)
    assert.match(text, /^command: "echo /)
    assert.include(text, '; rm -rf /"\nrecursive: true')
    const [, gone] = / \[… (\d+) characters are not shown …\] /.exec(text)!
    const shown = text.split("\n")[0]!.length - "command: ".length - ` [… ${gone} characters are not shown …] `.length
    assert.strictEqual(Number(gone) + shown, JSON.stringify(command).length)
  })

  it("masks a secret at the cut of a very long argument", () => {
    const command = `${"x".repeat(3_268)}${SECRET}${"y".repeat(2_000_000)}${SECRET}z`
    const text = show({ command })
    assert.notInclude(text, "hunter")
    const [, gone] = / \[… (\d+) characters are not shown …\] /.exec(text)!
    assert.isAbove(Number(gone), 1_990_000)
    assert.match(text, /\[REDACTED\]z"$/)
  })

  it("counts the arguments beyond the limit, and leaves room for short ones beside long ones", () => {
    const many = Object.fromEntries(Array.from({ length: APPROVAL_ARGUMENTS_MAX + 5 }, (_, i) => [`k${i}`, i]))
    const lines = show(many).split("\n")
    assert.lengthOf(lines, APPROVAL_ARGUMENTS_MAX + 1)
    assert.strictEqual(lines.at(-1), "[… 5 more arguments are not shown …]")
    const text = show({ a: "x".repeat(100_000), b: "y".repeat(100_000), c: "short", ["n".repeat(9_000)]: 1 })
    assert.include(text, 'c: "short"')
    assert.isBelow(text.length, APPROVAL_ARGUMENTS_MAX_CHARS + 300)
  })
})
