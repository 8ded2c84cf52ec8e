import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { ToolMessage } from "@langchain/core/messages"
import { DynamicStructuredTool } from "@langchain/core/tools"
import { convertToOpenAITool } from "@langchain/core/utils/function_calling"
import { toLangChainTools } from "../../src/programs/adapters/langchain.ts"
import type { ExecuteResult } from "../../src/programs/loadMCPServers/Tool.ts"
import type { MCPToolProvider } from "../../src/programs/loadMCPServers/provider.ts"
import { count, loaded, received, until } from "./loaded.ts"

const toolsOf = () => toLangChainTools(provider.tools(), { DynamicStructuredTool, ToolMessage })

const find = (name: string): DynamicStructuredTool => {
  const found = toolsOf().find((tool) => tool.name === name)
  return found ?? assert.fail(`no tool ${name}`)
}

const callOf = (name: string, args: Record<string, unknown>) => ({
  type: "tool_call" as const,
  id: "call-1",
  name,
  args
})

let provider: MCPToolProvider
beforeAll(async () => (provider = await loaded()))
afterAll(() => provider.close())

describe("tools of LangChain", () => {
  it("are structured tools, with a schema that its models can be given", async () => {
    const [first] = toolsOf()
    assert.instanceOf(first, DynamicStructuredTool)
    const definition = convertToOpenAITool(find("everything__echo"))
    assert.strictEqual(definition.function.name, "everything__echo")
    assert.deepInclude(definition.function.parameters, { type: "object", required: ["message"] })
  })

  it("answer a tool call with a message: text for the model, the whole result for the program", async () => {
    const message: unknown = await find("everything__echo").invoke(callOf("everything__echo", { message: "hello" }))
    assert.instanceOf(message, ToolMessage)
    assert.strictEqual(message.status, "success")
    assert.strictEqual(message.tool_call_id, "call-1")
    assert.match(String(message.content), /^<<<EXTERNAL_UNTRUSTED_CONTENT[^]*hello/)
    assert.strictEqual((message.artifact as ExecuteResult).isError, false)
  })

  it("give images as content blocks", async () => {
    const message: ToolMessage = await find("everything__get-tiny-image").invoke(
      callOf("everything__get-tiny-image", {})
    )
    assert.isTrue(
      (message.content as ReadonlyArray<{ type: string; image_url?: { url: string } }>).some(
        (block) => block.type === "image_url" && block.image_url?.url.startsWith("data:image/png;base64,")
      )
    )
  })

  it("say in their message that they have failed, and do not throw", async () => {
    const message: ToolMessage = await find("slow__fail").invoke(callOf("slow__fail", { text: "no" }))
    assert.strictEqual(message.status, "error")
    assert.isTrue((message.artifact as ExecuteResult).isError)
  })

  it("can be invoked with bare arguments", async () => {
    assert.include(await find("slow__echo").invoke({ text: "bare" }), "bare")
    assert.include(await find("slow__fail").invoke({ text: "went wrong" }), "went wrong")
  })

  it("are cancelled at their server by the signal of the config", async () => {
    const abort = new AbortController()
    const before = count(await received(provider), "tools/call")
    const running = find("slow__slow").invoke({ ms: 60_000 }, { signal: abort.signal })
    await until(provider, (methods, asked) => count(methods, "tools/call") > before + asked)
    abort.abort()
    await running.catch(() => {})
    await until(provider, (methods) => methods.includes("notifications/cancelled"))
  })
})
