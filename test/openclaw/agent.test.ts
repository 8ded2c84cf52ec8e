/** Our agent on a real OpenClaw gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { layerOpenClaw } from "../../src/layers/agent/AgentGateway.ts"
import * as ContentSanitizer from "../../src/layers/content/ContentSanitizer.ts"
import * as McpListener from "../../src/layers/listener/McpListener.ts"
import * as SessionToolInjector from "../../src/layers/agent/SessionToolInjector.ts"
import * as SessionToolsLayer from "../../src/layers/agent/SessionTools.ts"
import type { AgentEvent } from "../../src/schemas/agent/AgentEvent.ts"
import type { UserMessage } from "../../src/schemas/agent/UserMessage.ts"
import { AgentGateway, type ApproveCall } from "../../src/services/agent/AgentGateway.ts"
import { GatewayLink } from "../../src/services/agent/GatewayLink.ts"
import { McpRuntime } from "../../src/services/call/McpRuntime.ts"
import { SessionTools } from "../../src/services/agent/SessionTools.ts"
import { linkLayer, until } from "../support/openclawLink.ts"
import { textResult, toolRuntime } from "../support/toolRuntime.ts"
import { inFolder as folder } from "../support/folder.ts"

const real = inject("openclaw")

const agentIn = (directory: string) =>
  layerOpenClaw({ directory, ownServers: false }).pipe(
    Layer.provide(SessionToolInjector.layer),
    Layer.provide(McpListener.layer),
    Layer.provideMerge(SessionToolsLayer.layer),
    Layer.provide([Layer.succeed(McpRuntime, toolRuntime({})), ContentSanitizer.layer]),
    Layer.provideMerge(linkLayer({ url: real!.url, token: real!.token, directory }))
  )

const send = (key: string, message: UserMessage) =>
  AgentGateway.use((agent) => Stream.runCollect(agent.send(key, message)))

const textOf = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "Text" ? [event.delta] : [])).join("")

describe.skipIf(real === undefined)("an OpenClaw gateway", () => {
  it.live("says who it is and what it takes", () =>
    Effect.gen(function* () {
      const { operator } = yield* GatewayLink
      const hello = yield* operator.hello
      assert.strictEqual(hello.protocol, 4)
      assert.match(hello.serverVersion, /^\d{4}\./)
      assert.isAbove(hello.limits.maxImageBytes, 1024 * 1024)
      assert.isAtLeast(hello.limits.maxAttachmentBytes, hello.limits.maxImageBytes)
      assert.include(hello.scopes, "operator.admin")
    }).pipe(Effect.provide(linkLayer({ url: real!.url, token: real!.token })))
  )

  it.live("refuses a token that is wrong", () =>
    Effect.gen(function* () {
      const { operator } = yield* GatewayLink
      const error = yield* Effect.flip(operator.hello)
      assert.strictEqual(error.code, "LINK_REFUSED")
      assert.include(error.detail, "token")
    }).pipe(Effect.provide(linkLayer({ url: real!.url, token: "not-the-token" })))
  )

  it.live("pairs a node of ours without anybody's help, twice", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const link = yield* GatewayLink
        for (const _ of [1, 2]) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const node = yield* link.node({ displayName: "t", caps: ["mcp"], commands: ["mcp.tools.call.v1"] })
              const updated = yield* node.request("node.pluginTools.update", { tools: [] })
              assert.deepInclude(updated as object, { tools: [] })
            })
          )
        }
      }).pipe(Effect.provide(linkLayer({ url: real!.url, token: real!.token, directory })))
    })
  )

  it.live("holds a conversation, remembers it, and shows it again to the next process", () =>
    Effect.gen(function* () {
      const [directory, key] = [yield* folder, randomUUID()]
      yield* Effect.gen(function* () {
        const first = yield* send(key, "hello there")
        assert.include(textOf(first), "ECHO 0 0")
        assert.include(textOf(first), "hello there")
        const last = first.at(-1)
        assert.isTrue(last?._tag === "Done" && last.reason === "stop" && last.inputTokens === 10)
      }).pipe(Effect.provide(agentIn(directory)))
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        const kept = yield* agent.load(key)
        assert.include(textOf(kept!.turns[0]!.events), "ECHO 0 0")
        // The gateway's agent has had one answer before this one.
        assert.include(textOf(yield* send(key, "and again")), "ECHO 1 0")
      }).pipe(Effect.provide(agentIn(directory)))
    })
  )

  it.live("has what is not kept here any more, until it is deleted", () =>
    Effect.gen(function* () {
      const [directory, key] = [yield* folder, randomUUID()]
      yield* send(key, "remember me").pipe(Effect.provide(agentIn(directory)))
      rmSync(join(directory, "conversations"), { recursive: true })
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        const found = yield* agent.load(key)
        assert.strictEqual(found?.title, "remember me")
        assert.include(textOf(found!.turns[0]!.events), "ECHO 0 0")
        assert.isTrue(yield* agent.forget(key))
        assert.isUndefined(yield* agent.load(key))
      }).pipe(Effect.provide(agentIn(directory)))
    })
  )

  it.live("tells of its own tools", () =>
    Effect.gen(function* () {
      const events = yield* send(randomUUID(), 'CALL read {"path":"nothing.txt"}')
      const call = events.find(({ _tag }) => _tag === "ToolCall")
      const result = events.find(({ _tag }) => _tag === "ToolResult")
      assert.isTrue(call?._tag === "ToolCall" && call.name === "read" && call.args["path"] === "nothing.txt")
      assert.isTrue(
        result?._tag === "ToolResult" && result.result.isError && call?._tag === "ToolCall" && result.id === call.id
      )
      assert.include(textOf(events), "RESULT")
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(folder, agentIn))))
  )

  it.live("stops when nobody wants the answer any more, and takes the next message", () =>
    Effect.gen(function* () {
      const agent = yield* AgentGateway
      const key = randomUUID()
      let text = ""
      const answering = yield* Effect.forkChild(
        Stream.runForEach(agent.send(key, "SLOW"), (event) =>
          Effect.sync(() => {
            if (event._tag === "Text") text += event.delta
          })
        )
      )
      yield* until(() => text !== "")
      yield* Fiber.interrupt(answering)
      const { operator } = yield* GatewayLink
      const rows = (yield* operator.request("sessions.list", {})) as {
        readonly sessions: ReadonlyArray<{ readonly key: string; readonly abortedLastRun?: boolean }>
      }
      assert.isTrue(rows.sessions.find((row) => row.key.endsWith(key))?.abortedLastRun)
      assert.include(textOf(yield* send(key, "next")), "next")
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(folder, agentIn))))
  )

  it.live("is shown images and files", () =>
    Effect.gen(function* () {
      const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      const events = yield* send(randomUUID(), [
        { type: "text", text: "look at it" },
        { type: "file", mediaType: "image/png", data: png, name: "dot.png" }
      ])
      assert.include(textOf(events), "ECHO 0 1")
      const text = yield* send(randomUUID(), [
        { type: "text", text: "read it" },
        {
          type: "file",
          mediaType: "text/plain",
          data: Buffer.from("WORDS-IN-A-FILE").toString("base64"),
          name: "a.txt"
        }
      ])
      assert.include(textOf(text), "WORDS-IN-A-FILE")
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(folder, agentIn))))
  )

  it.live("calls the tools of a session here, asks its person, and has them no more than the session does", () =>
    Effect.gen(function* () {
      const agent = yield* AgentGateway
      const sessionTools = yield* SessionTools
      const key = randomUUID()
      const tools = toolRuntime({
        mcp__files__read: {
          run: (args, { approver }) =>
            approver === undefined
              ? Effect.succeed(textResult("nobody was asked", true))
              : (approver.approve({} as never, new AbortController().signal) as ReturnType<ApproveCall>).pipe(
                  Effect.map((answer) => textResult(`${answer}: ${JSON.stringify(args)}`)),
                  Effect.orElseSucceed(() => textResult("failed", true))
                )
        }
      })
      yield* sessionTools.set(key, tools)
      const asked: Array<string> = []
      const message = 'CALL .*__read {"path":"a.txt"}'
      const events = yield* agent
        .send(key, message, { approve: (_question, { id }) => Effect.sync(() => (asked.push(id), "once" as const)) })
        .pipe(Stream.runCollect)
      const call = events.find(({ _tag }) => _tag === "ToolCall")
      const result = events.find(({ _tag }) => _tag === "ToolResult")
      assert.isTrue(call?._tag === "ToolCall" && call.name === "mcp__files__read")
      assert.deepStrictEqual(asked, call?._tag === "ToolCall" ? [call.id] : [])
      assert.deepStrictEqual(
        result?._tag === "ToolResult" ? result.result : undefined,
        textResult('once: {"path":"a.txt"}')
      )
      assert.include(textOf(events), "RESULT")
      assert.include(textOf(yield* send(randomUUID(), message)), "NO SUCH TOOL")
      yield* sessionTools.clear(key)
      assert.include(textOf(yield* send(key, message)), "NO SUCH TOOL")
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(folder, agentIn))))
  )

  it.live("says that its agent failed, and why", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(send(randomUUID(), "FAIL"))
      assert.include(error.detail, "LLM request failed")
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(folder, agentIn))))
  )
})
