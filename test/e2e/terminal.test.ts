/** Programs that others start, started by hand: they say what they are, and work all the same. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hostile } from "../fixtures/servers.ts"
import { rowsInFull } from "../support/full.ts"
import { configFile, start } from "./program.ts"
import { hasTerminals, onTerminal } from "./terminal.ts"

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "hand", version: "1" } }
})

describe.skipIf(!hasTerminals)("on a terminal", () => {
  it.live("mcp-live acp says what it is, how an editor starts it and what is wrong with the configuration", () =>
    Effect.gen(function* () {
      const config = yield* configFile({ mcp: { servers: { x: { comand: "y" } } } })
      const { shown, type, until } = yield* onTerminal("acp", "--config", config)
      yield* until(/comand/)
      assert.match(
        shown(),
        /^mcp-live: this is an agent for editors: .*\r\nmcp-live: an editor starts it by itself: "command": "mcp-live", "args": \["acp"\].*\r\nmcp-live: .*comand/
      )
      type('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n')
      yield* until(/"agentInfo":\{"name":"mcp-live"/)
    }).pipe(Effect.scoped)
  )

  for (const command of ["serve", "mcp-server"]) {
    it.live(`mcp-live ${command} says that it waits for a client, and serves one`, () =>
      Effect.gen(function* () {
        const config = yield* configFile({ mcp: { servers: {} } })
        const { shown, type, until } = yield* onTerminal(command, "--config", config)
        yield* until(/\n/)
        assert.match(shown(), /^mcp-live: this is an MCP server: it waits for a client on stdin .*\r\n$/)
        type(`${INITIALIZE}\n`)
        yield* until(/"serverInfo":\{/)
      }).pipe(Effect.scoped)
    )
  }

  for (const [command, from] of [
    [["call", "fs/echo", "text=hello"], "fs/echo"],
    [["read", "test://one"], "fs"]
  ] as const) {
    it.live(
      `mcp-live ${command[0]} shows what a server gave between two lines, and not in the boundary for a model`,
      () =>
        Effect.gen(function* () {
          const config = yield* configFile({ mcp: { servers: { fs: hostile() } } })
          const { shown, until } = yield* onTerminal(...command, "--config", config)
          yield* until(/── end ── [0-9a-f]{4}\r\n/)
          assert.match(
            shown(),
            new RegExp(`── ${from} says ── ([0-9a-f]{4})\r\n[^]*(hello|contents of one)\r\n── end ── \\1`)
          )
          assert.notInclude(shown(), "EXTERNAL_UNTRUSTED")
        }).pipe(Effect.scoped)
    )
  }

  const endings = [
    ["q", "q", 0],
    ["Ctrl-C", "\u0003", 0]
  ] as const
  // That Ctrl-C gives the terminal back is in running.test.ts.
  for (const [key, typed, code] of rowsInFull(endings, endings.slice(0, 1))) {
    it.live(`${key} ends mcp-live top, and the terminal is as before`, () =>
      Effect.gen(function* () {
        const config = yield* configFile({ mcp: { servers: { fs: hostile() } } })
        const gateway = yield* start(["start", "--config", config])
        yield* gateway.until(/fs +stdio +\S+ +Ready/)
        const top = yield* onTerminal("top", "--gateway", String(gateway.pid))
        yield* top.until(/q ends this\r\n\r\nSERVER/)
        top.type(typed)
        assert.strictEqual(yield* top.exited, code)
        assert.isTrue(top.shown().endsWith("\u001b[?25h\u001b[?1049l"))
      }).pipe(Effect.scoped)
    )
  }

  it.live("/call at the prompt shows a whole result, however little of it a model may see", () =>
    Effect.gen(function* () {
      const config = yield* configFile({ mcp: { servers: { fs: { ...hostile(), budget: { bytes: 1024 } } } } })
      const { shown, type, until } = yield* onTerminal("start", "--config", config, "--log-level", "error")
      yield* until(/> /)
      const words = Array.from({ length: 400 }, (_, place) => String(place)).join(" ")
      type(`/call fs/echo text="${words}"\r`)
      yield* until(/── end ──|failed/)
      assert.include(shown(), `\r\n${words}\r\n── end ──`)
      type("/exit\r")
    }).pipe(Effect.scoped)
  )

  it.live("mcp-live call is not approved by what was typed before it asked", () =>
    Effect.gen(function* () {
      const config = yield* configFile({ gateway: { tools: { ask: ["*"] } }, mcp: { servers: { fs: hostile() } } })
      const { shown, type, until } = yield* onTerminal("call", "fs/echo", "text=hello", "--config", config)
      type("y\ny\n")
      yield* until(/Call it\?/)
      type("n\r")
      yield* until(/\(not called\)|── end ──/)
      assert.match(shown(), /\(not called\)/)
    }).pipe(Effect.scoped)
  )
})
