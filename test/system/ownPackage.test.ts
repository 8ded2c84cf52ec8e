import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inPackage, ownProgram } from "../../src/system/ownPackage.ts"

describe("this package", () => {
  it("finds its program, wherever the code lies", () => {
    assert.isTrue(existsSync(ownProgram()))
    const root = mkdtempSync(join(tmpdir(), "mcp-live-test-"))
    try {
      const deep = join(root, "dist", "program")
      mkdirSync(deep, { recursive: true })
      mkdirSync(join(root, "bin"))
      writeFileSync(join(root, "bin", "mcp-live.js"), "")
      assert.strictEqual(inPackage("dist/openclaw-plugin", deep), join(root, "dist", "openclaw-plugin"))
    } finally {
      rmSync(root, { recursive: true })
    }
  })

  it("uses the directory of the code where there is no package around it", () => {
    assert.strictEqual(inPackage("part.js", "/nowhere/at/all"), "/nowhere/at/all/part.js")
  })
})
