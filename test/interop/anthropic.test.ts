import Anthropic from "@anthropic-ai/sdk"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { toAnthropicTools } from "../../src/programs/adapters/anthropic.ts"
import type { MCPToolProvider } from "../../src/programs/loadMCPServers/provider.ts"
import { loaded, modelProvider } from "./loaded.ts"

const message = (content: ReadonlyArray<object>, stop_reason: string) => ({
  id: "1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 }
})

let provider: MCPToolProvider
beforeAll(async () => (provider = await loaded()))
afterAll(() => provider.close())

describe("the client of Anthropic", () => {
  it("sends our tools, and our answers to what its model calls", async () => {
    const uses = [
      { type: "tool_use", id: "a", name: "everything__echo", input: { message: "hello" } },
      { type: "tool_use", id: "b", name: "everything__get-tiny-image", input: {} },
      { type: "tool_use", id: "c", name: "slow__fail", input: { text: "it broke" } }
    ]
    await using model = await modelProvider(
      message([{ type: "text", text: "Let me see." }, ...uses], "tool_use"),
      message([{ type: "text", text: "that was it" }], "end_turn")
    )
    const client = new Anthropic({ baseURL: model.url, apiKey: "none" })
    const { run, tools } = toAnthropicTools(provider.tools())

    const messages: Array<Anthropic.MessageParam> = [{ role: "user", content: "say hello" }]
    const first = await client.messages.create({ model: "m", max_tokens: 100, messages, tools })
    messages.push({ role: "assistant", content: first.content }, { role: "user", content: await run(first.content) })
    await client.messages.create({ model: "m", max_tokens: 100, messages, tools })

    const sent = model.requests[0]?.["tools"] as ReadonlyArray<{ name: string; input_schema: object }>
    assert.lengthOf(sent, provider.tools().length)
    for (const { input_schema } of sent) assert.deepInclude(input_schema, { type: "object" })
    const [, , last] = model.requests[1]!["messages"] as ReadonlyArray<{
      content: ReadonlyArray<{ tool_use_id: string; is_error: boolean; content: ReadonlyArray<{ type: string }> }>
    }>
    assert.deepStrictEqual(
      last?.content.map(({ is_error, tool_use_id }) => [tool_use_id, is_error]),
      [
        ["a", false],
        ["b", false],
        ["c", true]
      ]
    )
    assert.match(JSON.stringify(last?.content[0]), /EXTERNAL_UNTRUSTED_CONTENT[^]*hello/)
    assert.isTrue(last?.content[1]?.content.some(({ type }) => type === "image"))
    assert.include(JSON.stringify(last?.content[2]), "it broke")
  })
})
