/** The agent of an OpenClaw gateway, behind a gateway that plays what a real one sent. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { layerOpenClaw } from "../../../src/layers/agent/AgentGateway.ts"
import * as ContentSanitizer from "../../../src/layers/content/ContentSanitizer.ts"
import * as Redactor from "../../../src/layers/content/Redactor.ts"
import * as SessionToolsLayer from "../../../src/layers/agent/SessionTools.ts"
import type { AgentEvent } from "../../../src/schemas/agent/AgentEvent.ts"
import { GatewayError } from "../../../src/schemas/agent/GatewayError.ts"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import type { UserMessage } from "../../../src/schemas/agent/UserMessage.ts"
import { AgentGateway, type ApproveCall, type SendOptions } from "../../../src/services/agent/AgentGateway.ts"
import { GatewayLink, type Link } from "../../../src/services/agent/GatewayLink.ts"
import { McpRuntime, type McpRuntimeShape } from "../../../src/services/call/McpRuntime.ts"
import { SessionToolInjector } from "../../../src/services/agent/SessionToolInjector.ts"
import { SessionTools } from "../../../src/services/agent/SessionTools.ts"
import {
  fakeGateway,
  recorded,
  type FakeGateway,
  type FakeOptions,
  type Played
} from "../../fixtures/openclawGateway.ts"
import { linkLayer, until } from "../../support/openclawLink.ts"
import { textResult, toolRuntime } from "../../support/toolRuntime.ts"
import { inFolder as folder } from "../../support/folder.ts"

const SESSION = "3f2c8a52-0d9c-4a52-9d2f-1f8c1b9d7a11"

const history = JSON.parse(
  readFileSync(new URL("../../fixtures/openclaw/frames/history.json", import.meta.url), "utf8")
).payload as { readonly messages: ReadonlyArray<unknown> }

/** What the gateway was given, by the key of its session; and what was taken back. */
const recordingInjector = () => {
  const given = new Map<string, McpRuntimeShape>()
  const log: Array<string> = []
  const layer = Layer.succeed(SessionToolInjector, {
    inject: (gatewayKey, tools) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          given.set(gatewayKey, tools)
          log.push("given")
        }),
        () =>
          Effect.sync(() => {
            given.delete(gatewayKey)
            log.push("taken back")
          })
      )
  })
  return { given, log, layer }
}

interface Setup {
  readonly gateway: FakeGateway
  readonly directory: string
  readonly own?: McpRuntimeShape
  readonly ownServers?: boolean
  readonly injector?: ReturnType<typeof recordingInjector>
}

const agentOf = ({
  directory,
  gateway,
  injector = recordingInjector(),
  own = toolRuntime({}),
  ownServers = false
}: Setup) =>
  layerOpenClaw({ directory, ownServers }).pipe(
    Layer.provideMerge(SessionToolsLayer.layer),
    Layer.provide([Layer.succeed(McpRuntime, own), injector.layer, ContentSanitizer.layer]),
    Layer.provide(linkLayer({ url: gateway.url, token: gateway.token, directory }))
  )

/** One gateway, one data directory, and an agent on them. */
const withAgent = <A, E>(
  options: FakeOptions,
  use: (
    setup: Setup & { readonly injector: ReturnType<typeof recordingInjector> }
  ) => Effect.Effect<A, E, AgentGateway | SessionTools>
) =>
  Effect.gen(function* () {
    const setup = { gateway: yield* fakeGateway(options), directory: yield* folder, injector: recordingInjector() }
    return yield* use(setup).pipe(Effect.provide(agentOf(setup)))
  })

const send = (message: UserMessage, options?: SendOptions, key = SESSION) =>
  AgentGateway.use((agent) => Stream.runCollect(agent.send(key, message, options)))

const textOf = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => (event._tag === "Text" ? [event.delta] : [])).join("")

