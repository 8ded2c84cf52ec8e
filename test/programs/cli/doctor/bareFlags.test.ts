/** Flags of doctor without their value. */
import { assert, describe, it } from "@effect/vitest"
import { reportName, withBareFlags } from "../../../../src/programs/cli/doctor/bareFlags.ts"

describe("flags of doctor", () => {
  it("get a value where none follows, and keep the one that does", () => {
    assert.deepStrictEqual(withBareFlags(["doctor", "--report"]), ["doctor", "--report", "default"])
    assert.deepStrictEqual(withBareFlags(["doctor", "--openclaw", "--json"]), [
      "doctor",
      "--openclaw",
      "default",
      "--json"
    ])
    for (const args of [
      ["doctor", "--report", "x.txt"],
      ["doctor", "--report=x.txt"],
      ["other", "--report"]
    ])
      assert.deepStrictEqual(withBareFlags(args), args)
  })

  it("name a report by its time", () => {
    assert.strictEqual(reportName(Date.UTC(2026, 0, 2, 3, 4, 5)), "mcp-live-report-20260102T030405.txt")
  })
})
