import { Agent, type AgentEvent, type AgentTool } from "@earendil-works/pi-agent-core"
import {
  createModels,
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  type ToolCall,
  type ToolResultMessage
} from "@earendil-works/pi-ai"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { MCPToolProvider } from "../../src/programs/loadMCPServers/provider.ts"
import { loaded, received, textOf } from "./loaded.ts"

/** pi's agent with our tools; its model calls one of them, reads the result and is done. */
const agentOf = (name: string, args: ToolCall["arguments"]) => {
  const faux = fauxProvider()
  const models = createModels()
  models.setProvider(faux.provider)
  const read: Array<ToolResultMessage> = []
  faux.setResponses([
    fauxAssistantMessage(fauxToolCall(name, args), { stopReason: "toolUse" }),
    ({ messages }) => {
      read.push(...messages.filter((message) => message.role === "toolResult"))
      return fauxAssistantMessage("that was it")
    }
  ])
  // A tool of ours is one of theirs.
  const tools: Array<AgentTool> = [...provider.tools()]
  const agent = new Agent({
    initialState: { model: faux.getModel(), systemPrompt: "Use the tools.", tools },
    streamFn: (model, context, options) => models.streamSimple(model, context, options),
    // pi knows errors by exceptions; ours are results that say so.
    afterToolCall: async ({ result }) => ({ isError: "isError" in result && result.isError === true })
  })
  const events: Array<AgentEvent> = []
  agent.subscribe((event) => void events.push(event))
  return { agent, events, read }
}

let provider: MCPToolProvider
beforeAll(async () => (provider = await loaded()))
afterAll(() => provider.close())

describe("the agent loop of pi", () => {
  it("calls a tool of a real server, and its model reads the result between our boundaries", async () => {
    const { agent, events, read } = agentOf("everything__echo", { message: "hello" })
    await agent.prompt("say hello")
    assert.lengthOf(read, 1)
    assert.isFalse(read[0]?.isError)
    assert.match(textOf(read[0]!), /^<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>[^]*hello[^]*<<<END_/)
    assert.isTrue(events.some((event) => event.type === "tool_execution_end" && event.toolName === "everything__echo"))
  })

  it("gets images as images", async () => {
    const { agent, read } = agentOf("everything__get-tiny-image", {})
    await agent.prompt("show me")
    assert.isTrue(read[0]?.content.some((block) => block.type === "image" && block.mimeType === "image/png"))
  })

  it("hears of progress while a tool runs", async () => {
    const { agent, events } = agentOf("slow__slow", { ms: 30, progress: 3 })
    await agent.prompt("take your time")
    const updates = events.filter((event) => event.type === "tool_execution_update")
    assert.deepStrictEqual(
      updates.map(({ partialResult }) => textOf(partialResult)),
      ["step 1", "step 2", "step 3"]
    )
  })

  it("sees that a tool has failed", async () => {
    const { agent, read } = agentOf("slow__fail", { text: "no such file" })
    await agent.prompt("try")
    assert.isTrue(read[0]?.isError)
    assert.include(textOf(read[0]!), "no such file")
  })

  it("aborts, and the call is cancelled at its server", async () => {
    const { agent } = agentOf("slow__slow", { ms: 60_000, progress: 60_000 })
    agent.subscribe((event) => {
      if (event.type === "tool_execution_update") agent.abort()
    })
    await agent.prompt("take your time")
    assert.include(await received(provider), "notifications/cancelled")
  })
})
