/** Orders that a real OpenClaw gateway's agent places with itself, by a server that the gateway starts and tells nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { MAIN } from "../support/built.ts"
import { folder, launch, ORDER } from "../integration/mcpServer/program.ts"
import { connected, type TestClient } from "../support/mcpClients.ts"
import { linkLayer } from "../support/openclawLink.ts"
import { MUST_BE_GONE } from "./gateway.ts"
import { patch } from "./patch.ts"

const real = inject("openclaw")

const place = (client: TestClient, message: string) =>
  Effect.promise(() => client.call(ORDER, { message }, { timeout: 200_000 }))

const environmentOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1")
  } catch {
    return ""
  }
}

/** Programs with this data directory, by their numbers. */
const runningIn = (home: string) =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`MCP_LIVE_HOME=${home}\0`))

interface Setup {
  readonly home: string
  readonly gateway: ReadonlyArray<string>
}

const setup = Effect.gen(function* () {
  const tokenFile = join(yield* folder, "token")
  writeFileSync(tokenFile, real!.token, { mode: 0o600 })
  const home = yield* folder
  return { home, gateway: ["--gateway", real!.url, "--token-file", tokenFile] }
})

/** The gateway has this server meanwhile. */
const given = (server: object, tools: object = { toolSearch: false }) =>
  Effect.acquireRelease(patch({ mcp: { servers: { self: server } }, tools }), () =>
    Effect.ignore(patch({ mcp: { servers: { self: null } }, tools: { toolSearch: false } }, "mcp.servers.self.args"))
  )

const started = ({ gateway, home }: Setup) => ({
  command: process.execPath,
  args: [MAIN, "mcp-server", ...gateway],
  env: { MCP_LIVE_HOME: home },
  requestTimeoutMs: 120_000
})

/** A client beside the gateway, which shares the data directory. */
const beside = ({ gateway, home }: Setup) =>
  Effect.flatMap(launch({ args: gateway, home }), (program) => connected("2025-11-25", program))

/** The same for everybody who has a token; its address. */
const serving = Effect.fnUntraced(function* ({ gateway, home }: Setup, clients: string) {
  const { args, command, cwd, env, logged, onStderr } = yield* launch({
    args: [...gateway, "--http", "--port", "0", "--clients", clients],
    home
  })
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(command, [...args], { cwd, env: { ...env }, stdio: ["ignore", "ignore", "pipe"] })),
    (running) => Effect.sync(() => void running.kill("SIGTERM"))
  )
  child.stderr.on("data", (chunk: Buffer) => onStderr?.(chunk.toString()))
  return (yield* logged(/listening at (http\S+)/))[1] ?? ""
})

/** Each order has a conversation of its own, and the answer of one, with its name, is in that of the one before. */
const ordersIn = (answer: string) => 1 + new Set(answer.match(/mcp-\d{13}-[0-9a-f]{24}/g)).size

const underway = (home: string) => readdirSync(join(home, "orders", "underway"))

describe.skipIf(real === undefined)("a gateway that meets itself", () => {
  const withLink = Effect.provide(linkLayer({ url: real?.url ?? "", token: real?.token }))

  it.live("works at most three times in one chain of orders, and then gives the reason", () =>
    Effect.gen(function* () {
      const at = yield* setup
      yield* given(started(at))
      const client = yield* beside(at)
      const [deep, one, other] = yield* Effect.all(
        [place(client, "ORDER MORE 1"), place(client, "the same words"), place(client, "the same words")],
        { concurrency: "unbounded" }
      )
      assert.include(deep, "more than 3 in one chain are not accepted")
      assert.strictEqual(ordersIn(deep), 3, deep)
      // Those that do not come from the gateway have nothing to do with it.
      assert.match(one, /^ECHO 0 0: .*the same words/)
      assert.match(other, /^ECHO 0 0: .*the same words/)
      assert.deepStrictEqual(underway(at.home), [])
      appendFileSync(join(real!.home, MUST_BE_GONE), `${runningIn(at.home).join("\n")}\n`)
    }).pipe(Effect.scoped, withLink)
  )

  it.live("is seen by way of a tool search, too", () =>
    Effect.gen(function* () {
      const at = yield* setup
      yield* given(started(at), { toolSearch: { enabled: true, mode: "tools" } })
      const client = yield* beside(at)
      const same = yield* place(client, "ORDER SAME BY tool_call")
      assert.include(same, "has come back to where it started")
      assert.strictEqual(ordersIn(same), 1, same)
    }).pipe(Effect.scoped, withLink)
  )

  it.live("is seen by way of a program that serves HTTP, where the gateway is another client", () =>
    Effect.gen(function* () {
      const at = yield* setup
      const clients = join(yield* folder, "clients")
      writeFileSync(clients, "gateway a-token-for-the-gateway-itself-01\n", { mode: 0o600 })
      const url = yield* serving(at, clients)
      yield* given({
        url,
        transport: "streamable-http",
        headers: { Authorization: "Bearer a-token-for-the-gateway-itself-01" }
      })
      const client = yield* beside(at)
      const deep = yield* place(client, "ORDER MORE 1")
      assert.include(deep, "more than 3 in one chain are not accepted")
      assert.strictEqual(ordersIn(deep), 3, deep)
    }).pipe(Effect.scoped, withLink)
  )
})
