/** `mcp-live acp` as an editor runs it, in front of a gateway that calls the tools it was given, as a real one does. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fakeGateway, recorded, type FakeGateway, type Played } from "../../fixtures/openclawGateway.ts"
import { entryName, newInstance } from "../../../src/layers/agent/SessionToolInjector/names.ts"
import { until } from "../../support/openclawLink.ts"
import { folder, newSession, prompt, refusal, saidIn, shell, start, updatesOf, methods } from "../acp/client.ts"

interface Entry {
  readonly url: string
  readonly headers: Record<string, string>
}

const entriesOf = (gateway: FakeGateway): ReadonlyArray<readonly [string, Entry]> => {
  const { mcp } = gateway.config() as { readonly mcp?: { readonly servers?: Record<string, Entry> } }
  return Object.entries(mcp?.servers ?? {})
}

/** Calls a tool of the one server in the gateway's configuration, and tells of it as a real gateway does. */
const callingOne = (gateway: () => FakeGateway, tool: string, args: Record<string, unknown>): ReadonlyArray<Played> => {
  const data: Record<string, unknown> = { toolCallId: "call_1", args }
  const event = (phase: string) => ({
    type: "event",
    event: "agent",
    payload: { runId: "{{runId}}", sessionKey: "{{sessionKey}}", stream: "tool", data: { ...data, phase } }
  })
  const started = event("start")
  const ended = event("result")
  return [
    async () => {
      const [name] = entriesOf(gateway())[0]!
      for (const { payload } of [started, ended]) Object.assign(payload.data, { name: `${name}__${tool}` })
    },
    started,
    async () => {
      const [, { headers, url }] = entriesOf(gateway())[0]!
      const client = new Client({ name: "gateway", version: "1" })
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
      const result = await client.callTool({ name: tool, arguments: args })
      await client.close()
      Object.assign(ended.payload.data, { result, isError: result.isError === true })
    },
    ended,
    ...recorded("plain")
  ]
}

const configFor = (gateway: FakeGateway) => ({
  gateway: { mode: "remote", remote: { url: gateway.url, token: gateway.token } }
})

