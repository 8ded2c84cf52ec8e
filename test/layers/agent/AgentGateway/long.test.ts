/** Long conversations in a program with as much heap as a small container has. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const PROGRAM = fileURLToPath(new URL("../../../fixtures/longConversations.ts", import.meta.url))
const HALF_A_GIB = 512 * 1024 * 1024

const played = async (way: string) => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=512", PROGRAM, way])
  return JSON.parse(stdout) as { readonly turns: ReadonlyArray<number>; readonly grownBy: number }
}

describe("long conversations in a 512 MiB heap", () => {
  it("are read by 100 concurrent requests", async () => {
    const { grownBy, turns } = await played("read")
    assert.deepStrictEqual(new Set(turns), new Set([2]))
    assert.isAtMost(grownBy, HALF_A_GIB)
  }, 120_000)

  it("can be open at the same time, 80 of them, without loss", async () => {
    const { grownBy, turns } = await played("open")
    assert.deepStrictEqual(new Set(turns), new Set([2]))
    assert.isAtMost(grownBy, HALF_A_GIB)
  }, 120_000)

  it("that cannot be written are dropped from memory, the oldest first", async () => {
    const { grownBy, turns } = await played("unwritten")
    assert.strictEqual(turns.at(-1), 2)
    assert.strictEqual(turns[0], 0)
    assert.isAtMost(grownBy, HALF_A_GIB)
  }, 120_000)
})
