import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as OpenClawConfigLayer from "../../../src/layers/config/OpenClawConfig.ts"
import { OPENCLAW_INCLUDES_MAX } from "../../../src/schemas/defaults/OpenClaw.ts"
import { OpenClawConfig } from "../../../src/services/config/OpenClawConfig.ts"
import { inFolder } from "../../support/folder.ts"

const put = (folder: string, files: Readonly<Record<string, unknown>>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content))
  }
}

const load = (home: string, path?: string, env: Record<string, string> = {}) =>
  OpenClawConfig.use((config) => config.load(path)).pipe(
    Effect.provide(OpenClawConfigLayer.layer({ env, home, cwd: home }))
  )

const problem = (home: string, path?: string, env?: Record<string, string>) =>
  Effect.map(Effect.flip(load(home, path, env)), ({ message }) => message)

const MAIN = ".openclaw/openclaw.json"

describe("OpenClawConfig", () => {
  it.effect("reads the file that OpenClaw would take, or the one that is named", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      put(home, { [MAIN]: "{ a: 1, /* JSON5 */ }", "other.json": { b: 2 } })
      assert.deepStrictEqual(yield* load(home), { file: join(home, MAIN), files: [join(home, MAIN)], value: { a: 1 } })
      assert.deepStrictEqual((yield* load(home, "~/other.json")).value, { b: 2 })
      assert.deepStrictEqual((yield* load(home, undefined, { OPENCLAW_CONFIG_PATH: join(home, "other.json") })).value, {
        b: 2
      })
    })
  )

  it.effect("merges included files: lists are appended, and keys next to the include win", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      put(home, {
        [MAIN]: {
          mcp: { $include: "./mcp.json5" },
          plugins: { $include: ["parts/a.json", "parts/b.json"], entries: { x: { enabled: true } } }
        },
        ".openclaw/mcp.json5": "{ servers: { docs: { $include: 'parts/docs.json' } } }",
        ".openclaw/parts/docs.json": { command: "node" },
        ".openclaw/parts/a.json": { allow: ["a"], entries: { x: { enabled: false, config: {} } } },
        ".openclaw/parts/b.json": { allow: ["b"] }
      })
      const { files, value } = yield* load(home)
      assert.deepStrictEqual(value, {
        mcp: { servers: { docs: { command: "node" } } },
        plugins: { allow: ["a", "b"], entries: { x: { enabled: true, config: {} } } }
      })
      assert.lengthOf(files, 5)
    })
  )

  it.effect("says of what is nested too deep in which file it is, also in one that is included", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      put(home, { [MAIN]: { mcp: { $include: "./mcp.json5" } }, ".openclaw/mcp.json5": "[".repeat(3_000_000) })
      const message = yield* problem(home)
      assert.include(message, "mcp.json5")
      assert.include(message, "is nested more than 128 levels deep")
      put(home, { [MAIN]: `\n${"{a:".repeat(1000)}` })
      assert.include(yield* problem(home), "is nested more than 128 levels deep")
    })
  )

  it.effect("follows no include out of the folder, by a path or by a link, unless a root is named", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      put(home, { [MAIN]: { $include: "../outside.json" }, "outside.json": { b: 1 } })
      assert.include(yield* problem(home), "leads out of the folder")
      assert.deepStrictEqual((yield* load(home, undefined, { OPENCLAW_INCLUDE_ROOTS: home })).value, { b: 1 })
      symlinkSync(join(home, "outside.json"), join(home, ".openclaw/link.json"))
      put(home, { [MAIN]: { $include: "link.json" } })
      assert.include(yield* problem(home), "leads out of the folder")
    })
  )

  it.effect("ends: circles, depth and numbers have a limit", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      put(home, { [MAIN]: { a: { $include: "b.json" } }, ".openclaw/b.json": { $include: "openclaw.json" } })
      assert.include(yield* problem(home), "in a circle")
      const chain = Object.fromEntries(
        Array.from({ length: 12 }, (_, i) => [`.openclaw/c${i}.json`, { x: { $include: `c${i + 1}.json` } }])
      )
      put(home, { ...chain, [MAIN]: { $include: "c0.json" }, ".openclaw/c12.json": {} })
      assert.include(yield* problem(home), "nested too deep")
      put(home, {
        [MAIN]: { $include: Array.from({ length: OPENCLAW_INCLUDES_MAX }, () => "leaf.json") },
        ".openclaw/leaf.json": {}
      })
      assert.include(yield* problem(home), "too many files")
    })
  )

  it.effect("says what is wrong with a file", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      assert.include(yield* problem(home), "there is no such file")
      put(home, { [MAIN]: "{\n  a: 1,\n  b: }\n" })
      assert.match(yield* problem(home), /openclaw\.json:3: syntax error/)
      put(home, { [MAIN]: { $include: 4 } })
      assert.include(yield* problem(home), "must be a path")
      put(home, { [MAIN]: { $include: "a\0b" } })
      assert.include(yield* problem(home), "NUL")
      assert.include(yield* problem(home, ".openclaw"), "is a directory, not a file")
    })
  )

  it.effect("knows which programs and plugins there are", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      put(home, { "bin/tool": "x", "bin/plain": "x", "plugin/openclaw.plugin.json": {} })
      chmodSync(join(home, "bin/tool"), 0o755)
      const { hasCommand, hasPlugin } = yield* OpenClawConfig.pipe(
        Effect.provide(OpenClawConfigLayer.layer({ env: { PATH: join(home, "bin") }, home, cwd: home }))
      )
      assert.deepStrictEqual(["tool", "plain", "none", "./bin/tool", "~/bin/tool", "bin"].map(hasCommand), [
        true,
        false,
        false,
        true,
        true,
        false
      ])
      assert.deepStrictEqual(["plugin", "~/plugin", "bin"].map(hasPlugin), [true, true, false])
    })
  )
})