const done = (events: ReadonlyArray<AgentEvent>) => {
  const last = events.at(-1)
  assert.strictEqual(last?._tag, "Done")
  return last as Extract<AgentEvent, { _tag: "Done" }>
}

const asked = (gateway: FakeGateway, method: string) => gateway.asked.filter((one) => one.method === method)

const finalText = (name: "plain" | "tool"): string => {
  const { payload } = recorded(name).at(-1) as {
    readonly payload: { readonly message: { readonly content: ReadonlyArray<{ readonly text: string }> } }
  }
  return payload.message.content[0]!.text
}

/** The events of a tool of ours, with something to do between them. */
const calling = (
  name: string,
  args: unknown,
  between: () => Promise<unknown>,
  told = true,
  id = "call_1"
): ReadonlyArray<Played> => {
  const event = (data: object) => ({
    type: "event",
    event: "agent",
    payload: {
      runId: "{{runId}}",
      sessionKey: "{{sessionKey}}",
      stream: "tool",
      data: { toolCallId: id, name, ...data }
    }
  })
  const ended = {
    phase: "result",
    isError: false,
    result: { content: [{ type: "text", text: "what the gateway made of it" }] }
  }
  return [
    ...(told ? [event({ phase: "start", args }), between] : [between, event({ phase: "start", args })]),
    event(ended),
    ...recorded("plain").slice(-1)
  ]
}

describe("an answer", () => {
  it.live("is streamed once although the gateway sends it twice, and ends with its stop reason and usage", () =>
    withAgent({}, () =>
      Effect.gen(function* () {
        const events = yield* send("hello")
        assert.strictEqual(textOf(events), finalText("plain"))
        assert.isAbove(events.filter(({ _tag }) => _tag === "Text").length, 1)
        assert.deepStrictEqual(done(events), { _tag: "Done", reason: "stop", inputTokens: undefined, outputTokens: 5 })
      })
    )
  )

  it.live("shows the gateway's own tools, before the text that follows from them", () =>
    withAgent({ play: () => recorded("tool") }, () =>
      Effect.gen(function* () {
        const events = yield* send("read it")
        const [call, result] = [events[0], events[1]]
        assert.deepStrictEqual(call, { _tag: "ToolCall", id: "call_m2", name: "read", args: { path: "nothing.txt" } })
        assert.isTrue(result?._tag === "ToolResult" && result.result.isError)
        assert.strictEqual(textOf(events), finalText("tool"))
      })
    )
  )

  it.live("has nothing in it of another run", () =>
    withAgent(
      {
        play: () => [
          ...recorded("tool")
            .slice(0, -1)
            .map((frame) => ({ ...frame, payload: { ...(frame["payload"] as object), runId: "another" } })),
          ...recorded("plain")
        ]
      },
      () =>
        Effect.gen(function* () {
          const events = yield* send("hello")
          assert.isFalse(events.some(({ _tag }) => _tag === "ToolCall"))
          assert.strictEqual(textOf(events), finalText("plain"))
        })
    )
  )

  it.live("that did not stream is there at the end", () =>
    withAgent({ play: () => recorded("plain").slice(-1) }, () =>
      Effect.gen(function* () {
        assert.strictEqual(textOf(yield* send("hello")), finalText("plain"))
      })
    )
  )

  it.live("says why the gateway's agent failed", () =>
    withAgent({ play: () => recorded("failed") }, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(send("FAIL"))
        assert.instanceOf(error, GatewayError)
        assert.include(error.detail, "LLM request failed")
      })
    )
  )

  it.live("that is stopped at the gateway says so", () =>
    withAgent({ play: () => recorded("aborted") }, () =>
      Effect.gen(function* () {
        const events = yield* send("SLOW")
        assert.isTrue(events.some((event) => event._tag === "Notice" && event.text.includes("stopped")))
        assert.strictEqual(done(events).reason, "other")
      })
    )
  )

  it.live("that is cancelled is aborted, and kept up to there", () =>
    withAgent({ play: () => [...recorded("plain").slice(0, -4), () => new Promise(() => {})] }, ({ gateway }) =>
      Effect.gen(function* () {
        const agent = yield* AgentGateway
        let text = ""
        const answering = yield* Effect.forkChild(
          Stream.runForEach(agent.send(SESSION, "SLOW"), (event) =>
            Effect.sync(() => {
              if (event._tag === "Text") text += event.delta
            })
          )
        )
        yield* until(() => text !== "")
        yield* Fiber.interrupt(answering)
        const [sent] = asked(gateway, "chat.send")
        assert.deepStrictEqual(
          asked(gateway, "chat.abort").map(({ params }) => params),
          [{ sessionKey: sent!.params["sessionKey"], runId: sent!.params["idempotencyKey"] }]
        )
        const kept = yield* agent.load(SESSION)
        assert.strictEqual(textOf(kept!.turns[0]!.events), text)
      })
    )
  )

  it.live("fails when the gateway is gone in the middle of it, and the next message finds the gateway again", () =>
    Effect.gen(function* () {
      let gateway: FakeGateway | undefined
      let isFirst = true
      const play = () => {
        if (!isFirst) return recorded("plain")
        isFirst = false
        return [...recorded("plain").slice(0, 8), async () => gateway?.unplug()]
      }
      yield* withAgent({ play }, (setup) =>
        Effect.gen(function* () {
          gateway = setup.gateway
          const error = yield* Effect.flip(send("hello"))
          assert.strictEqual(error.code, "LINK_LOST")
          yield* until(() => setup.gateway.introductions.length === 2)
          assert.strictEqual(textOf(yield* send("hello")), finalText("plain"))
          assert.lengthOf(asked(setup.gateway, "chat.send"), 2)
        })
      )
    })
  )

  it.live("without an end is stopped", () => {
    const delta = {
      type: "event",
      event: "agent",
      payload: { runId: "{{runId}}", stream: "assistant", data: { delta: "x".repeat(8 * 1024 * 1024) } }
    }
    return withAgent({ play: () => [delta, delta, delta, delta, delta, () => new Promise(() => {})] }, ({ gateway }) =>
      Effect.gen(function* () {
        assert.include((yield* Effect.flip(send("hello"))).detail, "has no end")
        assert.lengthOf(asked(gateway, "chat.abort"), 1)
      })
    )
  })
})

