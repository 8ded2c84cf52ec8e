import { assert, describe, it } from "@effect/vitest"
import { parseSince } from "../../../src/programs/cli/recordFlags.ts"

const NOW = Date.UTC(2026, 2, 9, 12)

describe("a time", () => {
  it("may be so long ago", () => {
    const ago = ["90s", "5m", "2h", "7d", "1W", " 3 h "].map((text) => (NOW - parseSince(text, NOW)!) / 1_000)
    assert.deepStrictEqual(ago, [90, 300, 7_200, 604_800, 604_800, 10_800])
  })

  it("may be ISO", () => {
    const at = Date.UTC(2026, 2, 1, 8)
    for (const text of ["2026-03-01T08:00Z", "2026-03-01T08:00:00.000Z", "2026-03-01T10:00:00+02:00"]) {
      assert.strictEqual(parseSince(text, NOW), at, text)
    }
    assert.strictEqual(parseSince("2026-03-01", NOW), Date.UTC(2026, 2, 1))
  })

  it("is nothing else", () => {
    for (const text of ["", "2", "h", "-2h", "2 years", "yesterday", "2026-13-01", "1", "99999999d"]) {
      assert.isUndefined(parseSince(text, NOW), text)
    }
  })
})
