/** The agent as an MCP server over HTTP: tokens are clients, and clients have nothing of each other. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { spawn } from "node:child_process"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { shell } from "../../fixtures/servers.ts"
import { leftOf } from "../../support/alive.ts"
import { connected, ERAS, type TestClient } from "../../support/mcpClients.ts"
import { send } from "../../support/rawHttp.ts"
import { provider } from "../../support/modelProvider.ts"
import { childrenOf, folder, launch, listeningWith, model, ORDER, type Result } from "./program.ts"
import { isFull, rowsInFull } from "../../support/full.ts"

const ADA = "a-token-of-ada-123"
const BOB = "a-token-of-bob-123"

const place = (client: TestClient, args: Record<string, unknown>, name = ORDER) =>
  Effect.promise(() => client.request("tools/call", { name, arguments: args }) as unknown as Promise<Result>)

const listening = Effect.fnUntraced(function* (args: ReadonlyArray<string>, more: object = {}) {
  const behind = yield* provider({ text: ["Yes."] })
  const config = { ...model(behind.baseUrl), ...more }
  return { behind, ...(yield* listeningWith({ args: ["--http", "0", ...args], config })) }
})

const clientsFile = Effect.fnUntraced(function* (text: string, mode = 0o600) {
  const path = join(yield* folder, "clients")
  writeFileSync(path, text, { mode })
  return path
})

describe("orders over HTTP", () => {
  it.live.runIf(isFull)(
    "are taken from clients of 2024-11-05, and from pages that were named; whether it is there it says",
    () =>
      Effect.gen(function* () {
        const page = "http://localhost:6274"
        const clients = yield* clientsFile(`ada ${ADA}\n`)
        const { url } = yield* listening(["--clients", clients, "--allow-origin", page])
        const at = (path: string) => new URL(path, url).href
        const ada = yield* connected("2025-11-25", { url: at("/sse"), token: ADA, sse: true })
        assert.isFalse((yield* place(ada, { message: "one" })).isError)
        const status = (path: string, method: string, headers: Record<string, string> = {}) =>
          Effect.map(
            Effect.promise(() => send(at(path), { method, headers })),
            (answer) => answer.status
          )
        assert.strictEqual(yield* status("/mcp", "OPTIONS", { origin: page }), 204)
        assert.strictEqual(yield* status("/mcp", "OPTIONS", { origin: "http://localhost:1" }), 403)
        assert.strictEqual(yield* status("/health", "GET"), 200)
        // There are no servers to name, and no names of this machine.
        assert.strictEqual(yield* status("/mcp/one", "GET"), 404)
        assert.strictEqual(yield* status("/health", "GET", { host: "mcp.example.com" }), 403)
      }).pipe(Effect.scoped)
  )

  it.live.each(rowsInFull(ERAS, ["2026-07-28"]))("belong to the client with the token, in every revision: %s", (era) =>
    Effect.gen(function* () {
      const clients = yield* clientsFile(`# those who may\nada ${ADA}\nbob ${BOB}\n`)
      const { behind, url } = yield* listening(["--clients", clients])
      const ada = yield* connected(era, { url, token: ADA })
      const again = yield* connected(era, { url, token: ADA })
      const bob = yield* connected(era, { url, token: BOB })
      for (const [client, message] of [
        [ada, "one"],
        [again, "two"],
        [bob, "three"]
      ] as const) {
        assert.isFalse((yield* place(client, { message, sessionKey: "k" })).isError)
      }
      const said = behind.requests.map(({ messages }) => messages.slice(1).map(({ content }) => content))
      assert.deepStrictEqual(said, [["one"], ["one", "Yes.", "two"], ["three"]])
      assert.deepInclude((yield* place(bob, { sessionKey: "k" }, "order_history")).structuredContent ?? {}, {
        earlier: 0
      })
      assert.lengthOf(
        (yield* place(bob, { sessionKey: "k" }, "order_history")).structuredContent?.turns as ReadonlyArray<unknown>,
        1
      )
    })
  )

  it.live("need a token; a generated one is only in a file for this user", () =>
    Effect.gen(function* () {
      const { program, stdout, url } = yield* listening([])
      const [, path = ""] = yield* program.logged(/the token for clients is in (\S+)/)
      const token = readFileSync(path, "utf8")
      assert.match(token, /^[\w-]{43}$/)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      const client = yield* connected("2025-11-25", { url, token })
      assert.strictEqual((yield* place(client, { message: "m" })).content[0]?.text, "Yes.")
      for (const authorization of [undefined, "Bearer wrong-wrong-wrong-wrong", `Basic ${token}`]) {
        const response = yield* Effect.promise(() =>
          fetch(url, { method: "POST", body: "{}", headers: authorization === undefined ? {} : { authorization } })
        )
        assert.strictEqual(response.status, 401)
      }
      assert.notInclude(program.log(), token)
      assert.strictEqual(stdout(), "")
    })
  )

  it.live("go to the agent that a token is for, and to no other in its place", () =>
    Effect.gen(function* () {
      const clients = yield* clientsFile(`ada ${ADA} coder\nbob ${BOB} nobody`)
      const own = yield* provider({ text: ["Coder."] })
      const agents = {
        defaults: { model: { id: "test", baseUrl: own.baseUrl } },
        list: [{ id: "main" }, { id: "coder", model: { id: "other", baseUrl: own.baseUrl } }]
      }
      const { url } = yield* listening(["--clients", clients], { agents })
      const ada = yield* connected("2025-11-25", { url, token: ADA })
      assert.strictEqual((yield* place(ada, { message: "m" })).content[0]?.text, "Coder.")
      assert.strictEqual(own.requests[0]?.model, "other")
      const bob = yield* connected("2025-11-25", { url, token: BOB })
      const refused = yield* place(bob, { message: "m" })
      assert.isTrue(refused.isError)
      assert.match(refused.content[0]?.text ?? "", /^Error: .*nobody/)
      assert.lengthOf(own.requests, 1)
    })
  )

  it.live("may run as tasks for clients that ask for the answer later", () =>
    Effect.gen(function* () {
      const clients = yield* clientsFile(`ada ${ADA}`)
      const { url } = yield* listening(["--clients", clients])
      const client = yield* connected("2025-11-25", { url, token: ADA })
      const asked = <A>(method: string, params: object) =>
        Effect.promise(() => client.request(method, { ...params }) as unknown as Promise<A>)
      const listed = yield* asked<{ tools: ReadonlyArray<{ execution?: object }> }>("tools/list", {})
      assert.deepStrictEqual(listed.tools[0]?.execution, { taskSupport: "optional" })
      const { task } = yield* asked<{ task: { taskId: string } }>("tools/call", {
        name: ORDER,
        arguments: { message: "m" },
        task: {}
      })
      const result = yield* asked<Result>("tasks/result", { taskId: task.taskId })
      assert.strictEqual(result.content[0]?.text, "Yes.")
    })
  )

  it.live("have quotas of their own for each client", () =>
    Effect.gen(function* () {
      const clients = yield* clientsFile(`ada ${ADA}\nbob ${BOB}`)
      const { url } = yield* listening(["--clients", clients], { mcp: { order: { perMinute: 1 } } })
      const ada = yield* connected("2025-11-25", { url, token: ADA })
      const bob = yield* connected("2025-11-25", { url, token: BOB })
      assert.isFalse((yield* place(ada, { message: "m" })).isError)
      assert.include((yield* place(ada, { message: "m" })).content[0]?.text, "Error: too many requests")
      assert.isFalse((yield* place(bob, { message: "m" })).isError)
    })
  )

  it.live.skipIf(process.platform === "win32")("leave no server behind that does not end by itself", () =>
    Effect.gen(function* () {
      const clients = yield* clientsFile(`ada ${ADA}`)
      const { child, program, url } = yield* listening(["--clients", clients], {
        mcp: { servers: { deaf: shell("--stubborn") } }
      })
      const client = yield* connected("2026-07-28", { url, token: ADA })
      yield* place(client, { message: "m" })
      // Before it is there, a signal would end it.
      yield* Effect.repeat(place(client, { message: "/tools" }), {
        schedule: Schedule.spaced("250 millis"),
        until: ({ content }) => JSON.stringify(content).includes("mcp_deaf_sh")
      })
      const servers = yield* childrenOf(child.pid!)
      const exited = new Promise((resolve) => child.once("close", resolve))
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => exited), 0)
      assert.deepStrictEqual(yield* leftOf(servers), [])
      assert.include(program.log(), "killing the servers that have not ended")
    })
  )

  it.live.each([
    ["that others can write", `ada ${ADA}`, 0o622, /the file can be written by others/],
    ["that others can read", `ada ${ADA}`, 0o644, /the file can be read by others: chmod 600 \//],
    ["without a client", "# nobody\n", 0o600, /there is no client in it/],
    ["with a token that could be guessed", "ada secret", 0o600, /line 1: after the name comes its token/]
  ] as const)("are not served by a file of clients %s", ([, text, mode, why]) =>
    Effect.gen(function* () {
      const clients = yield* clientsFile("")
      const { writeFileSync: write, chmodSync } = yield* Effect.promise(() => import("node:fs"))
      write(clients, text)
      chmodSync(clients, mode)
      const program = yield* launch({ args: ["--http", "0", "--clients", clients] })
      const child = spawn(program.command, [...program.args], { cwd: program.cwd, env: { ...program.env } })
      child.stderr.on("data", (chunk: Buffer) => program.onStderr?.(chunk.toString()))
      const code = yield* Effect.promise(() => new Promise((resolve) => child.once("close", resolve)))
      assert.strictEqual(code, 1)
      assert.match(program.log(), why)
      assert.notInclude(program.log(), "secret")
    })
  )
})