describe("what a person puts beside a message", () => {
  const png = Buffer.alloc(100).toString("base64")

  it.live("goes along, with a name and its type", () =>
    withAgent({}, ({ gateway }) =>
      Effect.gen(function* () {
        yield* send([
          { type: "text", text: "look" },
          { type: "file", mediaType: "image/png", data: png, name: "file:///home/me/../a b.png" },
          { type: "file", mediaType: "text/csv", data: "YSxi" }
        ])
        const params = asked(gateway, "chat.send")[0]!.params
        assert.strictEqual(params["message"], "look")
        assert.deepStrictEqual(params["attachments"], [
          { type: "image", mimeType: "image/png", fileName: "a b.png", content: png },
          { type: "file", mimeType: "text/csv", fileName: "attachment-2.csv", content: "YSxi" }
        ])
      })
    )
  )

  it.live("is refused with the number when the gateway would refuse it, and nothing is sent", () =>
    withAgent({}, ({ gateway }) =>
      Effect.gen(function* () {
        const data = Buffer.alloc(7 * 1024 * 1024).toString("base64")
        const error = yield* Effect.flip(send([{ type: "file", mediaType: "image/png", data, name: "big.png" }]))
        assert.strictEqual(error.detail, 'the image "big.png" has 7.0 MiB, and the OpenClaw gateway takes 6.0 MiB')
        assert.lengthOf(asked(gateway, "chat.send"), 0)
      })
    )
  )
})

