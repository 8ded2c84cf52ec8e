import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { SECRET_WINDOW_CHARS } from "../../../../src/schemas/defaults/Secrets.ts"

const PROGRAM = fileURLToPath(new URL("../../../fixtures/longTexts.ts", import.meta.url))

/** One of each class that is read on and on, and of what makes much of little. */
const UNITS = ["\x1b[", "\u200b", "a\u200b", "\u{e0041}", "\\", "%25", "=\n"]

describe("Redactor: 16 MiB of difficult text", () => {
  it("is masked within a heap of 512 MB, with at most one turn per window", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=512", PROGRAM, ...UNITS])
    const { grownBy, turns } = JSON.parse(stdout) as { readonly grownBy: number; readonly turns: number }
    assert.isAtMost(turns, (16 * 1024 * 1024) / SECRET_WINDOW_CHARS + 1)
    assert.isAtMost(grownBy, 512 * 1024 * 1024)
  }, 300_000)
})
