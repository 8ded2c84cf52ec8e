/** `mcp-live plugin` as an operator runs it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inFixtures } from "../fixtures/servers.ts"
import { inFolder } from "../support/folder.ts"
import { runHere } from "./here.ts"
import { run } from "./program.ts"

const shifting = { command: process.execPath, args: [inFixtures("shifting.ts")] }
const gone = { command: process.execPath, args: ["-e", "process.exit(1)"], maxRestarts: 0 }

const settings = (home: string, servers: object, more: object = {}) => ({
  dataDirectory: join(home, "data"),
  agents: { list: [{ id: "main", mcp: { servers } }] },
  ...more
})

const written = (home: string, config: object | undefined, args: ReadonlyArray<string> = [], via = runHere) => {
  const file = join(home, "openclaw.json")
  writeFileSync(file, JSON.stringify({ plugins: { entries: { "mcp-live": { config } } } }))
  return via(["plugin", join(home, "plugin"), "--openclaw", file, ...args], { env: { HOME: home } })
}

const declaredIn = (home: string): ReadonlyArray<string> => {
  const text = readFileSync(join(home, "plugin/openclaw.plugin.json"), "utf8")
  return (JSON.parse(text) as { contracts: { tools: ReadonlyArray<string> } }).contracts.tools
}

describe("mcp-live plugin", () => {
  it.live("writes a whole plugin that declares the tools of its servers, and says what to do with it", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const { code, stderr, stdout } = yield* written(home, settings(home, { a: shifting }, { maxTools: 3 }), [], run)
      assert.strictEqual(code, 0, stderr)
      assert.includeMembers([...declaredIn(home)], ["mcp_live", "mcp_a_add", "mcp_a_write", "mcp_read_more"])
      assert.include(readdirSync(join(home, "plugin")), "index.js")
      assert.include(stdout, `plugins.load.paths: ["${join(home, "plugin")}"]`)
      assert.include(stdout, "openclaw plugins reload mcp-live")
      assert.include(stdout, "more than maxTools (3)")
    })
  )

  it.live("keeps the declared tools of a server that is unavailable, and says so", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      yield* written(home, settings(home, { a: shifting }))
      const { code, stdout } = yield* written(home, settings(home, { a: gone, b: shifting }), ["--json"])
      assert.strictEqual(code, 1)
      const document = JSON.parse(stdout) as Record<string, unknown>
      assert.hasAllKeys(document, ["ok", "folder", "declared", "agents", "missing"])
      assert.deepStrictEqual([document["ok"], document["missing"]], [false, ["a"]])
      assert.includeMembers([...declaredIn(home)], ["mcp_a_add", "mcp_b_add"])
      assert.strictEqual((yield* written(home, settings(home, { b: shifting }))).code, 0)
      assert.notInclude(declaredIn(home), "mcp_a_add")
    })
  )

  it.live("writes nowhere else, and nothing without servers", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      const none = yield* written(home, undefined)
      assert.strictEqual(none.code, 2)
      assert.include(none.stderr, "plugins.entries.mcp-live.config")
      const wrong = yield* written(home, settings(home, { a: { comand: "x" } }))
      assert.strictEqual(wrong.code, 2)
      assert.include(wrong.stderr, "comand")
      const built = fileURLToPath(new URL("../../dist/openclaw-plugin", import.meta.url))
      const file = join(home, "openclaw.json")
      writeFileSync(
        file,
        JSON.stringify({ plugins: { entries: { "mcp-live": { config: settings(home, { a: shifting }) } } } })
      )
      for (const folder of [home, built]) {
        const { code, stderr } = yield* runHere(["plugin", folder, "--openclaw", file])
        assert.strictEqual(code, 2)
        assert.include(stderr, "will not be overwritten")
      }
    })
  )
})
