import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { shell } from "../../fixtures/servers.ts"
import { rowsInFull } from "../../support/full.ts"
import { provider } from "../../support/modelProvider.ts"
import {
  call,
  everything,
  folder,
  media,
  methods,
  newSession,
  prompt,
  refusal,
  saidIn,
  shared,
  start,
  updatesOf,
  type Update
} from "./client.ts"

const base64 = (text: string) => Buffer.from(text).toString("base64")
const makeStop = () => new AbortController()
const kinds = (updates: ReadonlyArray<Update>) => updates.map(({ sessionUpdate }) => sessionUpdate)

describe("an editor's session, over a real child process", () => {
  const usual = shared()

  it.live("says what it can do", () =>
    Effect.gen(function* () {
      const { initialized } = yield* usual
      assert.strictEqual(initialized.protocolVersion, 1)
      assert.deepStrictEqual(initialized.agentCapabilities, {
        loadSession: true,
        mcpCapabilities: { http: true, sse: true },
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} }
      })
    })
  )

  it.live("calls a tool of the client's own server, without a configuration and without a model", () =>
    Effect.gen(function* () {
      const editor = yield* start()
      const session = yield* newSession(editor, [everything()])
      assert.deepStrictEqual(yield* prompt(editor, session, '/call mcp__everything__echo {"message":"hello"}'), {
        stopReason: "end_turn"
      })
      const updates = updatesOf(editor, session)
      assert.deepStrictEqual(kinds(updates), [
        "available_commands_update",
        "tool_call",
        "tool_call_update",
        "agent_message_chunk",
        "session_info_update"
      ])
      assert.deepInclude(updates[1], {
        name: "mcp__everything__echo",
        status: "pending",
        rawInput: { message: "hello" }
      })
      assert.deepInclude(updates[2], {
        toolCallId: Reflect.get(updates[1]!, "toolCallId"),
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: "Echo: hello" } }]
      })
      assert.strictEqual(saidIn(editor, session).trim(), "Echo: hello")
      assert.strictEqual(yield* Effect.promise(editor.leave), 0)
    })
  )

  it.live("sends the client the title of the session, and sends it again after a reset", () =>
    Effect.gen(function* () {
      const editor = yield* usual
      const session = yield* newSession(editor)
      for (const words of ["/tools", "/status", "/new", "/help"]) yield* prompt(editor, session, words)
      const titles = updatesOf(editor, session).flatMap((update) =>
        update.sessionUpdate === "session_info_update" ? [update.title] : []
      )
      assert.deepStrictEqual(titles, ["/tools", null, "/help"])
    })
  )

  it.live("without a model, a question is answered with how to configure one", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const editor = yield* start({ notices: false, home })
      const session = yield* newSession(editor)
      assert.deepStrictEqual(yield* prompt(editor, session, "Hello?"), { stopReason: "end_turn" })
      assert.include(saidIn(editor, session), "No model is configured")
      // There is no file yet, and an editor chooses where we are started.
      assert.include(saidIn(editor, session), `write ${join(home, "openclaw.json")}:\n  { "agents"`)
    })
  )

  it.live("every sort of content reaches the client as it was, also what no model takes", () =>
    Effect.gen(function* () {
      const editor = yield* usual
      const session = yield* newSession(editor, [media()])
      const { content } = yield* call(editor, session, "mcp__media__media")
      assert.include(Reflect.get(content[0], "text"), "five things")
      assert.deepStrictEqual(content.slice(1), [
        { type: "image", mimeType: "image/png", data: base64("an image") },
        { type: "audio", mimeType: "audio/wav", data: base64("a sound") },
        {
          type: "resource",
          resource: { uri: "file:///archive.zip", mimeType: "application/zip", blob: base64("an archive") }
        },
        { type: "resource_link", uri: "file:///notes.txt", name: "notes" },
        { type: "audio", mimeType: "audio/wav", data: base64("x".repeat(300_000)) }
      ])
    })
  )

  it.live("lets the model use its tools and see attachments, and reports the usage", () =>
    Effect.gen(function* () {
      const calling = { calls: [{ id: "c1", name: "mcp__media__write_note", args: '{"text":"x"}' }] }
      const saying = { thought: "hm", text: ["Done."] }
      const { baseUrl, requests } = yield* provider(calling, saying, calling, saying)
      const config = {
        mcp: { acp: { contextWindow: 1000 }, servers: {} },
        agents: { defaults: { model: { id: "test", baseUrl } } }
      }
      const editor = yield* start({ config })
      const session = yield* newSession(editor, [media()])
      const ask = (words: string) =>
        editor.agent.request(methods.session.prompt, {
          sessionId: session,
          prompt: [
            { type: "text", text: words },
            { type: "image", mimeType: "image/png", data: base64("shot") },
            { type: "resource", resource: { uri: "file:///a.ts", text: "let a" } },
            { type: "resource_link", uri: "file:///b.ts", name: "b.ts" }
          ]
        })
      const done = yield* Effect.promise(() => ask("Write it down"))
      assert.deepStrictEqual(done, {
        stopReason: "end_turn",
        _meta: { usage: { inputTokens: 22, outputTokens: 14 } }
      })
      assert.deepStrictEqual(kinds(updatesOf(editor, session)).slice(1), [
        "tool_call",
        "tool_call_update",
        "usage_update",
        "agent_thought_chunk",
        "agent_message_chunk",
        "usage_update",
        "session_info_update"
      ])
      assert.deepInclude(updatesOf(editor, session)[3], { used: 18, size: 1000 })
      assert.include(
        requests[0]!.tools.map((tool) => tool.function.name),
        "mcp__media__write_note"
      )
      const asked = JSON.stringify(requests[0]!.messages.at(-1))
      for (const part of ["Write it down", base64("shot"), "let a", "[b.ts](file:///b.ts)"]) assert.include(asked, part)
      // The same id from the provider in another turn is another call.
      yield* Effect.promise(() => ask("Again"))
      const ids = updatesOf(editor, session).flatMap((update) =>
        update.sessionUpdate === "tool_call" ? [update.toolCallId] : []
      )
      assert.lengthOf(ids, 2)
      assert.lengthOf(new Set(ids), 2)
    })
  )

  it.live("progress is shown; cancel ends a running call at its server, and the turn says so", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "cancelled")
      const editor = yield* usual
      const session = yield* newSession(editor, [media("media", `--cancelled=${file}`)])
      const turn = yield* Effect.forkChild(prompt(editor, session, "/call mcp__media__hang"))
      yield* Effect.promise(() =>
        editor.until(
          (update, of) =>
            of === session &&
            update.sessionUpdate === "tool_call_update" &&
            JSON.stringify(update.content).includes("1 of 2: half way")
        )
      )
      yield* Effect.promise(() => editor.agent.notify(methods.session.cancel, { sessionId: session }))
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
      const last = updatesOf(editor, session).findLast((update) => update.sessionUpdate === "tool_call_update")
      assert.deepInclude(last, { status: "failed" })
      // The session goes on, and its server is still there; by its next answer it has read what came before.
      assert.strictEqual((yield* call(editor, session, "mcp__media__write_note", { a: 1 })).text, '{"a":1}')
      assert.isTrue(existsSync(file))
    })
  )

  it.live("a signal ends a running turn as a cancelled one, after its last update", () =>
    Effect.gen(function* () {
      for (const signal of rowsInFull(["SIGTERM", "SIGINT", "SIGHUP"] as const, ["SIGTERM"])) {
        const editor = yield* start()
        const session = yield* newSession(editor, [media()])
        const turn = yield* Effect.forkChild(prompt(editor, session, "/call mcp__media__hang"))
        yield* Effect.promise(() => editor.until((update) => update.sessionUpdate === "tool_call_update"))
        editor.child.kill(signal)
        assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
        const last = updatesOf(editor, session).findLast((update) => update.sessionUpdate === "tool_call_update")
        assert.deepInclude(last, { status: "failed" })
        assert.strictEqual(yield* Effect.promise(() => editor.exited), 0)
      }
    })
  )

  it.live("a request that is cancelled by its id ends as well", () =>
    Effect.gen(function* () {
      const editor = yield* usual
      const session = yield* newSession(editor, [media()])
      const stop = makeStop()
      const turn = editor.agent.request(
        methods.session.prompt,
        { sessionId: session, prompt: [{ type: "text", text: "/call mcp__media__hang" }] },
        { cancellationSignal: stop.signal }
      )
      yield* Effect.promise(() =>
        editor.until((update, of) => of === session && update.sessionUpdate === "tool_call_update")
      )
      stop.abort()
      assert.deepStrictEqual(yield* Effect.promise(() => turn), { stopReason: "cancelled" })
    })
  )

  it.live("refuses unknown and malformed requests with a reason", () =>
    Effect.gen(function* () {
      const { agent } = yield* usual
      const sessionId = "nobody-knows-me"
      const cwd = tmpdir()
      const text = [{ type: "text" as const, text: "hi" }]
      for (const work of [
        () => agent.request(methods.session.load, { sessionId, cwd, mcpServers: [] }),
        () => agent.request(methods.session.resume, { sessionId, cwd }),
        () => agent.request(methods.session.prompt, { sessionId, prompt: text })
      ]) {
        const error = yield* refusal(work)
        assert.deepInclude(error, { code: -32002, data: { sessionId } })
      }
      const of = (params: object) => refusal(() => agent.request("session/new", params))
      assert.deepInclude(yield* of({ cwd: "work", mcpServers: [] }), {
        code: -32602,
        message: "cwd must be an absolute path"
      })
      assert.deepInclude(yield* of({ cwd, mcpServers: {} }), {
        code: -32602,
        message: "mcpServers must be a list, and is of type object"
      })
      assert.deepInclude(yield* refusal(() => agent.request("session/fork", { sessionId })), { code: -32601 })
    })
  )

  it.live("reports an unusable configuration in each session, and on stderr before the first", () =>
    Effect.gen(function* () {
      const { agent, log, logged } = yield* start({ config: { mcp: { servers: { x: { comand: "y" } } } } })
      yield* logged(/\n/)
      assert.match(log(), /^mcp-live: .*mcp\.json.*comand/)
      const error = yield* refusal(() => agent.request(methods.session.new, { cwd: tmpdir(), mcpServers: [] }))
      assert.strictEqual(error.code, -32603)
      assert.include(error.message, "comand")
    })
  )

  it.live("has the tools of the edited configuration, and keeps the process of a server that is the same", () =>
    Effect.gen(function* () {
      const servers = (more: object) => ({ mcp: { servers: { one: shell(), ...more } } })
      const editor = yield* start({ config: servers({}) })
      const session = yield* newSession(editor, [])
      const tools = Effect.gen(function* () {
        const before = editor.updates.length
        yield* prompt(editor, session, "/tools")
        return JSON.stringify(editor.updates.slice(before))
      })
      assert.include(yield* tools, "mcp_one_pid")
      const pid = (yield* call(editor, session, "mcp_one_pid")).text
      writeFileSync(editor.file, JSON.stringify(servers({ two: shell() })))
      yield* Effect.repeat(tools, { until: (now) => now.includes("mcp_two_pid") })
      assert.strictEqual((yield* call(editor, session, "mcp_one_pid")).text, pid)
      assert.strictEqual((yield* call(editor, session, "mcp_two_pid")).status, "completed")
    })
  )
})
