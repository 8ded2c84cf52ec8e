/** Orders as a client places them that was told of us: the program as users get it, started by the client's own settings. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { folder } from "../integration/mcpServer/program.ts"
import { connected, ERAS } from "../support/mcpClients.ts"
import { provider } from "../support/modelProvider.ts"
import { start } from "./program.ts"

interface Settings {
  readonly mcpServers: {
    readonly openclaw: {
      readonly command: string
      readonly args: ReadonlyArray<string>
      readonly env: Record<string, string>
    }
  }
}

const BIN = fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url))

/** A folder with the command in it, as installing a package puts it there. */
const commandIn = (home: string) => {
  const bin = join(home, "bin")
  mkdirSync(bin)
  const command = join(bin, "mcp-live")
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`)
  chmodSync(command, 0o755)
  return { bin, command }
}

const entry = (command: string, ...args: ReadonlyArray<string>) => ({ mcpServers: { openclaw: { command, args } } })

describe.skipIf(process.platform === "win32")(
  "the configurations that clients have for OpenClaw, with our command",
  () => {
    for (const [how, settings] of [
      ["plain", () => entry("mcp-live", "mcp-server")],
      ["verbose", () => entry("mcp-live", "mcp-server", "--verbose")],
      ["by its path", (command: string) => entry(command, "mcp-server")]
    ] as const) {
      it.live.each(ERAS)(`work as they are (${how}, %s)`, (era) =>
        Effect.gen(function* () {
          const home = yield* folder
          const { bin, command } = commandIn(home)
          const behind = yield* provider({ text: ["It is blue."] })
          const data = join(home, ".mcp-live")
          mkdirSync(data)
          const model = { id: "test", baseUrl: behind.baseUrl }
          // Where it looks by itself: such an entry names no configuration.
          writeFileSync(join(home, "openclaw.json"), JSON.stringify({ agents: { defaults: { model } } }))
          // The file as the client keeps it, read again as the client reads it.
          const file = join(home, "claude_desktop_config.json")
          writeFileSync(file, JSON.stringify(settings(command), undefined, 2))
          const { openclaw } = (JSON.parse(readFileSync(file, "utf8")) as Settings).mcpServers
          const client = yield* connected(era, {
            command: openclaw.command,
            args: openclaw.args,
            cwd: home,
            env: { HOME: home, PATH: `${bin}:${dirname(process.execPath)}:/bin:/usr/bin` }
          })
          const order = { message: "What's my favorite color?", sessionKey: "user-123-conversation" }
          assert.strictEqual(yield* Effect.promise(() => client.call("order_openclaw", order)), "It is blue.")
          assert.strictEqual(behind.requests[0]?.messages.at(-1)?.content, order.message)
        })
      )
    }
  }
)

describe("mcp-server as a client starts it", () => {
  it.live("greets, lists its tools, and takes an order", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const env = { HOME: home, USERPROFILE: home, MCP_LIVE_HOME: join(home, "data"), CLAUDE_CONFIG_DIR: "" }
      const installing = yield* start(["mcp-server", "--install", "claude-code", "--backend", "embedded"], { env })
      assert.strictEqual((yield* installing.exited).code, 0)
      const settings = JSON.parse(readFileSync(join(home, ".claude.json"), "utf8")) as Settings
      const { args, command, env: given } = settings.mcpServers.openclaw
      assert.deepStrictEqual(given, { MCP_LIVE_HOME: join(home, "data") })
      // From anywhere, and with nothing of a shell.
      const client = yield* connected("2025-11-25", { command, args, cwd: home, env: { ...given, HOME: home } })
      const answer = yield* Effect.promise(() => client.call("order_openclaw", { message: "/status" }))
      assert.include(answer, "No MCP servers are configured.")
    })
  )
})

describe("mcp-server on a port", () => {
  it.live("ends with a sentence and exit code 2 when its configuration cannot be used", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const env = { HOME: home, USERPROFILE: home, MCP_LIVE_HOME: join(home, "data") }
      const program = yield* start(["mcp-server", "--http", "0", "--config", "none.json"], { env, cwd: home })
      const { code, stderr, stdout } = yield* program.exited
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
      assert.include(stderr, "mcp-live: none.json: there is no such file\n")
    })
  )
})
