import { generateText, isStepCount } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import { toAiSdkTools } from "../../src/programs/adapters/aiSdk.ts"
import { toEffectToolkit } from "../../src/programs/adapters/effectToolkit.ts"
import { loadMCPServers } from "../../src/programs/loadMCPServers.ts"
import type { MCPToolProvider } from "../../src/programs/loadMCPServers/provider.ts"
import type { ExecuteResult } from "../../src/programs/loadMCPServers/Tool.ts"
import { hostile, serverPath } from "../fixtures/servers.ts"

let provider: MCPToolProvider
beforeAll(async () => {
  provider = await loadMCPServers({
    servers: {
      everything: { type: "stdio", command: process.execPath, args: [serverPath("everything"), "stdio"] },
      own: { type: "stdio", ...hostile("polite") }
    }
  })
})
afterAll(() => provider.close())

const WRAPPED = /^<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>[^]*<<<END_EXTERNAL_UNTRUSTED_CONTENT/

interface ToolCall {
  readonly name: string
  readonly args: object
}

/** The methods that the server `own` has received so far; to ask is itself a call. */
const received = async (): Promise<ReadonlyArray<string>> => {
  const tool = provider.tools().find(({ name }) => name === "own__received")!
  const { structuredContent } = await tool.execute("", {})
  return (structuredContent as { messages: ReadonlyArray<{ method: string }> }).messages.map(({ method }) => method)
}

const count = async (method: string) => (await received()).filter((candidate) => candidate === method).length

/** Starts a loop whose model calls a slow tool, ends it when the call has arrived, and waits for what the server hears. */
const cancelledAtServer = async (run: (signal: AbortSignal) => Promise<unknown>) => {
  const [calls, cancelled] = [await count("tools/call"), await count("notifications/cancelled")]
  const abort = new AbortController()
  const running = run(abort.signal)
  for (let asked = 2; (await count("tools/call")) < calls + 1 + asked; asked++);
  abort.abort()
  await running
  while ((await count("notifications/cancelled")) === cancelled);
}

// ---- the AI SDK ----------------------------------------------------------------------------------------------------

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

/** Calls these tools at once, then is content. */
const aiSdkModel = (...calls: ReadonlyArray<ToolCall>) =>
  new MockLanguageModelV4({
    doGenerate: [
      {
        content: calls.map(({ args, name }, i) => ({
          type: "tool-call",
          toolCallId: `call-${i}`,
          toolName: name,
          input: JSON.stringify(args)
        })),
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: []
      },
      {
        content: [{ type: "text", text: "that was it" }],
        finishReason: { unified: "stop", raw: undefined },
        usage,
        warnings: []
      }
    ]
  })

const runAiSdk = async (...calls: ReadonlyArray<ToolCall>) => {
  const model = aiSdkModel(...calls)
  const { steps, text } = await generateText({
    model,
    prompt: "do it",
    tools: toAiSdkTools(provider.tools()),
    stopWhen: isStepCount(3)
  })
  assert.strictEqual(text, "that was it")
  const [asked, told] = model.doGenerateCalls
  const outputs = told!.prompt
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .map((part) => (part.type === "tool-result" ? part.output : assert.fail(part.type)))
  return { steps, offered: asked!.tools ?? [], outputs }
}

