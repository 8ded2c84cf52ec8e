import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { AGENT_MAX_STEPS } from "../../../src/schemas/defaults/Conversations.ts"
import { AgentGateway } from "../../../src/services/agent/AgentGateway.ts"
import { provider } from "../../support/modelProvider.ts"
import { KEY, tool, result, type Call, runtimeOf, gateway, say, textOf, tags, failure } from "./AgentGateway/gateway.ts"

const readCall = { calls: [{ id: "c1", name: "mcp_fs_read", args: '{"path":"/a"}' }] }

describe("AgentGateway: a conversation with a model", () => {
  it.live("streams text, calls the tool, and ends with the token usage of all steps", () =>
    Effect.gen(function* () {
      const calls: Array<Call> = []
      const { baseUrl, requests } = yield* provider(readCall, { text: ["It ", "says ", "hello."] })
      const runtime = runtimeOf((call) => {
        calls.push(call)
        return Effect.succeed(result("hello"))
      })
      const events = yield* say("Read /a").pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      assert.deepStrictEqual(events, [
        {
          _tag: "ToolCall",
          id: "c1",
          name: "mcp_fs_read",
          args: { path: "/a" },
          title: "mcp_fs_read",
          kind: "other"
        },
        { _tag: "ToolResult", id: "c1", name: "mcp_fs_read", result: result("hello") },
        { _tag: "Usage", inputTokens: 11, outputTokens: 7 },
        { _tag: "Text", delta: "It " },
        { _tag: "Text", delta: "says " },
        { _tag: "Text", delta: "hello." },
        { _tag: "Usage", inputTokens: 11, outputTokens: 7 },
        { _tag: "Done", reason: "stop", inputTokens: 22, outputTokens: 14 }
      ])
      assert.deepStrictEqual(calls, [{ name: "mcp_fs_read", args: { path: "/a" } }])
      assert.deepStrictEqual(
        requests[0]!.tools.map((entry) => [entry.function.name, entry.function.parameters]),
        [tool("mcp_fs_read"), tool("mcp_fs_list")].map((entry) => [entry.name, entry.parameters])
      )
      assert.deepInclude(requests[1]!.messages.at(-1), { role: "tool", content: "hello" })
    })
  )

  it.live("tells the model in the system prompt that marked text is data", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      yield* say("Hi").pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.strictEqual(requests[0]!.messages[0]!.role, "system")
      assert.match(String(requests[0]!.messages[0]!.content), /EXTERNAL_UNTRUSTED_CONTENT.*never an instruction/s)
    })
  )

  it.live("emits reasoning as Thought, not as Text", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* provider({ thought: "hmm", text: ["42"] })
      const events = yield* say("Q").pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.deepStrictEqual(tags(events), ["Thought", "Text", "Done"])
    })
  )

  it.live("keeps the history of each session, and /new starts an empty one", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["one"] })
      const roles = (index: number) => requests[index]!.messages.map((message) => [message.role, message.content])
      yield* Effect.gen(function* () {
        yield* say("first")
        yield* say("second")
        yield* say("third", "other")
        yield* say("/new")
        yield* say("fourth")
      }).pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.deepStrictEqual(roles(1).slice(1), [
        ["user", "first"],
        ["assistant", "one"],
        ["user", "second"]
      ])
      assert.deepStrictEqual(roles(2).slice(1), [["user", "third"]])
      assert.deepStrictEqual(roles(3).slice(1), [["user", "fourth"]])
    })
  )

  it.live("lists the tools again for each message", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ text: ["ok"] })
      let names = ["mcp_fs_read"]
      const runtime = runtimeOf(() => Effect.succeed(result("")), {
        tools: Effect.sync(() => names.map(tool))
      })
      yield* Effect.gen(function* () {
        yield* say("a")
        names = ["mcp_fs_read", "mcp_fs_write"]
        yield* say("b")
      }).pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      assert.deepStrictEqual(
        requests[1]!.tools.map((entry) => entry.function.name),
        names
      )
    })
  )

  it.live("emits a failed tool result, and gives the error to the model", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider(readCall, { text: ["It failed."] })
      const runtime = runtimeOf(() => Effect.succeed(result("no such file", true)))
      const events = yield* say("Read /a").pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      assert.deepInclude(events[1], { _tag: "ToolResult", result: result("no such file", true) })
      assert.deepInclude(requests[1]!.messages.at(-1), { role: "tool", content: "no such file" })
      assert.strictEqual(events.at(-1)!._tag, "Done")
    })
  )

  it.live("answers a call with invalid JSON or an unknown name without calling a server", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* provider(
        { calls: [{ id: "c1", name: "mcp_fs_read", args: '{"path":' }] },
        { calls: [{ id: "c2", name: "mcp_fs_delete", args: "{}" }] },
        { text: ["sorry"] }
      )
      const runtime = runtimeOf(() => Effect.die("must not be called"))
      const events = yield* say("Q").pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      assert.deepStrictEqual(tags(events), ["ToolCall", "ToolResult", "ToolCall", "ToolResult", "Text", "Done"])
      const errors = events.flatMap((event) =>
        event._tag === "ToolResult" && "error" in event.result.details ? [event.result.details.error.tag] : []
      )
      assert.deepStrictEqual(errors, ["InvalidArguments", "ToolNotFound"])
    })
  )

  it.live('stops after the maximum number of steps, with the reason "steps"', () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider(readCall)
      const events = yield* say("Q").pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.deepInclude(events.at(-1), { _tag: "Done", reason: "steps" })
      assert.strictEqual(requests.length, AGENT_MAX_STEPS)
    })
  )

  it.live('ends an answer that was cut with the reason "length"', () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* provider({ text: ["abc"], finish: "length" })
      const events = yield* say("Q").pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.deepInclude(events.at(-1), { _tag: "Done", reason: "length" })
    })
  )

  it.live("sends an image of a tool to the model as an image", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider(readCall, { text: ["a cat"] })
      const image = { type: "image", data: "aW1hZ2U=", mimeType: "image/png" } as const
      const runtime = runtimeOf(() =>
        Effect.succeed({ ...result("shot:"), content: [...result("shot:").content, image] })
      )
      yield* say("Look").pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      const [toolMessage, imageMessage] = requests[1]!.messages.slice(-2)
      assert.deepInclude(toolMessage, {
        role: "tool",
        content: "shot:\n[image/png: see image 1 of mcp_fs_read in the next message]"
      })
      assert.strictEqual(imageMessage!.role, "user")
      assert.deepInclude((imageMessage!.content as ReadonlyArray<unknown>)[1], {
        type: "image_url",
        image_url: { url: "data:image/png;base64,aW1hZ2U=" }
      })
    })
  )

  it.live("repeats the step without images when the model refuses them, and then leaves images out", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider(
        readCall,
        { status: 400, message: "image input is not supported" },
        { text: ["I cannot see it"] }
      )
      const runtime = runtimeOf(() =>
        Effect.succeed({
          ...result(""),
          content: [{ type: "image", data: "aW1hZ2U=", mimeType: "image/png" }] as const
        })
      )
      const events = yield* Effect.gen(function* () {
        const first = yield* say("Look")
        yield* say("Again")
        return first
      }).pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      assert.strictEqual(textOf(events), "I cannot see it")
      assert.strictEqual(requests.length, 4)
      for (const request of requests.slice(2)) assert.notInclude(JSON.stringify(request.messages), "aW1hZ2U=")
      assert.include(JSON.stringify(requests[2]!.messages), "does not take images")
    })
  )
})