describe("a conversation", () => {
  it.live("has a key at the gateway that no client of another data directory can name", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const keys: Array<unknown> = []
      for (const directory of [yield* folder, yield* folder]) {
        for (const key of [SESSION, "main", "x:agent:main:main", SESSION.toUpperCase()]) {
          yield* send("hello", {}, key).pipe(Effect.provide(agentOf({ gateway, directory })))
          keys.push(asked(gateway, "chat.send").at(-1)!.params["sessionKey"])
        }
      }
      assert.strictEqual(new Set(keys).size, 8)
      for (const key of keys) assert.match(String(key), /^agent:main:acp-[0-9a-f]{16}-[0-9a-f-]{36,40}$/)
    })
  )

  it.live("is the same one for the next process, with everything that was shown", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ play: (message) => recorded(message === "read it" ? "tool" : "plain") })
      const directory = yield* folder
      yield* Effect.andThen(send("hello"), send("read it")).pipe(Effect.provide(agentOf({ gateway, directory })))
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        const [listed] = yield* agent.list
        assert.deepInclude(listed, { sessionKey: SESSION, title: "hello" })
        const { turns } = (yield* agent.load(SESSION))!
        assert.strictEqual(textOf(turns[0]!.events), finalText("plain"))
        assert.deepStrictEqual(
          turns[1]!.events.map(({ _tag }) => _tag),
          ["ToolCall", "ToolResult", "Text", "Done"]
        )
        yield* send("again")
        assert.strictEqual(new Set(asked(gateway, "chat.send").map(({ params }) => params["sessionKey"])).size, 1)
      }).pipe(Effect.provide(agentOf({ gateway, directory })))
    })
  )

  it.live("that is not kept here any more is read from the gateway", () =>
    Effect.gen(function* () {
      const { messages } = history
      const gateway = yield* fakeGateway({ answers: { "chat.history": () => ({ messages }) } })
      const directory = yield* folder
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        const { title, turns } = (yield* agent.load(SESSION))!
        assert.strictEqual(title, "hello")
        assert.strictEqual(textOf(turns[0]!.events), finalText("plain"))
        const calls = turns.find(({ message }) =>
          message.some((part) => part.type === "text" && part.text.startsWith("CALL"))
        )
        assert.deepStrictEqual(
          calls?.events.map(({ _tag }) => _tag),
          ["ToolCall", "ToolResult", "Text"]
        )
        assert.lengthOf(yield* agent.list, 1)
      }).pipe(Effect.provide(agentOf({ gateway, directory })))
    })
  )

  it.live("that never existed is not found", () =>
    withAgent({}, () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* (yield* AgentGateway).load(SESSION))
      })
    )
  )

  it.live("is deleted at the gateway, too", () =>
    withAgent({}, ({ gateway }) =>
      Effect.gen(function* () {
        const agent = yield* AgentGateway
        yield* send("hello")
        assert.isTrue(yield* agent.forget(SESSION))
        assert.strictEqual(
          asked(gateway, "sessions.delete")[0]?.params["key"],
          asked(gateway, "chat.send")[0]?.params["sessionKey"]
        )
        assert.isUndefined(yield* agent.load(SESSION))
      })
    )
  )
})

