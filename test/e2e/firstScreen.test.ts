/** What somebody sees who starts a gateway: what is right, once, and in colours where there are any. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { serverPath } from "../fixtures/servers.ts"
import { rowsInFull } from "../support/full.ts"
import { runHere } from "./here.ts"
import { configFile, run } from "./program.ts"
import { hasTerminals, onTerminalWith } from "./terminal.ts"

const real = (name: "filesystem" | "memory", ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  args: [serverPath(name), ...args]
})

const GONE = { command: "/does/not/exist" }
const WHY = /cannot start '\/does\/not\/exist'/g

const given = { fs: real("filesystem", "."), memory: real("memory"), gone: GONE }
const config = configFile({ mcp: { servers: given } })

const lines = (text: string) => text.split(/\r?\n/)

describe("mcp-live start, without a terminal", () => {
  it.live("logs a banner on stderr as information, and a fault there as a warning", () =>
    Effect.gen(function* () {
      const script =
        "console.error('Notes 1.0, 0 errors so far'); console.error('Error: API_KEY is not set'); process.exitCode = 3"
      const loud = { command: process.execPath, args: ["-e", script], restartOnCrash: false }
      const file = yield* configFile({ mcp: { servers: { ...given, loud } } })
      const { stderr } = yield* run(["start", "--config", file], { stdin: "/status\n" })
      const said = (pattern: RegExp) => lines(stderr).filter((line) => pattern.test(line))
      const banners = said(/\[(?:fs|memory|loud)\] (?:Secure MCP|Knowledge Graph|Notes)/)
      assert.lengthOf(banners, 3, stderr)
      for (const banner of banners) assert.match(banner, /\bINFO\b/)
      const [fault, ...more] = said(/\[loud\] Error: API_KEY/)
      assert.match(fault!, /\bWARN\b/)
      assert.lengthOf(more, 0)
    }).pipe(Effect.scoped)
  )

  it.live("says of a server once that it is ready, and of a fault once why", () =>
    Effect.gen(function* () {
      const file = yield* config
      const { stderr, stdout } = yield* run(["start", "--config", file], { stdin: "/tools\n" })
      assert.match(stdout, /^SERVER.*\n(?:.*\n)*?fs .* Ready .*\n/)
      assert.notMatch(stdout, /: Ready,/)
      assert.lengthOf(stdout.match(WHY) ?? [], 1, stdout)
      for (const name of ["fs", "memory"]) assert.lengthOf(stderr.split(`[${name}] ready: `), 2, stderr)
      assert.lengthOf(stderr.match(WHY) ?? [], 1, stderr)
      assert.notInclude(stdout + stderr, "\u001b")
    }).pipe(Effect.scoped)
  )

  it.live("one command tells a fault once", () =>
    Effect.gen(function* () {
      const file = yield* config
      for (const command of [["status"], ["tools"], ["call", "gone/read"]]) {
        const { stderr, stdout } = yield* runHere([...command, "--config", file])
        assert.lengthOf((stdout + stderr).match(WHY) ?? [], 1, command.join(" "))
      }
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasTerminals)("mcp-live start, on a terminal", () => {
  const READY = "\u001b[32mReady\u001b[0m"
  const FAILED = "\u001b[31mFailed\u001b[0m"

  it.live("has states in colours, and says once that a server is ready, and once why one is not", () =>
    Effect.gen(function* () {
      const { shown, type, until } = yield* onTerminalWith(
        { NO_COLOR: "", TERM: "xterm" },
        "start",
        "--config",
        yield* config
      )
      yield* until(/SERVER[^]*> /)
      type("/call fs/list_allowed_directories\r")
      yield* until(/── end ──/)
      const [before = "", after = ""] = shown().split(/^SERVER/m)
      assert.include(after, READY)
      assert.include(after, FAILED)
      assert.lengthOf(before.match(/\[(?:fs|memory)\] ready: /g) ?? [], 2, before)
      assert.notMatch(after, /\] ready: |: Ready,/)
      assert.lengthOf(shown().match(WHY) ?? [], 1, shown())
      type("/exit\r")
    }).pipe(Effect.scoped)
  )

  const colourless = [
    { NO_COLOR: "1", TERM: "xterm" },
    { NO_COLOR: "", TERM: "dumb" }
  ]
  for (const env of rowsInFull(colourless, colourless.slice(0, 1))) {
    it.live(`has none with NO_COLOR="${env.NO_COLOR}" and TERM=${env.TERM}`, () =>
      Effect.gen(function* () {
        const { shown, until } = yield* onTerminalWith(env, "status", "--config", yield* config)
        yield* until(WHY)
        assert.match(shown(), /fs .* Ready /)
        assert.notInclude(shown(), "\u001b[3")
      }).pipe(Effect.scoped)
    )
  }
})
