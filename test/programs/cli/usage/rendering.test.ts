import { assert, describe, it } from "@effect/vitest"
import { renderUsage } from "../../../../src/programs/cli/usage/rendering.ts"
import { USAGE_PARTS, type UsageRow } from "../../../../src/schemas/call/Usage.ts"

const row = (person: string | null, personId: string | null, calls: number, more: UsageRow["of"] = {}): UsageRow => ({
  of: { person, ...more },
  personId,
  calls,
  errors: 1,
  durationMs: 90_000,
  resultChars: 1_200_000
})

const total = { calls: 1_234_567, errors: 4, durationMs: 7_200_000, resultChars: 9 }

describe("usage as a table", () => {
  it("has a row for each group and the sum of all, and says people of one name apart", () => {
    const rows = [row("Ada", "aaaaaaaa", 3), row("Ada", "bbbbbbbb", 2), row("Bob", "cccccccc", 1), row(null, null, 1)]
    assert.strictEqual(
      renderUsage({ rows, total }, ["person"], 80, 3),
      [
        "PERSON        CALLS  ERRORS  TIME     CHARS  ~TOKENS",
        "Ada (aaaaaa)  3      1       1.5 min  1.2M   300k",
        "Ada (bbbbbb)  2      1       1.5 min  1.2M   300k",
        "Bob           1      1       1.5 min  1.2M   300k",
        "total         1.2M   4       2.0 h    9      3",
        "1 more rows: --limit 4 shows them"
      ].join("\n")
    )
  })

  it("fits 80 columns, with the longest names and up to three parts", () => {
    const long = "x".repeat(200)
    const rows = [row(long, "a", 99_999, { server: long, tool: long })]
    for (const by of [["person"], ["person", "tool"], ["person", "server", "tool"]] as const) {
      for (const line of renderUsage({ rows, total }, by, 80, 50).split("\n")) assert.isAtMost(line.length, 80)
    }
    assert.include(renderUsage({ rows, total }, USAGE_PARTS, 80, 50), "PERSON")
  })

  it("hides what a name hides", () => {
    assert.notInclude(renderUsage({ rows: [row("A\u202eda", "a", 1)], total }, ["person"], 80, 50), "\u202e")
  })
})

describe("usage on a narrow terminal", () => {
  it("has whole days, and names that can be told apart, before all figures", () => {
    const of = { day: "2026-11-29", tool: "notes/read_everything", client: "ada@example.com by cli 0123456789abcdef" }
    const rows = [row("ada@example.com", "a", 3, of)]
    const text = renderUsage({ rows, total }, ["person", "tool", "day", "client"], 80, 50)
    assert.include(text, "2026-11-29")
    assert.match(text, /^ada@example/m)
    assert.match(text, /CALLS +ERRORS/)
    for (const line of text.split("\n")) assert.isAtMost(line.length, 80)
  })
})
