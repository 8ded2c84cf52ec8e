import { assert, describe, it } from "@effect/vitest"
import { fit, refit, type Advise, type Clean } from "../../../src/schemas/content/TextBudget.ts"

const asIs: Clean = (text) => ({ text, findings: [] })
const withoutX: Clean = (text) => ({ text: text.replaceAll("x", ""), findings: [] })

/** Notes what it is asked, and answers with it. */
const listening = () => {
  const asked: Array<number | undefined> = []
  const advise: Advise = (from) => {
    asked.push(from)
    return `from ${from}`
  }
  return { asked, advise }
}

describe("TextBudget", () => {
  it("asks for advice only when something is left out", () => {
    const { advise, asked } = listening()
    assert.strictEqual(fit(["a".repeat(900)], 1_000, asIs, advise).note, undefined)
    assert.strictEqual(fit([`a${"x".repeat(2_000)}`], 1_000, withoutX, advise).text, "a")
    assert.strictEqual(refit("a".repeat(900), 1_000, asIs, advise).note, undefined)
    assert.deepStrictEqual(asked, [])
  })

  it("puts the advice at the cut, with its position", () => {
    for (const length of [1_100, 100_000]) {
      const { text } = fit([`${"a".repeat(length)}end`], 1_000, asIs, listening().advise)
      const [, from] = /: from (\d+) …\]\n/.exec(text)!
      assert.strictEqual(text.indexOf("\n[…"), Number(from))
      assert.match(text, /aend$/)
      assert.isAtMost(Buffer.byteLength(text), 1_000)
    }
  })

  it("gives no position after cleaning has changed the text", () => {
    for (const length of [2_000, 100_000]) {
      assert.include(fit([`x${"a".repeat(length)}`], 1_000, withoutX, listening().advise).text, ": from undefined …]")
    }
  })

  it("says to ask for less without advice", () => {
    assert.include(fit(["a".repeat(2_000)], 1_000, asIs).text, ": ask for less or in parts …]")
  })
})
