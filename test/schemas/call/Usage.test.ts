import { assert, describe, it } from "@effect/vitest"
import { makeUsage, tokensOf, type UsageAsked } from "../../../src/schemas/call/Usage.ts"
import { auditCall, auditApproval, timeOf } from "../../support/auditRecords.ts"

const ada = { person: "Ada", personId: "a1" }
const namesake = { person: "Ada", personId: "a2" }
const DAY_S = 86_400

const RECORDS = [
  auditCall(0, { ...ada, durationMs: 5, resultChars: 7 }),
  auditCall(1, { ...ada, person: "Ada L.", outcome: "CallTimeout", resultChars: 1 }),
  auditCall(2, { ...namesake, tool: "write_file" }),
  auditCall(DAY_S, { client: "client bob", server: null, tool: "nope", outcome: "ToolNotFound", resultChars: 0 }),
  auditApproval(3)
]

const used = (asked: UsageAsked) => {
  const usage = makeUsage(asked)
  for (const record of RECORDS) usage.add(record)
  return usage.result()
}

describe("usage", () => {
  it("sums up calls, errors, time and characters by person: one under several names, two of one name", () => {
    const { rows, total } = used({ by: ["person"] })
    assert.deepStrictEqual(rows, [
      { of: { person: "Ada L." }, personId: "a1", calls: 2, errors: 1, durationMs: 15, resultChars: 8 },
      { of: { person: "Ada" }, personId: "a2", calls: 1, errors: 0, durationMs: 10, resultChars: 64 },
      { of: { person: null }, personId: null, calls: 1, errors: 1, durationMs: 10, resultChars: 0 }
    ])
    assert.deepStrictEqual(total, { calls: 4, errors: 2, durationMs: 35, resultChars: 72 })
  })

  it("sums up by several parts at once, by day in order of days", () => {
    assert.deepStrictEqual(
      used({ by: ["day", "tool"] }).rows.map(({ calls, of }) => [of.day, of.tool, calls]),
      [
        ["2026-01-01", "fs/read_file", 2],
        ["2026-01-01", "fs/write_file", 1],
        ["2026-01-02", "nope", 1]
      ]
    )
  })

  it("takes only what is asked for, whatever the case: a person by name or id, a tool with or without its server", () => {
    const calls = (asked: Omit<UsageAsked, "by">) => used({ by: [], ...asked }).total.calls
    assert.strictEqual(calls({ only: { person: "ada*" } }), 3)
    assert.strictEqual(calls({ only: { person: "a1" } }), 2)
    assert.strictEqual(calls({ only: { tool: "WRITE_*" } }), 1)
    assert.strictEqual(calls({ only: { tool: "fs/*", client: undefined } }), 3)
    assert.strictEqual(calls({ only: { client: "client bob", agent: "main" } }), 1)
    assert.strictEqual(calls({ only: { server: "f?" }, since: Date.parse(timeOf(1)) }), 2)
  })

  it("adds up what others have summed up", () => {
    const usage = makeUsage({ by: ["person"] })
    for (const row of [...used({ by: ["person"] }).rows, ...used({ by: ["person"] }).rows]) usage.addRow(row)
    assert.deepStrictEqual(
      usage.result().rows.map(({ calls }) => calls),
      [4, 2, 2]
    )
  })

  it("has a token for every four characters", () => {
    assert.deepStrictEqual([0, 1, 4, 5].map(tokensOf), [0, 1, 1, 2])
  })
})
