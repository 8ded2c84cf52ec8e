/** While a large result arrives, a command shows that it waits for it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rowsInFull } from "../support/full.ts"
import { configFile, start } from "./program.ts"
import { hasTerminals, onTerminal } from "./terminal.ts"

const FIXTURE = fileURLToPath(new URL("../fixtures/largeAnswer.ts", import.meta.url))
const COMMANDS = [
  { args: ["call", "large/all"], words: /Waiting for large\/all/ },
  { args: ["read", "large://all"], words: /Reading large:\/\/all/ }
]

/** The second half of the result comes when `open` has run. */
const setUp = Effect.gen(function* () {
  const folder = dirname(yield* configFile("{}"))
  const gate = join(folder, "gate")
  const config = join(folder, "openclaw.json")
  writeFileSync(
    config,
    JSON.stringify({ mcp: { servers: { large: { command: process.execPath, args: [FIXTURE, gate] } } } })
  )
  return { config, open: () => writeFileSync(gate, ""), env: { MCP_LIVE_HOME: join(folder, "data") } }
})

describe("a command that gets a large result", () => {
  // Of `call`, the test on a terminal is there too.
  for (const { args, words } of rowsInFull(COMMANDS, COMMANDS.slice(1)))
    it.live(`says so meanwhile, in plain lines off a terminal: ${args[0]}`, () =>
      Effect.gen(function* () {
        const { config, env, open } = yield* setUp
        const running = yield* start([...args, "--config", config], { env })
        yield* running.until(words)
        open()
        const { code, stderr, stdout } = yield* running.exited
        assert.strictEqual(code, 0, stderr)
        assert.notInclude(stderr, "\u001b")
        assert.notMatch(stdout, words)
        assert.include(stdout, "word word")
      }).pipe(Effect.scoped)
    )

  it.live.skipIf(!hasTerminals)("says so on a terminal, on a line that goes", () =>
    Effect.gen(function* () {
      const { config, open } = yield* setUp
      const terminal = yield* onTerminal("call", "large/all", "--config", config)
      yield* terminal.until(/Waiting for large\/all \(\d+ s\)/)
      open()
      yield* terminal.until(/── end ──/)
      assert.match(terminal.shown(), /Waiting for large\/all \(\d+ s\)\r\u001b\[K/)
    }).pipe(Effect.scoped)
  )
})
