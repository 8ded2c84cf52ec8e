/** What somebody reads whose Node is too old, from a real one, where the system has one. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { nodeProblem } from "../../src/system/supportedNode.ts"

const PROJECT = fileURLToPath(new URL("../../", import.meta.url))

const versionOf = (node: string): string => {
  try {
    return execFileSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).trim()
  } catch {
    return ""
  }
}

const old = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => ({ node: join(folder, "node"), version: versionOf(join(folder, "node")) }))
  .find(({ version }) => version !== "" && nodeProblem(version) !== undefined)

describe("a Node that is too old", () => {
  for (const entry of ["mcp-live", "mcp-live/testing"]) {
    it.runIf(old !== undefined)(`is reported by ${entry} as the only error`, () => {
      const { node, version } = old!
      const script = `import(${JSON.stringify(entry)}).catch((error) => { console.log(error.message); process.exitCode = 3 })`
      const { status, stderr, stdout } = spawnSync(node, ["--input-type=module", "-e", script], {
        cwd: PROJECT,
        encoding: "utf8"
      })
      assert.deepStrictEqual([status, stdout, stderr], [3, `${nodeProblem(version)}\n`, ""])
    })
  }
})
