import { assert, describe, it } from "@effect/vitest"
import type { ApprovalQuestion } from "../../../src/schemas/call/Approval.ts"
import { answerOf, requestOf } from "../../../src/programs/acp/permission.ts"

const question: ApprovalQuestion = {
  agent: "main",
  server: "files",
  tool: "write",
  exposed: "mcp__files__write",
  rule: "ask: files/*",
  arguments: 'path: "/a"',
  changed: false
}

const selected = (optionId: unknown) => ({ outcome: { outcome: "selected", optionId } })

describe("a permission", () => {
  it("is given by the options that were offered, each meaning what it says", () => {
    const { options } = requestOf("s", "c", question)
    assert.deepStrictEqual(
      options.map(({ kind, optionId }) => [kind, answerOf(selected(optionId))]),
      [
        ["allow_once", { answer: "once", forSession: false }],
        ["allow_always", { answer: "always", forSession: false }],
        ["reject_once", { answer: "deny", forSession: false }],
        ["reject_always", { answer: "deny", forSession: true }]
      ]
    )
  })

  it("is denied by everything else", () => {
    for (const response of [
      undefined,
      null,
      "allow_once",
      [],
      {},
      { outcome: null },
      { outcome: "selected", optionId: "allow_once" },
      { outcome: { optionId: "allow_once" } },
      { outcome: { outcome: "cancelled", optionId: "allow_once" } },
      ...[undefined, null, 1, {}, ["allow_once"], "ALLOW_ONCE", "constructor"].map(selected)
    ]) {
      assert.deepStrictEqual(answerOf(response), { answer: "deny", forSession: false })
    }
  })

  it("is asked for with what would be sent, why, and whether it is not what it was", () => {
    const text = JSON.stringify(requestOf("s", "c", { ...question, changed: true }))
    for (const part of ["files", "write", "ask: files/*", "/a", "Careful"]) assert.include(text, part)
    assert.notInclude(JSON.stringify(requestOf("s", "c", question)), "Careful")
  })
})
