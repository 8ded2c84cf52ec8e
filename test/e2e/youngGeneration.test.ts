/** The memory settings of Node with which the program runs. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { inFolder } from "../support/folder.ts"
import { configFile, start } from "./program.ts"

const SIZE = /--max-semi-space-size=(\d+)/g

const commandLine = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean)

const listening = Effect.fnUntraced(function* (env: Record<string, string> = {}) {
  const config = yield* configFile({ mcp: { servers: {} } })
  const home = yield* inFolder
  const program = yield* start(["serve", "--http", "0", "--config", config], { env: { MCP_LIVE_HOME: home, ...env } })
  yield* program.until(/serving MCP at/)
  return program
})

describe.skipIf(process.platform !== "linux")("a program that listens over HTTP", () => {
  it.live("has a small young generation, in the process that was started, with its arguments", () =>
    Effect.gen(function* () {
      const { pid } = yield* listening()
      const words = commandLine(pid)
      assert.includeMembers(words, ["--max-semi-space-size=4", "--initial-old-space-size=128"])
      assert.deepStrictEqual(words.slice(words.indexOf("serve"), words.indexOf("serve") + 3), ["serve", "--http", "0"])
    }).pipe(Effect.scoped)
  )

  it.live("keeps a size that the operator has set", () =>
    Effect.gen(function* () {
      const { pid } = yield* listening({ NODE_OPTIONS: "--max-semi-space-size=8" })
      assert.lengthOf([...commandLine(pid).join(" ").matchAll(SIZE)], 0)
    }).pipe(Effect.scoped)
  )

  it.live("is the only one: over stdio, also where a server's own words are the same, Node's size remains", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const { end, exited, pid, type, until } = yield* start(["serve", "--", "cat", "--http", "0"], {
        env: { MCP_LIVE_HOME: home }
      })
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } }
      type(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "initialize", params }))
      yield* until(/"id":7/)
      assert.lengthOf([...commandLine(pid).join(" ").matchAll(SIZE)], 0)
      end()
      yield* exited
    }).pipe(Effect.scoped)
  )
})
