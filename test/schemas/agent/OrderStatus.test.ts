import { assert, describe, it } from "@effect/vitest"
import type { Turn } from "../../../src/schemas/agent/Conversation.ts"
import { ORDER_HISTORY_TEXT_MAX_CHARS } from "../../../src/schemas/defaults/Orders.ts"
import { atOnce } from "../../../src/schemas/data/InTurns.ts"
import { historyOf } from "../../../src/schemas/agent/OrderStatus.ts"
import { outsideOf, wrappedIn } from "../../support/boundaries.ts"
import { inOneTurn } from "../../support/redactor.ts"

const ID = "0123456789abcdef"
const wrapped = (body: string) =>
  `<<<EXTERNAL_UNTRUSTED_CONTENT id="${ID}">>>\nSource: x\n---\n${body}\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${ID}">>>`

const told = (text: string) => {
  const turn: Turn = { message: [{ type: "text", text }], events: [{ _tag: "Text", delta: text }] }
  const info = { sessionKey: "s", cwd: undefined, title: undefined, createdAt: 1, updatedAt: 1 }
  return atOnce(historyOf("k", { ...info, turns: [turn], dropped: 0 }, 1, inOneTurn.redactInTurns)).turns[0]!
}

describe("the history of a conversation", () => {
  it("has long texts cut, with the number of characters left out", () => {
    const { answer, message } = told("x".repeat(ORDER_HISTORY_TEXT_MAX_CHARS + 5))
    for (const text of [answer, message]) {
      assert.strictEqual(text, `${"x".repeat(ORDER_HISTORY_TEXT_MAX_CHARS)} [… 5 more characters]`)
    }
    assert.strictEqual(told("x".repeat(ORDER_HISTORY_TEXT_MAX_CHARS)).answer.length, ORDER_HISTORY_TEXT_MAX_CHARS)
  })

  it("closes the boundaries of a server's text that is cut", () => {
    const { answer } = told(wrapped("y".repeat(ORDER_HISTORY_TEXT_MAX_CHARS)))
    assert.lengthOf(wrappedIn(answer), 1)
    assert.match(outsideOf(answer), /^ \[… \d+ more characters\]$/)
  })
})
