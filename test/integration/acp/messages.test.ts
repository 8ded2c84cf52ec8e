/** The messages of an editor with MCP servers as they stand in a guide for such agents, key by key, against the program. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { createServer, request, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { everything as overHttp } from "../../fixtures/servers.ts"
import { call, methods, noticesIn, prompt, refusal, start, updatesOf, type Editor } from "./client.ts"

/** A server of few lines that answers every message, notifications as well, and skips what it cannot read. */
const MOCK = `
const tools = [
  { name: "echo", description: "Echoes the input back", inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] } },
  { name: "add", description: "Adds two numbers", inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] } }
]
const text = (words) => ({ result: { content: [{ type: "text", text: String(words) }] } })
const answer = ({ method, params }) => {
  if (method === "initialize") return { result: { protocolVersion: "2025-03-26", capabilities: { tools: {} }, serverInfo: { name: "mock-mcp-server", version: "1.0.0" } } }
  if (method === "notifications/initialized") return { result: {} }
  if (method === "tools/list") return { result: { tools } }
  if (method === "tools/call" && params.name === "echo") return text(params.arguments.message)
  if (method === "tools/call" && params.name === "add") return text(Number(params.arguments.a) + Number(params.arguments.b))
  return { error: { code: -32601, message: "Unknown method: " + method } }
}
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  try {
    const request = JSON.parse(line)
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer(request) }) + "\\n")
  } catch {}
})`

const mock = { type: "stdio", name: "mock", command: process.execPath, args: ["-e", MOCK], env: [] }
const cwd = tmpdir()

/** What is at an address, with the headers of all that came in there. */
const recorded = Effect.fnUntraced(function* (target: string) {
  const requests: Array<IncomingHttpHeaders> = []
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((incoming, response) => {
        requests.push(incoming.headers)
        const { headers, method, url: path } = incoming
        const onward = request(new URL(path ?? "/", target), { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers).flushHeaders()
          answer.on("error", () => {}).pipe(response)
        })
        incoming.pipe(onward.on("error", () => response.destroy()))
      })
    ),
    (made) => Effect.sync(() => void (made.closeAllConnections(), made.close()))
  )
  yield* Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening"))
  const { port } = server.address() as AddressInfo
  return { requests, url: `http://127.0.0.1:${port}${new URL(target).pathname}` }
})
const ask = (editor: Editor, method: string, params: object) =>
  Effect.promise(() => editor.agent.request(method, params) as Promise<Record<string, unknown>>)