describe("a gateway that is not there", () => {
  it.live("is reported before the answer, which follows once it is reachable", () =>
    withAgent({}, ({ gateway }) =>
      Effect.gen(function* () {
        gateway.setAway(true)
        const [notice, ...events] = yield* Effect.gen(function* () {
          const answering = yield* Effect.forkChild(
            AgentGateway.use((agent) =>
              Stream.runCollect(
                Stream.tap(agent.send(SESSION, "hello"), ({ _tag }) =>
                  Effect.sync(() => {
                    if (_tag === "Notice") gateway.setAway(false)
                  })
                )
              )
            )
          )
          return yield* Fiber.join(answering)
        })
        assert.strictEqual(notice?._tag, "Notice")
        const { text } = notice as Extract<AgentEvent, { _tag: "Notice" }>
        for (const part of [gateway.url, "It is still being tried.", "--gateway", "--backend embedded"]) {
          assert.include(text, part)
        }
        assert.strictEqual(textOf(events), finalText("plain"))
      })
    )
  )

  it.live("is finally reported with its address and advice", () =>
    Effect.gen(function* () {
      const down = new GatewayError({
        code: "LINK_DOWN",
        detail: "the OpenClaw gateway at ws://there cannot be reached"
      })
      const operator: Link = {
        request: () => Effect.fail(down),
        events: Effect.fail(down),
        hello: Effect.fail(down),
        trouble: Effect.succeed(down),
        connected: Stream.never
      }
      const error = yield* Effect.flip(send("hello")).pipe(
        Effect.provide(
          layerOpenClaw({ directory: yield* folder, ownServers: false }).pipe(
            Layer.provide(SessionToolsLayer.layer),
            Layer.provide([
              Layer.succeed(McpRuntime, toolRuntime({})),
              recordingInjector().layer,
              ContentSanitizer.layer
            ]),
            Layer.provide(
              Layer.succeed(GatewayLink, {
                operator,
                node: () => Effect.fail(down),
                local: true,
                address: "ws://there",
                id: "0123456789abcdef",
                download: () => Effect.fail(down)
              })
            ),
            Layer.provide(Redactor.layer)
          )
        )
      )
      assert.match(
        error.detail,
        /^The OpenClaw gateway at ws:\/\/there cannot be reached\. If it is not running, start it/
      )
    })
  )
})