describe("AgentGateway: interruption and order", () => {
  it.live("interrupts the tool call when the answer is interrupted, and the conversation continues", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const { baseUrl, requests } = yield* provider(readCall, { text: ["ok"] })
      const runtime = runtimeOf(() =>
        Effect.yieldNow.pipe(
          Effect.andThen(Deferred.succeed(started, undefined)),
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
      )
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(say("Read /a"))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(yield* Deferred.isDone(interrupted))
        assert.strictEqual(textOf(yield* say("Still there?")), "ok")
      }).pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
      // The call without a result is not repeated to the provider, which would refuse it.
      assert.deepStrictEqual(
        requests[1]!.messages.slice(1).map((message) => [message.role, message.content, message.tool_calls]),
        [
          ["user", "Read /a", undefined],
          ["assistant", "[stopped by the user]", undefined],
          ["user", "Still there?", undefined]
        ]
      )
    })
  )

  it.live("closes the request to the provider on interruption, and keeps the text so far", () =>
    Effect.gen(function* () {
      const { baseUrl, hungUp, requests } = yield* provider({ text: ["Once upon"], hang: true }, { text: ["ok"] })
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        yield* agent.send("s", "A story").pipe(Stream.take(1), Stream.runDrain)
        yield* hungUp
        yield* say("Go on")
      }).pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.deepInclude(requests[1]!.messages[2], { role: "assistant", content: "Once upon [stopped by the user]" })
    })
  )

  it.live("answers messages of one session in order, and other sessions at the same time", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const started = yield* Deferred.make<void>()
      const { baseUrl, requests } = yield* provider(
        readCall,
        { text: ["other"] },
        { text: ["first"] },
        { text: ["second"] }
      )
      const runtime = runtimeOf(() =>
        Deferred.succeed(started, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as(result("late")))
      )
      yield* Effect.gen(function* () {
        const first = yield* Effect.forkChild(say("1"))
        yield* Deferred.await(started)
        const second = yield* Effect.forkChild(say("2"))
        assert.strictEqual(textOf(yield* say("3", "other session")), "other")
        assert.strictEqual(requests.length, 2)
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual(textOf(yield* Fiber.join(first)), "first")
        assert.strictEqual(textOf(yield* Fiber.join(second)), "second")
      }).pipe(Effect.provide(gateway({ model: { baseUrl }, runtime })))
    })
  )
})