describe("an editor's messages", () => {
  it.live("initialize: each capability that is promised is there", () =>
    Effect.gen(function* () {
      const { initialized } = yield* start()
      const { agentCapabilities, authMethods, protocolVersion } = initialized
      assert.strictEqual(protocolVersion, 1)
      assert.isTrue(agentCapabilities?.loadSession)
      assert.deepInclude(agentCapabilities?.promptCapabilities, { image: true, embeddedContext: true })
      assert.deepInclude(agentCapabilities?.mcpCapabilities, { http: true, sse: true })
      assert.deepStrictEqual(agentCapabilities?.sessionCapabilities?.list, {})
      assert.deepStrictEqual(authMethods, [])
    })
  )

  it.live("session/new with stdio, http and sse servers: their tools have the names that models take, and work", () =>
    Effect.gen(function* () {
      const [http, sse] = yield* Effect.all([overHttp("streamableHttp"), overHttp("sse")])
      const editor = yield* start()
      const headers = [{ name: "Authorization", value: "Bearer t" }]
      const mcpServers = [
        mock,
        { type: "http", name: "h", url: http.url, headers },
        { type: "sse", name: "s", url: sse.url, headers: [] }
      ]
      const { sessionId } = yield* ask(editor, methods.session.new, { cwd, mcpServers })
      const session = String(sessionId)
      assert.deepStrictEqual(noticesIn(editor, session), [])
      assert.include((yield* call(editor, session, "mcp__mock__echo", { message: "hello" })).text, "hello")
      assert.include((yield* call(editor, session, "mcp__mock__add", { a: 3, b: 4 })).text, "7")
      assert.include((yield* call(editor, session, "mcp__h__echo", { message: "over http" })).text, "over http")
      assert.include((yield* call(editor, session, "mcp__s__echo", { message: "over sse" })).text, "over sse")
      const missing = yield* call(editor, session, "mcp__mock__fail")
      assert.strictEqual(missing.status, "failed")
      const kinds = updatesOf(editor, session).map(({ sessionUpdate }) => sessionUpdate)
      for (const kind of ["available_commands_update", "tool_call", "tool_call_update"]) assert.include(kinds, kind)
    })
  )

  it.live("each key of an entry reaches its server: args and env over stdio, headers over HTTP", () =>
    Effect.gen(function* () {
      const [http, sse] = yield* Effect.all([overHttp("streamableHttp"), overHttp("sse")])
      const [web, old] = yield* Effect.all([recorded(http.url), recorded(sse.url)])
      const editor = yield* start({ env: { GATEWAY_TOKEN: "of-the-host" } })
      const seen = "JSON.stringify([process.argv.slice(1), process.env.GIVEN, process.env.GATEWAY_TOKEN ?? null])"
      const program = {
        ...mock,
        args: ["-e", MOCK.replace("String(words)", seen), "one", "two words"],
        env: [{ name: "GIVEN", value: "by the editor" }]
      }
      const headers = [
        { name: "Authorization", value: "Bearer of-the-editor" },
        { name: "X-Tenant", value: "7" }
      ]
      const mcpServers = [
        program,
        { type: "http", name: "h", url: web.url, headers },
        { type: "sse", name: "s", url: old.url, headers }
      ]
      const { sessionId } = yield* ask(editor, methods.session.new, { cwd, mcpServers })
      const session = String(sessionId)
      assert.deepStrictEqual(JSON.parse((yield* call(editor, session, "mcp__mock__echo", { message: "" })).text!), [
        ["one", "two words"],
        "by the editor",
        null
      ])
      for (const [name, { requests }] of [
        ["h", web],
        ["s", old]
      ] as const) {
        assert.include((yield* call(editor, session, `mcp__${name}__echo`, { message: name })).text, name)
        assert.isAbove(requests.length, 2)
        for (const each of requests) {
          assert.deepInclude(each, { authorization: "Bearer of-the-editor", "x-tenant": "7" })
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("session/load with mcpServers, and _meta of both", () =>
    Effect.gen(function* () {
      const editor = yield* start()
      const named = { cwd, mcpServers: [mock], _meta: { sessionKey: "agent:main:main" } }
      const { sessionId } = yield* ask(editor, methods.session.new, named)
      const session = String(sessionId)
      yield* prompt(editor, session, "/help")
      assert.strictEqual((yield* ask(editor, methods.session.new, named))["sessionId"], sessionId)
      yield* ask(editor, methods.session.load, { sessionId, ...named })
      assert.include(JSON.stringify(updatesOf(editor, session)), '"user_message_chunk"')
      assert.include((yield* call(editor, session, "mcp__mock__echo", { message: "here" })).text, "here")
      const labelled = yield* ask(editor, methods.session.new, { ...named, _meta: { sessionLabel: "/help" } })
      assert.strictEqual(labelled["sessionId"], sessionId)
      const before = editor.updates.length
      yield* ask(editor, methods.session.load, { sessionId, ...named, _meta: { resetSession: true } })
      const replayed = editor.updates.slice(before).map(({ update }) => update.sessionUpdate)
      assert.notInclude(replayed, "user_message_chunk")
    })
  )

  it.live("session/new works without servers, and with one that starts next to one that does not", () =>
    Effect.gen(function* () {
      const editor = yield* start()
      assert.isString((yield* ask(editor, methods.session.new, { cwd, mcpServers: [] }))["sessionId"])
      const broken = { type: "stdio", name: "broken", command: "/no/such/program", args: [], env: [] }
      const { sessionId } = yield* ask(editor, methods.session.new, { cwd, mcpServers: [broken, mock] })
      assert.include((yield* call(editor, String(sessionId), "mcp__mock__add", { a: 1, b: 1 })).text, "2")
      assert.include(noticesIn(editor, String(sessionId)).join(), '"broken" did not start')
      const error = yield* refusal(() =>
        editor.agent.request(methods.session.load, { sessionId: "x", cwd, mcpServers: [] })
      )
      assert.strictEqual(error.code, -32002)
    })
  )
})
