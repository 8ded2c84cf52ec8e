import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { serverLogDirectory } from "../../../../src/schemas/connection/ServerLogFiles.ts"
import { runAt } from "../../../support/cli.ts"
import { inFolder } from "../../../support/folder.ts"

const line = (server: string, text: string) =>
  JSON.stringify({
    v: 1,
    time: "2026-01-01T00:00:00.000Z",
    server,
    source: "stderr",
    level: "info",
    text,
    gateway: 1
  })

/** With the lines of these servers. */
const logs = Effect.fnUntraced(function* (servers: ReadonlyArray<string>, ...args: ReadonlyArray<string>) {
  const home = yield* inFolder
  mkdirSync(serverLogDirectory(home), { recursive: true })
  const text = servers.map((server) => `${line(server, `${server} is here`)}\n`).join("")
  writeFileSync(join(serverLogDirectory(home), "servers.jsonl"), text)
  return yield* runAt({ env: { MCP_LIVE_HOME: home } }, "logs", ...args)
}, Effect.scoped)

describe("mcp-live logs", () => {
  it.live("shows the lines of one server", () =>
    Effect.gen(function* () {
      const { code, stdout, stderr } = yield* logs(["files", "weather"], "files")
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, "files is here")
      assert.notInclude(stdout, "weather")
    })
  )

  it.live("suggests the server that a name without lines probably meant, or names those with lines", () =>
    Effect.gen(function* () {
      const misspelt = yield* logs(["files", "weather"], "fils")
      assert.strictEqual(misspelt.stdout, "")
      assert.match(misspelt.stderr, /^mcp-live: no lines of 'fils' in \S+; did you mean 'files'\?\n$/)
      const other = yield* logs(["files", "weather"], "calendar")
      assert.match(other.stderr, /^mcp-live: no lines of 'calendar' in \S+; servers with lines: files, weather\n$/)
    })
  )

  it.live("suggests nothing for a server that has lines, but none that match, nor where there are no lines", () =>
    Effect.gen(function* () {
      const none = /^mcp-live: no matching lines in \S+\n$/
      assert.match((yield* logs(["files"], "files", "--level", "error")).stderr, none)
      assert.match((yield* logs([], "files")).stderr, none)
    })
  )

  it.live("shows no characters of a name that move the cursor", () =>
    Effect.gen(function* () {
      const { stderr } = yield* logs(["fil\u001bes"], "fil\u001bs")
      assert.include(stderr, "did you mean")
      assert.notInclude(stderr, "\u001b")
    })
  )
})