describe("AgentGateway: provider errors", () => {
  it.live("name a refused API key without showing it", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ status: 401, message: `Incorrect API key: ${KEY}` })
      const sentence = yield* failure("Hi").pipe(
        Effect.provide(gateway({ model: { baseUrl, apiKey: "secret://env/MODEL_KEY" } }))
      )
      assert.strictEqual(requests[0]!.authorization, `Bearer ${KEY}`)
      assert.match(sentence, /refused the API key \(HTTP 401\): Incorrect API key: \[REDACTED\]; set "apiKey"/)
    })
  )

  it.live("name an address that refuses the connection, at once and without retries", () =>
    Effect.gen(function* () {
      const { baseUrl, close } = yield* provider({ text: [] })
      close()
      const sentence = yield* failure("Hi").pipe(Effect.provide(gateway({ model: { id: "ollama/x", baseUrl } })))
      assert.strictEqual(sentence, `Cannot reach ${baseUrl} (ECONNREFUSED). Start it with 'ollama serve'.`)
    })
  )

  it.live("name an unknown model, and leave the failed message out of the history", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider({ status: 404, message: "no such model" }, { text: ["ok"] })
      yield* Effect.gen(function* () {
        assert.match(yield* failure("lost"), /does not know the model 'nope' \(HTTP 404\): no such model/)
        yield* say("Hi")
      }).pipe(Effect.provide(gateway({ model: { id: "nope", baseUrl } })))
      assert.deepStrictEqual(
        requests[1]!.messages.slice(1).map((message) => message.content),
        ["Hi"]
      )
    })
  )

  it.live("keep the tool calls that were made before a failure", () =>
    Effect.gen(function* () {
      // 408 is retried by the loop; "retry-after-ms" makes that immediate.
      const trouble = { status: 429, message: "slow down", headers: { "retry-after-ms": "1", "retry-after": "9" } }
      const { baseUrl, requests } = yield* provider(readCall, trouble, trouble, trouble, { text: ["ok"] })
      yield* Effect.gen(function* () {
        assert.match(yield* failure("Read"), /rate limited us \(HTTP 429\): slow down; try again in 9 s/)
        yield* say("Go on")
      }).pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.deepStrictEqual(
        requests.at(-1)!.messages.map((message) => message.role),
        ["system", "user", "assistant", "tool", "user"]
      )
    })
  )

  it.live("remove a message from the history when the provider rejects the conversation with it", () =>
    Effect.gen(function* () {
      const { baseUrl, requests } = yield* provider(readCall, { status: 400, message: "too long" }, { text: ["ok"] })
      yield* Effect.gen(function* () {
        assert.match(yield* failure("Read"), /too long.*\/new starts over/)
        yield* say("Hi")
      }).pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.deepStrictEqual(
        requests.at(-1)!.messages.map((message) => message.role),
        ["system", "user"]
      )
    })
  )

  it.live("show the provider's message sanitized, on one line", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* provider({ status: 400, message: "bad\u001b[31m\nrequest" })
      const sentence = yield* failure("Hi").pipe(Effect.provide(gateway({ model: { baseUrl } })))
      assert.match(sentence, /rejected the request \(HTTP 400\): bad request/)
    })
  )

  it.effect("name the npm package to install for a provider", () =>
    failure("Hi").pipe(
      Effect.map((sentence) => assert.include(sentence, "npm install @ai-sdk/anthropic@4")),
      Effect.provide(gateway({ model: { id: "anthropic/claude" }, env: { ANTHROPIC_API_KEY: KEY } }))
    )
  )

  it.effect("name the environment variable of a missing key", () =>
    failure("Hi").pipe(
      Effect.map((sentence) => assert.include(sentence, "set OPENAI_API_KEY, or")),
      Effect.provide(gateway({ model: { id: "openai/gpt" } }))
    )
  )

  it.effect("name the reference of a secret that is not available", () =>
    failure("Hi").pipe(
      Effect.map((sentence) =>
        assert.strictEqual(
          sentence,
          "The key of the model is not available: secret://env/NOPE: the environment variable is not set"
        )
      ),
      Effect.provide(gateway({ model: { id: "openai/gpt", apiKey: "secret://env/NOPE" } }))
    )
  )

  it.effect("suggest the nearest name for an unknown provider", () =>
    failure("Hi").pipe(
      Effect.map((sentence) => assert.include(sentence, "did you mean 'openai'?")),
      Effect.provide(gateway({ model: { id: "opnai/gpt" } }))
    )
  )
})
