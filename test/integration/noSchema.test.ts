/** A tool whose `inputSchema` is missing or null has no parameters, at every door, over both transports, and it is told. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { loadMCPServers } from "../../src/index.ts"
import { connected } from "../support/mcpClients.ts"
import { provider } from "../support/modelProvider.ts"
import * as acp from "./acp/client.ts"
import * as orders from "./mcpServer/program.ts"
import { overStdio, placeFor } from "./serve/program.ts"

const TOOLS = [{ name: "missing" }, { name: "nulled", inputSchema: null }, { name: "listed", inputSchema: [] }]
const NONE = { type: "object", properties: {} }

/** Also a part of a script in a configuration, where a dollar before a brace is a variable. */
const answerTo = ({ method, params }: { readonly method: string; readonly params?: { readonly name?: string } }) => {
  if (method === "initialize") {
    const serverInfo = { name: "bare", version: "1" }
    return { result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } }
  }
  if (method === "tools/list") return { result: { tools: TOOLS } }
  if (method === "tools/call")
    return { result: { content: [{ type: "text", text: ["called", params?.name].join(" ") }] } }
  return { error: { code: -32601, message: "no such method" } }
}

const SCRIPT = `
const TOOLS = ${JSON.stringify(TOOLS)}
const answerTo = ${String(answerTo)}
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, ...message } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answerTo(message) }) + "\\n")
})`

const stdio = { command: process.execPath, args: ["-e", SCRIPT] }

const http: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => (body += text))
      request.on("end", () => {
        if (request.method !== "POST") return void response.writeHead(405).end()
        const { id, ...message } = JSON.parse(body)
        if (id === undefined) return void response.writeHead(202).end()
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answerTo(message) }))
      })
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))

const TOLD = ["missing", "nulled"].map((name) => `tool "${name}" has no inputSchema: it is taken as one without`)

describe("a tool without an input schema", () => {
  it.live("of a program's own loop, over stdio and over HTTP", () =>
    Effect.gen(function* () {
      const url = yield* http
      const logged: Array<string> = []
      const provided = yield* Effect.acquireRelease(
        Effect.promise(() =>
          loadMCPServers({ servers: { stdio, http: { url } } }, undefined, {
            onLog: ({ message, server }) => void logged.push(`${server}: ${message}`)
          })
        ),
        (made) => Effect.promise(() => made.close())
      )
      assert.deepStrictEqual(
        provided.tools().map(({ name, parameters }) => [name, parameters]),
        ["http__missing", "http__nulled", "stdio__missing", "stdio__nulled"].map((name) => [name, NONE])
      )
      for (const tool of provided.tools()) {
        const { content, isError } = yield* Effect.promise(() => tool.execute("call", {}))
        assert.isFalse(isError)
        assert.include(JSON.stringify(content), `called ${tool.name.split("__")[1]}`)
      }
      for (const server of ["http", "stdio"]) {
        for (const words of TOLD) assert.include(logged.join("\n"), `${server}: ${words}`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("through serve", () =>
    Effect.gen(function* () {
      for (const era of ["2025-11-25", "2026-07-28"] as const) {
        const client = yield* overStdio(era, yield* placeFor({ mcp: { servers: { bare: stdio } } }))
        const { tools } = (yield* Effect.promise(() => client.request("tools/list", {}))) as {
          readonly tools: ReadonlyArray<{ readonly name: string; readonly inputSchema: unknown }>
        }
        for (const name of ["mcp_bare_missing", "mcp_bare_nulled"]) {
          assert.deepStrictEqual(tools.find((tool) => tool.name === name)?.inputSchema, NONE)
          assert.include(yield* Effect.promise(() => client.call(name)), `called ${name.slice(9)}`)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("in an editor's session", () =>
    Effect.gen(function* () {
      const editor = yield* acp.start()
      const session = yield* acp.newSession(editor, [{ name: "bare", ...stdio, env: [] }])
      for (const name of ["missing", "nulled"]) {
        assert.include((yield* acp.call(editor, session, `mcp__bare__${name}`)).text, `called ${name}`)
      }
      for (const words of TOLD) yield* editor.logged(new RegExp(words))
    })
  )

  it.live("is offered to the model of an order, and called by it", () =>
    Effect.gen(function* () {
      const behind = yield* provider({ calls: [{ id: "c1", name: "mcp_bare_nulled", args: "{}" }] }, { text: ["ok"] })
      const config = { ...orders.model(behind.baseUrl), mcp: { servers: { bare: stdio } } }
      const client = yield* connected("2025-11-25", yield* orders.launch({ config }))
      yield* Effect.promise(() => client.call(orders.ORDER, { message: "call it" }))
      const [first, second] = behind.requests
      for (const name of ["mcp_bare_missing", "mcp_bare_nulled"]) {
        const offered = first!.tools.find((tool) => tool.function.name === name)
        assert.deepInclude(offered?.function.parameters as object, NONE)
      }
      assert.include(JSON.stringify(second!.messages), "called nulled")
    }).pipe(Effect.scoped)
  )
})
