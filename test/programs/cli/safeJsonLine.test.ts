import { assert, describe, it } from "@effect/vitest"
import { safeJsonLine } from "../../../src/programs/cli/safeJsonLine.ts"

const HOSTILE = 'x\u001b[2J\u202e\u{e0041}\u2028\u0085"\ny'
const VISIBLE = /^[^\p{C}\p{Zl}\p{Zp}]*$/u

describe("a line as it stands in the file", () => {
  it("is the same document, with nothing in it that does not show", () => {
    const line = JSON.stringify({ tool: HOSTILE, plain: "größer 日本 🙂" })
    const safe = safeJsonLine(`${line}\r`)
    assert.match(safe, VISIBLE)
    assert.deepStrictEqual(JSON.parse(safe), JSON.parse(line))
    assert.include(safe, "größer 日本 🙂")
  })
})
