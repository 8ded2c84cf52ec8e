import { assert, describe, it } from "@effect/vitest"
import { spansOf } from "../../../../src/layers/control/ControlHandlers/trace.ts"
import type { AuditCall } from "../../../../src/schemas/call/AuditRecord.ts"

const call: typeof AuditCall.Type = {
  v: 1,
  time: "2026-01-01T00:00:00.000Z",
  kind: "call",
  agent: "main",
  server: "fs",
  tool: "read",
  shape: "{path: string(3)}",
  durationMs: 20,
  outcome: "ok",
  resultChars: 12,
  findings: [{ kind: "pattern", detail: "x", count: 2 }],
  decision: { allowed: true, rule: "allow: *" }
}

const WHOLE = {
  began: 100,
  resolved: 101,
  authorized: 102,
  approved: 112,
  admitted: 113,
  answered: 118,
  shaped: 119,
  ended: 120
}
const shown = (spans: ReturnType<typeof spansOf>) =>
  spans.map(({ durationUs, name, startUs }) => [name, startUs, durationUs])

describe("the way of a call through its stages", () => {
  it("has a span for each stage, one behind the other, and one for the whole", () => {
    const spans = spansOf(WHOLE, call)
    assert.deepStrictEqual(shown(spans), [
      ["call", 0, 20_000],
      ["resolve", 0, 1_000],
      ["authorize", 1_000, 1_000],
      ["approve", 2_000, 10_000],
      ["admit", 12_000, 1_000],
      ["dispatch", 13_000, 5_000],
      ["shape", 18_000, 1_000],
      ["record", 19_000, 1_000]
    ])
    assert.deepStrictEqual(
      spans.flatMap(({ name, server }) => (server === undefined ? [] : [[name, server]])),
      [["dispatch", "fs"]]
    )
    assert.deepInclude(spans[2]!.attributes, { rule: "allow: *" })
    assert.deepInclude(spans[6]!.attributes, { resultChars: 12, findings: 2 })
  })

  it("ends with the stage that refused it", () => {
    const { began, resolved, authorized } = WHOLE
    assert.deepStrictEqual(shown(spansOf({ began, resolved, authorized, ended: 150 }, call)).slice(1), [
      ["resolve", 0, 1_000],
      ["authorize", 1_000, 1_000],
      ["approve", 2_000, 48_000]
    ])
    assert.deepStrictEqual(shown(spansOf({ began, ended: 103 }, call)).slice(1), [["resolve", 0, 3_000]])
  })

  it("shows the stages of the last attempt when its tool changed on the way", () => {
    const again = { ...WHOLE, resolved: 130, authorized: 131, ended: 140 }
    assert.deepStrictEqual(
      shown(spansOf(again, call))
        .slice(1)
        .map(([name]) => name),
      ["resolve", "authorize", "approve"]
    )
  })
})
