import { afterEach, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { declaredIn } from "../../../src/programs/openclawPlugin/declared.ts"
import { declaredBefore, writeFolder } from "../../../src/programs/openclawPlugin/folder.ts"

const folders: Array<string> = []
const places = () => {
  const home = mkdtempSync(join(tmpdir(), "mcp-live-folder-"))
  folders.push(home)
  const from = join(home, "from")
  mkdirSync(from)
  writeFileSync(join(from, "index.js"), "1")
  const manifest = { id: "mcp-live", contracts: { tools: ["mcp_live"], other: ["x"] }, version: "1" }
  writeFileSync(join(from, "openclaw.plugin.json"), JSON.stringify(manifest))
  return { home, from, to: join(home, "deep/er/plugin") }
}

afterEach(() => {
  for (const home of folders.splice(0)) rmSync(home, { recursive: true, force: true })
})

const manifestOf = (folder: string): unknown => JSON.parse(readFileSync(join(folder, "openclaw.plugin.json"), "utf8"))

describe("a folder of the plugin", () => {
  it.live("declares each tool once, beside the single one, and none that could be of OpenClaw's own servers", () =>
    Effect.promise(async () => {
      const { from, home, to } = places()
      assert.deepStrictEqual(await writeFolder(from, to, ["mcp_b", "mcp_a", "mcp_b", "mcp_x__y", "mcp_live"]), [
        "mcp_a",
        "mcp_b"
      ])
      assert.deepStrictEqual(manifestOf(to), {
        id: "mcp-live",
        contracts: { tools: ["mcp_live", "mcp_a", "mcp_b"], other: ["x"] },
        version: "1"
      })
      assert.deepStrictEqual(declaredIn(manifestOf(to)), ["mcp_a", "mcp_b"])
      writeFileSync(join(to, "old.js"), "1")
      await writeFolder(from, to, ["mcp_c"])
      assert.deepStrictEqual(readdirSync(to).toSorted(), ["index.js", "openclaw.plugin.json"])
      assert.deepStrictEqual(readdirSync(join(home, "deep/er")), ["plugin"])
    })
  )

  it.live("is one of ours, a new one or an empty one", () =>
    Effect.promise(async () => {
      const { from, home, to } = places()
      assert.deepStrictEqual(await declaredBefore(to), [])
      await writeFolder(from, to, ["mcp_a"])
      assert.deepStrictEqual(await declaredBefore(to), ["mcp_a"])
      assert.isUndefined(await declaredBefore(home))
      assert.isUndefined(await declaredBefore(join(from, "index.js")))
      mkdirSync(join(home, "empty"))
      assert.deepStrictEqual(await declaredBefore(join(home, "empty")), [])
    })
  )
})
