/** MCP clients for the command line, as published, against the program as they start it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { PNG } from "../support/media.ts"
import { provider } from "../support/modelProvider.ts"
import { inFolder as folder } from "../support/folder.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const MAIN = at("../../src/programs/main.ts")
const NODE_MODULES = at("clients/node_modules")

interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (home: string, program: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<Finished>((resume) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, MCP_LIVE_HOME: home, NO_COLOR: "1" }
    execFile(
      process.execPath,
      [join(NODE_MODULES, program), ...args],
      { cwd: home, env, timeout: 120_000 },
      (error, stdout, stderr) =>
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }))
    )
  })

const configured = Effect.fnUntraced(function* () {
  const home = yield* folder
  const model = yield* provider({ text: ["It is ", "done."] })
  // Where the program looks by itself: the inspector has a --config of its own.
  const file = join(home, "openclaw.json")
  writeFileSync(file, JSON.stringify({ agents: { defaults: { model: { id: "test", baseUrl: model.baseUrl } } } }))
  return { home, model, server: [process.execPath, MAIN, "mcp-server"] }
})

/** The same program on a port, with the token that it has made. */
const listening = Effect.gen(function* () {
  const { home, model } = yield* configured()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: home, MCP_LIVE_HOME: home, NO_COLOR: "1" }
      const args = [MAIN, "mcp-server", "--http", "--port", "0"]
      return spawn(process.execPath, args, { cwd: home, env, stdio: ["ignore", "ignore", "pipe"] })
    }),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  const [url = "", path = ""] = yield* Effect.callback<ReadonlyArray<string>>((resume) => {
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      const found = /listening at (\S+)[^]*the token for clients is in (\S+)\n/.exec(said)
      if (found !== null) resume(Effect.succeed(found.slice(1)))
    })
  })
  return { home, model, url, authorization: `Bearer ${readFileSync(path, "utf8")}` }
})

describe("the inspector", () => {
  const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

  it.live.each(["/mcp", "/sse"])("places an order at %s, and shows the answer", (path) =>
    Effect.gen(function* () {
      const { authorization, home, url } = yield* listening
      const order = ["--method", "tools/call", "--tool-name", "order_openclaw", "--tool-arg", "message=hello"]
      const at = ["--cli", new URL(path, url).href, "--header", `Authorization: ${authorization}`]
      const { code, stderr, stdout } = yield* run(home, INSPECTOR, ...at, ...order)
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual((JSON.parse(stdout) as { content: unknown }).content, [
        { type: "text", text: "It is done." }
      ])
    })
  )

  it.live("places an order with --cli, and shows the answer", () =>
    Effect.gen(function* () {
      const { home, server } = yield* configured()
      const { code, stderr, stdout } = yield* run(
        home,
        INSPECTOR,
        "--cli",
        ...server,
        "--method",
        "tools/call",
        "--tool-name",
        "order_openclaw",
        "--tool-arg",
        "message=hello",
        "--tool-arg",
        "sessionKey=k"
      )
      assert.strictEqual(code, 0, stderr)
      const result = JSON.parse(stdout) as { content: unknown; structuredContent: { sessionKey: string } }
      assert.deepStrictEqual(result.content, [{ type: "text", text: "It is done." }])
      assert.strictEqual(result.structuredContent.sessionKey, "k")
    })
  )
})

describe("mcporter", () => {
  const MCPORTER = "mcporter/dist/cli.js"

  it.live("places an order with an image, and goes on in its session", () =>
    Effect.gen(function* () {
      const { home, model, server } = yield* configured()
      const [command, ...args] = server
      const config = join(home, "mcporter.json")
      writeFileSync(
        config,
        JSON.stringify({ mcpServers: { openclaw: { command, args, env: { MCP_LIVE_HOME: home } } } })
      )
      const order = (input: object) =>
        run(
          home,
          MCPORTER,
          "--config",
          config,
          "call",
          "openclaw.order_openclaw",
          "--output",
          "json",
          "--args",
          JSON.stringify(input)
        )
      const first = yield* order({
        message: "look",
        sessionKey: "k",
        images: [{ data: PNG.toString("base64"), mimeType: "image/png" }]
      })
      assert.strictEqual(first.code, 0, first.stderr)
      assert.include(first.stdout, "It is done.")
      yield* order({ message: "and?", sessionKey: "k" })
      assert.strictEqual(model.requests.length, 2)
      assert.lengthOf(model.requests[1]!.messages, 4)
      assert.include(JSON.stringify(model.requests[0]!.messages), PNG.toString("base64"))
    })
  )

  it.live("places an order over HTTP, and goes on in its session", () =>
    Effect.gen(function* () {
      const { authorization, home, model, url } = yield* listening
      const config = join(home, "mcporter.json")
      const openclaw = { baseUrl: url, headers: { Authorization: authorization } }
      writeFileSync(config, JSON.stringify({ mcpServers: { openclaw } }))
      for (const message of ["look", "and?"]) {
        const args = JSON.stringify({ message, sessionKey: "k" })
        const call = ["call", "openclaw.order_openclaw", "--output", "json", "--args", args]
        const { code, stderr, stdout } = yield* run(home, MCPORTER, "--config", config, ...call)
        assert.strictEqual(code, 0, stderr)
        assert.include(stdout, "It is done.")
      }
      assert.lengthOf(model.requests[1]!.messages, 4)
    })
  )
})
