import { assert, describe, it } from "@effect/vitest"
import type { AgentEvent } from "../../../src/schemas/agent/AgentEvent.ts"
import { addEvent, titleOf } from "../../../src/schemas/agent/Conversation.ts"
import { CONVERSATION_TITLE_MAX_CHARS } from "../../../src/schemas/defaults/Conversations.ts"

describe("a kept conversation", () => {
  it("has the beginning of its first message as title, on one line", () => {
    assert.strictEqual(titleOf([{ type: "text", text: "  Read\n this  file " }]), "Read this file")
    assert.isUndefined(titleOf([{ type: "text", text: " \n" }]))
    assert.isUndefined(titleOf([{ type: "file", mediaType: "image/png", data: "" }]))
    const long = titleOf([{ type: "text", text: "😀".repeat(500) }])!
    assert.isAtMost(long.length, CONVERSATION_TITLE_MAX_CHARS)
    assert.isTrue(long.isWellFormed())
  })

  it("joins streamed text, and leaves out progress and usage", () => {
    const events: Array<AgentEvent> = []
    for (const event of [
      { _tag: "Text", delta: "a" },
      { _tag: "Text", delta: "b" },
      { _tag: "Thought", delta: "c" },
      { _tag: "ToolProgress", id: "1", name: "x", progress: { progress: 1, total: undefined, message: undefined } },
      { _tag: "Usage", inputTokens: 1, outputTokens: 1 },
      { _tag: "Thought", delta: "d" },
      { _tag: "Text", delta: "e" }
    ] as const) {
      addEvent(events, event)
    }
    assert.deepStrictEqual(events, [
      { _tag: "Text", delta: "ab" },
      { _tag: "Thought", delta: "cd" },
      { _tag: "Text", delta: "e" }
    ])
  })
})
