import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import manifest from "../../package.json" with { type: "json" }
import { nodeProblem, OLDEST_NODE } from "../../src/system/supportedNode.ts"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

describe("the required version of Node", () => {
  it("is told in one sentence by an older Node", () => {
    for (const version of ["18.20.4", "20.20.2", "22.18.0", "22.9.1"]) {
      assert.strictEqual(nodeProblem(version), `mcp-live needs Node 22.19 or newer; this is Node ${version}.`)
    }
    for (const version of ["22.19.0", "22.20.1", "24.0.0", "26.1.0-nightly"]) {
      assert.strictEqual(nodeProblem(version), undefined)
    }
  })

  it("is the same in the package, the command and the library, which check it first", () => {
    assert.strictEqual(manifest.engines.node, `>=${OLDEST_NODE.join(".")}`)
    assert.include(read("bin/mcp-live.js"), `const OLDEST = [${OLDEST_NODE.join(", ")}]`)
    assert.deepStrictEqual(manifest.sideEffects, ["./dist/system/supportedNode.js"])
    for (const entry of ["src/index.ts", "src/testing.ts"]) {
      const [, first] = /^(?:import|export)\b.*"(.*)"$/m.exec(read(entry)) ?? []
      assert.strictEqual(first, "./system/supportedNode.ts", entry)
    }
  })
})
