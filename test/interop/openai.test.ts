import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import OpenAI from "openai"
import { toOpenAIResponsesTools, toOpenAITools } from "../../src/programs/adapters/openai.ts"
import type { MCPToolProvider } from "../../src/programs/loadMCPServers/provider.ts"
import { loaded, modelProvider } from "./loaded.ts"

const completion = (message: object, finish_reason: string) => ({
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, finish_reason, logprobs: null, message: { role: "assistant", refusal: null, ...message } }]
})

const call = (id: string, name: string, args: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) }
})

let provider: MCPToolProvider
beforeAll(async () => (provider = await loaded()))
afterAll(() => provider.close())

describe("the client of OpenAI", () => {
  it("Chat Completions: sends our tools, and our answers to what its model calls", async () => {
    const calls = [call("a", "everything__echo", { message: "hello" }), call("b", "everything__get-tiny-image", {})]
    await using model = await modelProvider(
      completion({ content: null, tool_calls: calls }, "tool_calls"),
      completion({ content: "that was it" }, "stop")
    )
    const client = new OpenAI({ baseURL: model.url, apiKey: "none" })
    const { run, tools } = toOpenAITools(provider.tools())

    const messages: Array<OpenAI.ChatCompletionMessageParam> = [{ role: "user", content: "say hello" }]
    const first = await client.chat.completions.create({ model: "m", messages, tools })
    const { message } = first.choices[0]!
    messages.push(message, ...(await run(message.tool_calls)))
    const second = await client.chat.completions.create({ model: "m", messages, tools })
    assert.strictEqual(second.choices[0]?.message.content, "that was it")

    const sent = model.requests[0]?.["tools"] as ReadonlyArray<{ function: { name: string; parameters: object } }>
    assert.lengthOf(sent, provider.tools().length)
    for (const { function: definition } of sent) assert.deepInclude(definition.parameters, { type: "object" })
    const answers = (model.requests[1]!["messages"] as ReadonlyArray<{ role: string; content: unknown }>).slice(2)
    assert.deepStrictEqual(
      answers.map(({ role }) => role),
      ["tool", "tool", "user"]
    )
    assert.match(String(answers[0]?.content), /^<<<EXTERNAL_UNTRUSTED_CONTENT[^]*hello/)
    assert.include(JSON.stringify(answers[2]?.content), "data:image/png;base64,")
  })

  it("Responses: the same", async () => {
    const output = [
      { type: "function_call", id: "fc", call_id: "a", name: "everything__echo", arguments: '{"message":"hello"}' }
    ]
    await using model = await modelProvider({ id: "1", object: "response", output }, { id: "2", output: [] })
    const client = new OpenAI({ baseURL: model.url, apiKey: "none" })
    const { run, tools } = toOpenAIResponsesTools(provider.tools())

    const first = await client.responses.create({ model: "m", input: "say hello", tools })
    const input: OpenAI.Responses.ResponseInput = await run(first.output)
    await client.responses.create({ model: "m", previous_response_id: first.id, input, tools })

    assert.lengthOf(model.requests[0]?.["tools"] as ReadonlyArray<unknown>, provider.tools().length)
    const [answer] = model.requests[1]!["input"] as ReadonlyArray<{ type: string; call_id: string; output: string }>
    assert.deepInclude(answer, { type: "function_call_output", call_id: "a" })
    assert.match(answer!.output, /^<<<EXTERNAL_UNTRUSTED_CONTENT[^]*hello/)
  })
})