describe("the AI SDK", () => {
  it("offers our tools to its model", async () => {
    const { offered } = await runAiSdk({ name: "own__echo", args: { text: "x" } })
    assert.lengthOf(offered, provider.tools().length)
    const echo = offered.find(({ name }) => name === "everything__echo")
    assert.deepInclude(echo, { type: "function" })
    assert.deepInclude((echo as { inputSchema: object }).inputSchema, { type: "object", required: ["message"] })
  })

  it("calls them, and its model reads the results: text between our boundaries, images as images", async () => {
    const { outputs, steps } = await runAiSdk(
      { name: "everything__echo", args: { message: "hello" } },
      { name: "everything__get-tiny-image", args: {} }
    )
    const [echo, image] = outputs
    assert.strictEqual(echo?.type, "text")
    assert.match(String(echo?.type === "text" && echo.value), WRAPPED)
    assert.include(String(echo?.type === "text" && echo.value), "hello")
    assert.isTrue(
      image?.type === "content" &&
        image.value.some((part) => part.type === "file" && part.mediaType === "image/png" && part.data.type === "data")
    )
    const results = steps[0]!.toolResults.map(({ output }) => output as ExecuteResult)
    assert.deepStrictEqual(
      results.map(({ isError }) => isError),
      [false, false],
      "the program gets the whole result"
    )
  })

  it("aborted, cancels the call at its server", () =>
    cancelledAtServer((abortSignal) =>
      generateText({
        model: aiSdkModel({ name: "own__slow", args: { ms: 60_000 } }),
        prompt: "do it",
        tools: toAiSdkTools(provider.tools()),
        abortSignal
      }).catch(() => {})
    ))

  it("passes the failure of a tool on to the model", async () => {
    const { outputs } = await runAiSdk({ name: "own__fail", args: { text: "no such file" } })
    assert.strictEqual(outputs[0]?.type, "error-text")
    assert.include(JSON.stringify(outputs[0]), "no such file")
  })
})

// ---- Effect --------------------------------------------------------------------------------------------------------

/** Calls one tool, and nothing else. */
const effectModel = (call: ToolCall, offered: Array<string> = []) =>
  LanguageModel.make({
    generateText: ({ tools }) =>
      Effect.sync(() => {
        offered.push(...tools.map(({ name }) => name))
        return [{ type: "tool-call", id: "call-1", name: call.name, params: call.args }]
      }),
    streamText: () => assert.fail("not asked for")
  })

const runEffect = Effect.fnUntraced(function* (call: ToolCall, offered?: Array<string>) {
  const { toolResults } = yield* LanguageModel.generateText({
    prompt: "do it",
    toolkit: toEffectToolkit(provider.tools())
  }).pipe(Effect.provideServiceEffect(LanguageModel.LanguageModel, effectModel(call, offered)))
  return toolResults[0]!
})

const partsOf = ({
  modelOutput = []
}: {
  readonly modelOutput?: ReadonlyArray<Prompt.ToolModelOutputPart> | undefined
}) => modelOutput

describe("Effect's LanguageModel", () => {
  it.live("offers our tools, and its model reads the results between our boundaries", () =>
    Effect.gen(function* () {
      const offered: Array<string> = []
      const result = yield* runEffect({ name: "everything__echo", args: { message: "hello" } }, offered)
      assert.sameMembers(
        offered,
        provider.tools().map(({ name }) => name)
      )
      assert.isFalse(result.isFailure)
      const [part] = partsOf(result)
      assert.match(part?.type === "text" ? part.text : "", WRAPPED)
      assert.include(part?.type === "text" ? part.text : "", "hello")
      assert.strictEqual((result.result as ExecuteResult).isError, false, "the program gets the whole result")
    })
  )

  it.live("gets images as files", () =>
    Effect.gen(function* () {
      const result = yield* runEffect({ name: "everything__get-tiny-image", args: {} })
      assert.isTrue(partsOf(result).some((part) => part.type === "file" && part.mediaType === "image/png"))
    })
  )

  it.live("gets the failure of a tool as a result, and the program goes on", () =>
    Effect.gen(function* () {
      const result = yield* runEffect({ name: "own__fail", args: { text: "no such file" } })
      assert.isTrue(result.isFailure)
      assert.include(String(result.result), "no such file")
    })
  )

  it.live("interrupted, cancels the call at its server", () =>
    Effect.promise(() =>
      cancelledAtServer((signal) =>
        Effect.runPromise(runEffect({ name: "own__slow", args: { ms: 60_000 } }), { signal }).catch(() => {})
      )
    )
  )
})
