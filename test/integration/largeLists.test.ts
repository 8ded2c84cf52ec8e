/** Lists of many servers, as large as they may be, that change all the time: with a small heap. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { MCPServerStatus } from "../../src/programs/loadMCPServers/status.ts"

const PROGRAM = fileURLToPath(new URL("../fixtures/manyLists.ts", import.meta.url))

interface Said {
  readonly answered: number
  readonly grownBy: number
  readonly servers: Readonly<Record<string, MCPServerStatus>>
}

describe("large lists", () => {
  it("of ten servers at once keep a gateway with a heap of 512 MB within 512 MB, and it reports what did not fit", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=512", PROGRAM])
    const { answered, grownBy, servers } = JSON.parse(stdout) as Said
    assert.isAtMost(grownBy, 512 * 1024 * 1024)
    assert.isAbove(answered, 0)
    const { small, ...large } = servers
    assert.strictEqual(small?.tools, 3, "who needs little has all of it")
    assert.notInclude(small?.detail ?? "", "room")
    for (const { detail, state, tools } of Object.values(large)) {
      assert.strictEqual(state, "connected")
      assert.isAbove(tools, 100, "each has its part")
      assert.include(
        detail,
        `its lists are larger than the room that there is for them: it has only the first ${tools} tools`
      )
    }
  }, 180_000)
})
