/** Servers that the client itself is: MCP inside of the ACP connection, which is no part of the protocol yet. */
import * as acp from "@agentclientprotocol/sdk/unstable"
import { fromMcpServer } from "@agentclientprotocol/sdk/experimental/mcp-server"
import { McpServer } from "@modelcontextprotocol/server"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { Readable, Writable } from "node:stream"
import { MAIN } from "../../support/built.ts"
import { folder } from "./client.ts"

const { agent: to, client: from } = acp.methods

interface Seen {
  calls: number
  cancelled: number
}

/** A server with a tool that answers, one that never does, and what was asked of it. */
const server = (seen: Seen) =>
  fromMcpServer(() => {
    const made = new McpServer({ name: "inside", version: "1" })
    made.registerTool("whoami", { description: "Who is asked" }, () => {
      seen.calls++
      return { content: [{ type: "text", text: "the editor itself" }] }
    })
    made.registerTool("hang", {}, (context) => {
      seen.calls++
      return new Promise((_, reject) => {
        context.mcpReq.signal.addEventListener("abort", () => {
          seen.cancelled++
          reject(new Error("cancelled"))
        })
      })
    })
    return made
  })

const start = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
  const home = yield* folder
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [MAIN, "acp", ...flags], {
        cwd: home,
        env: { PATH: process.env["PATH"], HOME: home, MCP_LIVE_HOME: home },
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  const updates: Array<acp.SessionUpdate> = []
  const listeners = new Set<() => void>()
  const provider = new acp.McpOverAcpProvider()
  const connection = acp
    .client({ name: "test" })
    .onNotification(from.session.update, ({ params }) => {
      updates.push(params.update)
      for (const look of listeners) look()
    })
    .onRequest(from.mcp.message, provider.handleRequest)
    .connect(
      acp.ndJsonStream(
        Writable.toWeb(child.stdin),
        Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>
      )
    )
  const { agentCapabilities } = yield* Effect.promise(() =>
    connection.agent.request(to.initialize, { protocolVersion: 1, clientCapabilities: {} })
  )
  const until = (fits: (update: acp.SessionUpdate) => boolean) =>
    Effect.callback<void>((resume) => {
      const look = () => {
        if (updates.some(fits)) resume(Effect.void)
      }
      listeners.add(look)
      look()
    })
  return { agent: connection.agent, provider, updates, until, capabilities: agentCapabilities }
})

const newSession = (agent: acp.ClientContext, mcpServers: ReadonlyArray<unknown>) =>
  Effect.promise(() => agent.request(to.session.new, { cwd: tmpdir(), mcpServers: mcpServers as Array<acp.McpServer> }))

const prompt = (agent: acp.ClientContext, sessionId: string, text: string) =>
  Effect.promise(() => agent.request(to.session.prompt, { sessionId, prompt: [{ type: "text", text }] }))

describe("a server that the client itself is", () => {
  it.live("is a server like any other where the operator switched that on", () =>
    Effect.gen(function* () {
      const { agent, capabilities, provider, updates } = yield* start("--unstable")
      assert.deepInclude(capabilities?.mcpCapabilities, { acp: true, http: true, sse: true })
      const seen = { calls: 0, cancelled: 0 }
      const { declaration } = provider.registerServer(agent, { name: "inside", handler: server(seen).handler })
      const { sessionId } = yield* newSession(agent, [declaration])
      yield* prompt(agent, sessionId, "/call mcp__inside__whoami {}")
      const ended = updates.findLast((update) => update.sessionUpdate === "tool_call_update")
      assert.deepInclude(ended, { status: "completed", rawOutput: { isError: false, text: "the editor itself" } })
      assert.strictEqual(seen.calls, 1)
    })
  )

  it.live("gets the cancellation of a call, and nothing from a closed session", () =>
    Effect.gen(function* () {
      const { agent, provider, until } = yield* start("--unstable")
      const seen = { calls: 0, cancelled: 0 }
      const { declaration } = provider.registerServer(agent, { name: "inside", handler: server(seen).handler })
      const { sessionId } = yield* newSession(agent, [declaration])
      const turn = agent.request(to.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: "/call mcp__inside__hang {}" }]
      })
      yield* until((update) => update.sessionUpdate === "tool_call")
      while (seen.calls === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Effect.promise(() => agent.notify(to.session.cancel, { sessionId }))
      assert.deepStrictEqual(yield* Effect.promise(() => turn), { stopReason: "cancelled" })
      while (seen.cancelled === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Effect.promise(() => agent.request(to.session.close, { sessionId }))
      assert.strictEqual(seen.calls, 1)
    })
  )

  it.live("that is missing or fails affects no other server", () =>
    Effect.gen(function* () {
      const { agent, provider, updates } = yield* start("--unstable")
      const broken = provider.registerServer(agent, {
        name: "broken",
        handler: () => {
          throw new Error("out of order")
        }
      })
      const { sessionId } = yield* newSession(agent, [
        { type: "acp", name: "nobody", serverId: "no such server" },
        broken.declaration
      ])
      assert.deepInclude(yield* prompt(agent, sessionId, "/status"), { stopReason: "end_turn" })
      const said = JSON.stringify(updates)
      for (const name of ["nobody", "broken"]) assert.include(said, `MCP server \\"${name}\\" did not start`)
    })
  )

  it.live(
    "is left out where it is not switched on, and a malformed one where it is: the person is told which and why",
    () =>
      Effect.gen(function* () {
        const told = Effect.fnUntraced(function* (program: Effect.Success<ReturnType<typeof start>>, entry: unknown) {
          const before = program.updates.length
          const { sessionId } = yield* newSession(program.agent, [entry])
          yield* prompt(program.agent, sessionId, "/status")
          return JSON.stringify(program.updates.slice(before))
        })
        const stable = yield* start()
        assert.notProperty(stable.capabilities?.mcpCapabilities, "acp")
        const declared = { type: "acp", name: "inside", serverId: "x" }
        assert.match(yield* told(stable, declared), /mcpServers\[0\] \(\\"inside\\"\): .*--unstable/)
        const unstable = yield* start("--unstable")
        for (const serverId of [undefined, null, 1, {}, []]) {
          assert.match(
            yield* told(unstable, { ...declared, serverId }),
            /mcpServers\[0\] \(\\"inside\\"\): serverId must be a string/
          )
        }
      })
  )
})
