/** Messages of a server, as long as they may be, in as many calls as there may be at once: with a small heap. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const PROGRAM = fileURLToPath(new URL("../fixtures/besideLargeParts.ts", import.meta.url))

interface Said {
  readonly answered: number
  readonly grownBy: number
}

const LIMIT = 512 * 1024 * 1024
const HEAP = "--max-old-space-size=512"

describe("a server with calls at once whose messages are as long as they may be", () => {
  for (const [kind, what] of [
    ["bodies", "responses that do not end"],
    ["events", "events that do not end"],
    ["ids", "ids of events"],
    ["demands", "demands for input, which wait for a person"],
    ["cursors", "cursors of its lists"],
    ["states", "messages about the state of tasks"]
  ] as const) {
    it(`leaves a gateway with a heap of 512 MB within 512 MB: ${what}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [HEAP, PROGRAM, kind])
      const { answered, grownBy } = JSON.parse(stdout) as Said
      assert.isAtMost(grownBy, LIMIT)
      assert.isAbove(answered, 0)
    }, 120_000)
  }
})

describe("eight servers that never finish their longest messages", () => {
  for (const kind of ["bodies", "events"]) {
    // Besides the places for long messages, each of 800 responses has what its connection had received before it waited.
    it(`do not end a gateway with a heap of 512 MB, and take less than a GiB: ${kind}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [HEAP, PROGRAM, kind, "8"])
      const { answered, grownBy } = JSON.parse(stdout) as Said
      assert.isAtMost(grownBy, 2 * LIMIT)
      assert.isAbove(answered, 0)
    }, 120_000)
  }
})
