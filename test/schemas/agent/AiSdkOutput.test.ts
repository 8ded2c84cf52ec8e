import { assert, describe, it } from "@effect/vitest"
import { toAiSdkOutput } from "../../../src/schemas/agent/AiSdkOutput.ts"
import type { Content, ToolResult } from "../../../src/schemas/call/Tool.ts"

const result = (content: ReadonlyArray<Content>, isError = false): ToolResult => ({
  content,
  isError,
  details: { error: { tag: "Test", server: "fs", tool: "read", maybeExecuted: false } }
})

const text = (value: string): Content => ({ type: "text", text: value })

describe("a result for the AI SDK", () => {
  it("is plain text when it has text only", () => {
    assert.deepStrictEqual(toAiSdkOutput(result([text("a"), text("b")])), { type: "text", value: "a\nb" })
  })

  it("is error text when the call failed", () => {
    assert.deepStrictEqual(toAiSdkOutput(result([text("no")], true)), { type: "error-text", value: "no" })
  })

  it('is "(no content)" when it is empty', () => {
    assert.deepStrictEqual(toAiSdkOutput(result([])), { type: "text", value: "(no content)" })
  })

  it("has an image as a file, in its place", () => {
    const image: Content = { type: "image", data: "aaaa", mimeType: "image/png" }
    assert.deepStrictEqual(toAiSdkOutput(result([text("see"), image])), {
      type: "content",
      value: [
        { type: "text", text: "see" },
        { type: "file", data: { type: "data", data: "aaaa" }, mediaType: "image/png" }
      ]
    })
  })
})