describe("the tools of a session", () => {
  const NAME = "mcp__files__read"
  const media: ToolResult = {
    ...textResult("lossless"),
    content: [
      { type: "text", text: "lossless" },
      { type: "image", data: "aW1n", mimeType: "image/png" }
    ]
  }

  /** Asks the person, as a rule would, and answers with media. */
  const asking = toolRuntime({
    [NAME]: {
      run: (_args, { approver }) =>
        approver === undefined
          ? Effect.succeed(textResult("nobody to ask", true))
          : (approver.approve({} as never, new AbortController().signal) as ReturnType<ApproveCall>).pipe(
              Effect.map((answer) => (answer === "once" ? media : textResult("denied", true))),
              Effect.orElseSucceed(() => textResult("failed", true))
            )
    }
  })

  const callIt = (injector: ReturnType<typeof recordingInjector>, args = {}) => {
    const [tools] = injector.given.values()
    return Effect.runPromise(tools!.call(NAME, args))
  }

  for (const [order, told] of [
    ["after the gateway has told of them", true],
    ["before the gateway tells of them", false]
  ] as const) {
    it.live(`are called here ${order}: the person of the answer is asked about the call that was shown`, () =>
      Effect.gen(function* () {
        const injector = recordingInjector()
        let toGateway: Promise<ToolResult> | undefined
        const gateway = yield* fakeGateway({
          play: () =>
            calling(
              `mcp-live-abc-defgh-1__${NAME}`,
              { path: "a" },
              async () => {
                toGateway = callIt(injector, { path: "a" })
                if (told) await toGateway
              },
              told
            ).flatMap((frame, at) => (at === 1 ? [frame, () => (told ? Promise.resolve() : toGateway!)] : [frame]))
        })
        const directory = yield* folder
        yield* Effect.gen(function* () {
          yield* (yield* SessionTools).set(SESSION, asking)
          const questions: Array<unknown> = []
          const events = yield* send("go", {
            approve: (_question, call) => Effect.sync(() => (questions.push(call), "once" as const))
          })
          const shown = events.filter(({ _tag }) => _tag === "ToolCall" || _tag === "ToolResult")
          assert.deepStrictEqual(shown, [
            { _tag: "ToolCall", id: "call_1", name: NAME, args: { path: "a" }, title: "read", kind: "other" },
            { _tag: "ToolResult", id: "call_1", name: NAME, result: media }
          ] as ReadonlyArray<AgentEvent>)
          assert.deepStrictEqual(questions, [{ id: "call_1", name: NAME }])
          assert.deepStrictEqual(yield* Effect.promise(() => toGateway!), media)
        }).pipe(Effect.provide(agentOf({ gateway, directory, injector })))
      })
    )
  }

  it.live("are not taken for an equal call that the gateway ended without making it", () =>
    Effect.gen(function* () {
      const injector = recordingInjector()
      const shown = Promise.withResolvers<void>()
      const gateway = yield* fakeGateway({
        play: () => [
          ...calling(NAME, {}, () => Promise.resolve()).slice(0, -1),
          ...calling(NAME, {}, () => shown.promise.then(() => callIt(injector)), true, "call_2")
        ]
      })
      yield* Effect.gen(function* () {
        yield* (yield* SessionTools).set(SESSION, asking)
        const questions: Array<unknown> = []
        const approve: ApproveCall = (_question, call) => Effect.sync(() => (questions.push(call), "once" as const))
        const events = yield* (yield* AgentGateway).send(SESSION, "go", { approve }).pipe(
          Stream.tap((event) =>
            Effect.sync(() => event._tag === "ToolCall" && event.id === "call_2" && shown.resolve())
          ),
          Stream.runCollect
        )
        const results = events.flatMap((event) => (event._tag === "ToolResult" ? [event] : []))
        assert.deepStrictEqual(
          results.map(({ id, result }) => [id, result.content]),
          [
            ["call_1", textResult("what the gateway made of it").content],
            ["call_2", media.content]
          ]
        )
        assert.deepStrictEqual(questions, [{ id: "call_2", name: NAME }])
      }).pipe(Effect.provide(agentOf({ gateway, directory: yield* folder, injector })))
    })
  )

  it.live("are not asked about on behalf of an answer that is over", () =>
    withAgent({}, ({ injector }) =>
      Effect.gen(function* () {
        yield* (yield* SessionTools).set(SESSION, asking)
        yield* send("go", { approve: () => Effect.succeed("once") })
        const result = yield* Effect.promise(() => callIt(injector))
        assert.deepStrictEqual(result, textResult("nobody to ask", true))
      })
    )
  )

  it.live("that run when their answer is aborted are cancelled", () =>
    Effect.gen(function* () {
      const injector = recordingInjector()
      const state = { started: false, cancelled: false }
      const tools = toolRuntime({
        [NAME]: {
          run: () =>
            Effect.sync(() => (state.started = true)).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Effect.sync(() => void (state.cancelled = true)))
            )
        }
      })
      const gateway = yield* fakeGateway({ play: () => calling(NAME, {}, () => callIt(injector).catch(() => {})) })
      const directory = yield* folder
      yield* Effect.gen(function* () {
        yield* (yield* SessionTools).set(SESSION, tools)
        const answering = yield* Effect.forkChild(send("go"))
        yield* until(() => state.started)
        yield* Fiber.interrupt(answering)
        yield* until(() => state.cancelled)
        assert.isTrue(state.cancelled)
      }).pipe(Effect.provide(agentOf({ gateway, directory, injector })))
    })
  )

  it.live(
    "of an answer that was cancelled are gone before the next message is sent, however long the gateway takes",
    () =>
      Effect.gen(function* () {
        const aborted = Promise.withResolvers<object>()
        const gateway = yield* fakeGateway({
          answers: { "chat.abort": () => aborted.promise },
          play: (message) => (message === "one" ? [() => new Promise(() => {})] : recorded("plain"))
        })
        const directory = yield* folder
        yield* Effect.gen(function* () {
          const first = yield* Effect.forkChild(send("one"))
          yield* until(() => asked(gateway, "chat.send").length === 1)
          yield* Fiber.interrupt(first)
          const second = yield* Effect.forkChild(send("two"))
          // What is asked of the gateway after it, by the same connection, is answered; and it was not sent.
          for (let index = 0; index < 20; index++) yield* (yield* AgentGateway).load(`another-${index}`)
          assert.lengthOf(asked(gateway, "chat.send"), 1)
          aborted.resolve({ ok: true })
          assert.strictEqual(textOf(yield* Fiber.join(second)), finalText("plain"))
        }).pipe(Effect.provide(agentOf({ gateway, directory })))
      })
  )

  it.live("are given once, and taken back before they are cleared", () =>
    withAgent({}, ({ gateway, injector }) =>
      Effect.gen(function* () {
        const tools = yield* SessionTools
        yield* tools.set(SESSION, asking)
        yield* Effect.andThen(send("one"), send("two"))
        assert.deepStrictEqual(injector.log, ["given"])
        assert.deepStrictEqual([...injector.given.keys()], [asked(gateway, "chat.send")[0]!.params["sessionKey"]])
        yield* tools.clear(SESSION)
        assert.deepStrictEqual(injector.log, ["given", "taken back"])
      })
    )
  )

  it.live("are replaced when they change", () =>
    withAgent({}, ({ injector }) =>
      Effect.gen(function* () {
        const tools = yield* SessionTools
        yield* tools.set(SESSION, asking)
        yield* send("one")
        yield* tools.set(SESSION, toolRuntime({ other: { run: () => Effect.succeed(media) } }))
        yield* send("two")
        assert.deepStrictEqual(injector.log, ["given", "taken back", "given"])
      })
    )
  )

  it.live("are removed when the conversation is closed, and at the end", () =>
    Effect.gen(function* () {
      const setup = { gateway: yield* fakeGateway(), directory: yield* folder, injector: recordingInjector() }
      yield* Effect.gen(function* () {
        const agent = yield* AgentGateway
        yield* (yield* SessionTools).set(SESSION, asking)
        yield* send("one")
        yield* agent.release(SESSION)
        assert.deepStrictEqual(setup.injector.log, ["given", "taken back"])
        yield* send("two")
      }).pipe(Effect.provide(agentOf(setup)))
      assert.deepStrictEqual(setup.injector.log, ["given", "taken back", "given", "taken back"])
    })
  )

  it.live("are the session's alone, unless the gateway does not have our own servers", () =>
    Effect.gen(function* () {
      const own = toolRuntime({ mcp_own_tool: { run: () => Effect.succeed(media) } })
      for (const ownServers of [false, true]) {
        const setup = {
          gateway: yield* fakeGateway(),
          directory: yield* folder,
          injector: recordingInjector(),
          own,
          ownServers
        }
        yield* Effect.gen(function* () {
          yield* send("without")
          assert.lengthOf(setup.injector.log, ownServers ? 1 : 0)
          yield* (yield* SessionTools).set(SESSION, asking)
          yield* send("with")
          const [tools] = setup.injector.given.values()
          assert.deepStrictEqual(
            (yield* tools!.tools).map(({ name }) => name),
            ownServers ? ["mcp_own_tool", NAME] : [NAME]
          )
        }).pipe(Effect.provide(agentOf(setup)))
      }
    })
  )

  it.live("that the gateway cannot be given cost their answer nothing but themselves", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const directory = yield* folder
      const layer = Layer.succeed(SessionToolInjector, {
        inject: () => Effect.fail(new GatewayError({ detail: "no room" }))
      })
      const injector = { ...recordingInjector(), layer }
      yield* Effect.gen(function* () {
        yield* (yield* SessionTools).set(SESSION, asking)
        const events = yield* send("go")
        assert.isTrue(events.some((event) => event._tag === "Notice" && event.text.includes("no room")))
        assert.strictEqual(textOf(events), finalText("plain"))
      }).pipe(Effect.provide(agentOf({ gateway, directory, injector })))
    })
  )
})
