import { assert, describe, it } from "@effect/vitest"
import { toAnthropicTools } from "../../../src/programs/adapters/anthropic.ts"
import { PNG, resultOf, text, tool } from "./tools.ts"

const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input })

describe("tools for Anthropic", () => {
  it("have an object schema at their root, whatever the original", () => {
    const odd = tool("odd", resultOf([]), { parameters: { anyOf: [{ type: "object" }, { type: "string" }] } })
    const [first] = toAnthropicTools([odd.tool]).tools
    assert.deepInclude(first, { name: "odd", description: "The tool odd" })
    assert.strictEqual(first?.input_schema.type, "object")
    assert.notProperty(first?.input_schema, "anyOf")
  })

  it("answer what the content of a message calls, in its order", async () => {
    const one = tool("one", resultOf([text("done"), PNG]))
    const two = tool("two", resultOf([text("it failed")], true))
    const results = await toAnthropicTools([one.tool, two.tool]).run([
      { type: "text" },
      use("a", "two", {}),
      use("b", "one", { path: "x" })
    ])
    assert.deepStrictEqual(results, [
      { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "it failed" }], is_error: true },
      {
        type: "tool_result",
        tool_use_id: "b",
        content: [
          { type: "text", text: "done" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG.data } }
        ],
        is_error: false
      }
    ])
    assert.deepStrictEqual(one.executed, [{ id: "b", params: { path: "x" }, signal: undefined }])
  })

  it("leave out what the API refuses: an empty text, an image of another type", async () => {
    const one = tool("one", resultOf([text(" "), { ...PNG, mimeType: "image/tiff" }]))
    const [result] = await toAnthropicTools([one.tool]).run([use("a", "one", {})])
    assert.deepStrictEqual(result?.content, [{ type: "text", text: "[Image: image/tiff, 9 B]" }])
  })

  it("answer also what they cannot run", async () => {
    const one = tool("one", resultOf([]))
    const [result] = await toAnthropicTools([one.tool]).run([use("a", "nope", {})])
    assert.deepInclude(result, { is_error: true, content: [{ type: "text", text: "There is no tool 'nope'." }] })
    assert.lengthOf(one.executed, 0)
  })
})
