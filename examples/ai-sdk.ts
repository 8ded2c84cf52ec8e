// MCP tools for the Vercel AI SDK. The model is scripted, so that this runs offline: put a real one in its place.
// Run it with: npx tsx examples/ai-sdk.ts
import { generateText, isStepCount } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { loadMCPServers, type Content, type ExecuteResult } from "mcp-live"
import { toAiSdkTools } from "mcp-live/adapters/ai-sdk"

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 }
}

/** One turn of a model that wants to use a tool. */
const wants = (toolName: string, args: object) => ({
  content: [{ type: "tool-call" as const, toolCallId: toolName, toolName, input: JSON.stringify(args) }],
  finishReason: { unified: "tool-calls" as const, raw: undefined },
  usage,
  warnings: []
})

/** Its last turn. */
const says = (text: string) => ({
  content: [{ type: "text" as const, text }],
  finishReason: { unified: "stop" as const, raw: undefined },
  usage,
  warnings: []
})

const model = new MockLanguageModelV4({
  doGenerate: [
    wants("filesystem__list_directory", { path: "." }),
    wants("filesystem__read_text_file", { path: "release-checklist.md" }),
    says("The release checklist has open points.")
  ]
})

const shown = (block: Content) => (block.type === "text" ? block.text : `[${block.mimeType}]`)

const provider = await loadMCPServers("examples/openclaw.json", undefined, { policy: { allow: ["filesystem/*"] } })
try {
  const prompt = "Can we release?"
  const tools = toAiSdkTools(provider.tools())
  const { steps } = await generateText({ model, prompt, tools, stopWhen: isStepCount(5) })
  console.log(`user: ${prompt}`)
  for (const part of steps.flatMap(({ content }) => content)) {
    if (part.type === "text") console.log(`model: ${part.text}`)
    if (part.type === "tool-call") console.log(`model calls ${part.toolName} ${JSON.stringify(part.input)}`)
    if (part.type === "tool-result") console.log((part.output as ExecuteResult).content.map(shown).join("\n"))
  }
} finally {
  await provider.close()
}
