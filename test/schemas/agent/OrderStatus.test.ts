import { assert, describe, it } from "@effect/vitest"
import type { Turn } from "../../../src/schemas/agent/Conversation.ts"
import { ORDER_HISTORY_TEXT_MAX_CHARS } from "../../../src/schemas/defaults/Orders.ts"
import { historyOf } from "../../../src/schemas/agent/OrderStatus.ts"
import { outsideOf, wrappedIn } from "../../support/boundaries.ts"

const ID = "0123456789abcdef"
const wrapped = (body: string) =>
  `<<<EXTERNAL_UNTRUSTED_CONTENT id="${ID}">>>\nSource: x\n---\n${body}\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${ID}">>>`

const told = (text: string) => {
  const turn: Turn = { message: [{ type: "text", text }], events: [{ _tag: "Text", delta: text }] }
  const info = { sessionKey: "s", cwd: undefined, title: undefined, createdAt: 1, updatedAt: 1 }
  return historyOf("k", { ...info, turns: [turn], dropped: 0 }, 1).turns[0]!
}

describe("what is told of a conversation", () => {
  it("is cut where it is too long, and says by how much", () => {
    const { answer, message } = told("x".repeat(ORDER_HISTORY_TEXT_MAX_CHARS + 5))
    for (const text of [answer, message]) {
      assert.strictEqual(text, `${"x".repeat(ORDER_HISTORY_TEXT_MAX_CHARS)} [… 5 more characters]`)
    }
    assert.strictEqual(told("x".repeat(ORDER_HISTORY_TEXT_MAX_CHARS)).answer.length, ORDER_HISTORY_TEXT_MAX_CHARS)
  })

  it("has words of a server between their boundaries, also where it is cut within them", () => {
    const { answer } = told(wrapped("y".repeat(ORDER_HISTORY_TEXT_MAX_CHARS)))
    assert.lengthOf(wrappedIn(answer), 1)
    assert.match(outsideOf(answer), /^ \[… \d+ more characters\]$/)
  })
})