describe("mcp-live acp at an OpenClaw gateway", () => {
  it.live(
    "runs a turn in which the gateway's agent calls a tool of the editor's own server, and leaves nothing there",
    () =>
      Effect.gen(function* () {
        let made: FakeGateway | undefined
        const gateway = yield* fakeGateway({
          play: () => callingOne(() => made!, "mcp__shell__echo", { text: "from the editor" })
        })
        made = gateway
        const editor = yield* start({ config: configFor(gateway) })
        const session = yield* newSession(editor, [shell()])
        const { stopReason } = yield* prompt(editor, session, "call it")
        assert.strictEqual(stopReason, "end_turn")
        const call = updatesOf(editor, session).find(({ sessionUpdate }) => sessionUpdate === "tool_call")
        assert.isTrue(call?.sessionUpdate === "tool_call" && call.name === "mcp__shell__echo")
        const ended = updatesOf(editor, session).findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
        assert.include(JSON.stringify(ended), "from the editor")
        assert.include(saidIn(editor, session), "ECHO")
        assert.lengthOf(entriesOf(gateway), 1)
        yield* Effect.promise(() => editor.agent.request(methods.session.close, { sessionId: session }))
        assert.lengthOf(entriesOf(gateway), 0)
      })
  )

  it.live("removes its tools from the gateway when the editor leaves", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const editor = yield* start({ config: configFor(gateway) })
      yield* prompt(editor, yield* newSession(editor, [shell()]), "hello")
      assert.lengthOf(entriesOf(gateway), 1)
      yield* Effect.promise(editor.leave)
      assert.lengthOf(entriesOf(gateway), 0)
    })
  )

  it.live("removes the leftovers of a killed process at initialize, and keeps the tools of a living one", () =>
    Effect.gen(function* () {
      const [left, mine] = [entryName(newInstance(), 1), { url: "http://127.0.0.1:1/x" }]
      // Nobody listens at a port that only the system's own services may have.
      const dead = { url: `http://127.0.0.1:1/${left}`, transport: "streamable-http", enabled: false }
      const gateway = yield* fakeGateway({ config: { mcp: { servers: { mine } } } })
      const living = yield* start({ config: configFor(gateway) })
      yield* prompt(living, yield* newSession(living, [shell()]), "hello")
      const [, [ofLiving]] = entriesOf(gateway) as readonly [unknown, readonly [string, Entry]]
      Object.assign(Object(gateway.config()["mcp"]).servers, { [left]: dead })
      const next = yield* start({ config: configFor(gateway) })
      yield* until(() => !entriesOf(gateway).some(([name]) => name === left))
      assert.deepStrictEqual(
        entriesOf(gateway).map(([name]) => name),
        ["mine", ofLiving]
      )
      assert.lengthOf(next.updates, 0)
      assert.lengthOf(
        gateway.asked.filter(({ method }) => method === "chat.send"),
        1
      )
    })
  )

  it.live("aborts the run when the editor cancels", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({
        play: () => [...recorded("plain").slice(0, -4), () => new Promise(() => {})]
      })
      const editor = yield* start({ config: configFor(gateway) })
      const session = yield* newSession(editor)
      const turn = yield* Effect.forkChild(prompt(editor, session, "SLOW"))
      yield* until(() => saidIn(editor, session) !== "")
      yield* Effect.promise(() => editor.agent.notify(methods.session.cancel, { sessionId: session }))
      const { stopReason } = yield* Fiber.join(turn)
      assert.strictEqual(stopReason, "cancelled")
      yield* until(() => gateway.asked.some(({ method }) => method === "chat.abort"))
    })
  )

  it.live("loads a conversation in the next process, with everything that was shown", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ play: () => recorded("tool") })
      const home = yield* folder
      const first = yield* start({ home, config: configFor(gateway) })
      const session = yield* newSession(first)
      yield* prompt(first, session, "read it")
      yield* Effect.promise(first.leave)
      const second = yield* start({ home, config: configFor(gateway) })
      yield* Effect.promise(() =>
        second.agent.request(methods.session.load, { sessionId: session, cwd: home, mcpServers: [] })
      )
      assert.strictEqual(saidIn(second, session), saidIn(first, session))
      assert.isTrue(updatesOf(second, session).some(({ sessionUpdate }) => sessionUpdate === "tool_call"))
    })
  )

  it.live("says that the token is wrong, and never what it is", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway({ token: "another-token-than-ours" })
      const config = { gateway: { mode: "remote", remote: { url: gateway.url, token: "a-token-that-is-wrong" } } }
      const editor = yield* start({ config })
      const session = yield* newSession(editor)
      const { message } = yield* refusal(() =>
        editor.agent.request(methods.session.prompt, { sessionId: session, prompt: [{ type: "text", text: "hi" }] })
      )
      assert.include(message, "AUTH_TOKEN_MISMATCH")
      assert.include(message, "gateway.remote.token of the configuration")
      yield* refusal(() =>
        editor.agent.request(methods.session.prompt, { sessionId: session, prompt: [{ type: "text", text: "hi" }] })
      )
      yield* Effect.promise(editor.leave)
      assert.lengthOf(editor.log().match(/AUTH_TOKEN_MISMATCH/g) ?? [], 1)
      assert.notInclude(message + editor.log(), "a-token-that-is-wrong")
    })
  )

  it.live("takes the gateway and its token from the command line", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const tokenFile = join(yield* folder, "token")
      writeFileSync(tokenFile, gateway.token, { mode: 0o600 })
      const editor = yield* start({ args: ["--gateway", gateway.url, "--token-file", tokenFile] })
      const session = yield* newSession(editor)
      yield* prompt(editor, session, "hello")
      assert.include(saidIn(editor, session), "ECHO")
    })
  )

  it.live("takes an agent that only the gateway knows", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const tokenFile = join(yield* folder, "token")
      writeFileSync(tokenFile, gateway.token, { mode: 0o600 })
      const editor = yield* start({
        args: ["--gateway", gateway.url, "--token-file", tokenFile, "--agent", "coder"]
      })
      yield* prompt(editor, yield* newSession(editor), "hello")
      const sent = gateway.asked.find(({ method }) => method === "chat.send")
      assert.match(String(Object(sent?.params).sessionKey), /^agent:coder:/)
    })
  )

  it.live("refuses an unconfigured agent if it uses the built-in one", () =>
    Effect.gen(function* () {
      const editor = yield* start({ args: ["--agent", "coder"] })
      const { message } = yield* refusal(() =>
        editor.agent.request(methods.session.new, { cwd: process.cwd(), mcpServers: [] })
      )
      assert.include(message, "There is no agent 'coder'")
    })
  )

  it.live("tells the user and, once, the log that no gateway runs, and answers when one does", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      gateway.setAway(true)
      const editor = yield* start({ config: configFor(gateway) })
      const session = yield* newSession(editor)
      const turn = yield* Effect.forkChild(prompt(editor, session, "hello"))
      const told = yield* Effect.promise(() => editor.until(({ sessionUpdate }) => sessionUpdate === "notice"))
      for (const part of [gateway.url, "still being tried", "--backend embedded"]) {
        assert.include(JSON.stringify(told), part)
      }
      gateway.setAway(false)
      assert.strictEqual((yield* Fiber.join(turn)).stopReason, "end_turn")
      assert.include(saidIn(editor, session), "ECHO")
      yield* Effect.promise(editor.leave)
      assert.lengthOf(editor.log().match(/--backend embedded/g) ?? [], 1)
      assert.include(editor.log(), gateway.url)
    })
  )

  it.live("says in its log that a conversation is deleted at the gateway later", () =>
    Effect.gen(function* () {
      const gateway = yield* fakeGateway()
      const editor = yield* start({ config: configFor(gateway) })
      const session = yield* newSession(editor)
      yield* prompt(editor, session, "hello")
      gateway.setAway(true)
      yield* until(() => gateway.open() === 0)
      yield* Effect.promise(() => editor.agent.request(methods.session.delete, { sessionId: session }))
      yield* editor.logged(/was deleted here, and will be deleted at the OpenClaw gateway at ws:/)
      gateway.setAway(false)
      yield* until(() => gateway.asked.some(({ method }) => method === "sessions.delete"))
    })
  )

  it.live("says to the editor, and in its log, why a gateway cannot be used", () =>
    Effect.gen(function* () {
      const editor = yield* start({ args: ["--gateway", "ws://gateway.example:18789"] })
      const { message } = yield* refusal(() =>
        editor.agent.request(methods.session.new, { cwd: process.cwd(), mcpServers: [] })
      )
      assert.include(message, "use wss://")
      yield* Effect.promise(editor.leave)
      assert.lengthOf(editor.log().match(/use wss:\/\//g) ?? [], 1)
    })
  )
})
