import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeDirectory } from "../../../src/layers/DefinitionLedger/files.ts"

const inFolder = (body: (directory: string) => void) => {
  const directory = mkdtempSync(join(tmpdir(), "mcp-live-pins-"))
  try {
    body(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

describe("the directory of pins", () => {
  it("is made with all that leads to it, for this user alone, and may be there already", () =>
    inFolder((directory) => {
      for (let time = 0; time < 2; time++) makeDirectory(join(directory, "a", "b"))
      for (const path of [["a"], ["a", "b"], ["a", "b", "pins"]]) {
        assert.strictEqual(statSync(join(directory, ...path)).mode & 0o777, 0o700)
      }
    }))

  it("cannot be made where a file is", () =>
    inFolder((directory) => {
      writeFileSync(join(directory, "file"), "")
      assert.throws(() => makeDirectory(join(directory, "file")))
      writeFileSync(join(directory, "pins"), "")
      assert.throws(() => makeDirectory(directory))
    }))

  // In a process of its own, which can be ended when it does not come back.
  it.runIf(existsSync("/proc/self"))(
    "is refused at once where no directory can be made and none is missing",
    () => {
      const module = new URL("../../../src/layers/DefinitionLedger/files.ts", import.meta.url).href
      const script = `import { codeOf, makeDirectory } from ${JSON.stringify(module)}
      try { makeDirectory("/proc/x") } catch (error) { console.log(codeOf(error)) }`
      const said = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
        encoding: "utf8",
        timeout: 20_000,
        stdio: ["ignore", "pipe", "ignore"]
      })
      assert.strictEqual(said.trim(), "ENOENT")
    },
    30_000
  )
})
