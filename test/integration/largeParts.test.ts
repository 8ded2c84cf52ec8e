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
      const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=512", PROGRAM, kind])
      const { answered, grownBy } = JSON.parse(stdout) as Said
      assert.isAtMost(grownBy, 512 * 1024 * 1024)
      assert.isAbove(answered, 0)
    }, 120_000)
  }
})
