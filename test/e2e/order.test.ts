/** Orders as a client places them that was told of us: the program as users get it, started by the client's own settings. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../integration/mcpServer/program.ts"
import { connected } from "../support/mcpClients.ts"
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
