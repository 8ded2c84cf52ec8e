import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { lineFileNames } from "../../src/schemas/data/LineFiles.ts"
import { makeLineFiles } from "../../src/system/lineFiles.ts"
import { rewriteLines } from "../../src/system/rewriteLines.ts"
import { inFolder } from "../support/folder.ts"

const NAMES = lineFileNames("log")
const change = (line: string) => (line.startsWith("old") ? line.replace("old", "new") : undefined)

const linesIn = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n"))
    .filter((line) => line !== "")

describe("rewriting lines of files", () => {
  it.live("changes them in all files, and leaves the others as they are", () =>
    Effect.gen(function* () {
      const directory = join(yield* inFolder, "log")
      assert.strictEqual(yield* rewriteLines(directory, NAMES, change), 0)
      mkdirSync(directory)
      const other = join(directory, "log-2026-01-01T00-00-00.000Z-00000000.jsonl")
      writeFileSync(other, "old 1\nstays\n")
      writeFileSync(join(directory, "log.jsonl"), "stays\nold 2\n")
      assert.strictEqual(yield* rewriteLines(directory, NAMES, change), 2)
      assert.deepStrictEqual(linesIn(directory).toSorted(), ["new 1", "new 2", "stays", "stays"])
      assert.strictEqual(statSync(other).mode & 0o777, 0o600)
      assert.isFalse(existsSync(join(directory, "rotate.lock")))
      assert.strictEqual(yield* rewriteLines(directory, NAMES, change), 0)
    }).pipe(Effect.scoped)
  )

  it.live("loses no line of a process that writes meanwhile", () =>
    Effect.gen(function* () {
      const directory = join(yield* inFolder, "log")
      const files = makeLineFiles(directory, NAMES, { maxBytes: 10_000_000, maxFiles: 100 })
      yield* Effect.promise(() => files.append(["old first"]))
      const now = { isOver: false }
      const writing = (async () => {
        let count = 0
        while (!now.isOver) await files.append([`old ${count++}`])
        return count
      })()
      for (let round = 0; round < 20; round++) yield* rewriteLines(directory, NAMES, change)
      now.isOver = true
      const count = yield* Effect.promise(() => writing)
      yield* rewriteLines(directory, NAMES, change)
      const lines = new Set(linesIn(directory))
      assert.isTrue([...lines].every((line) => line.startsWith("new")))
      for (let n = 0; n < count; n++) assert.isTrue(lines.has(`new ${n}`), `line ${n} of ${count}`)
    }).pipe(Effect.scoped)
  )

  it.live("does not follow a link", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const outside = join(yield* inFolder, "outside")
      writeFileSync(outside, "old\n")
      symlinkSync(outside, join(directory, "log-2026-01-01T00-00-00.000Z-00000000.jsonl"))
      assert.isString(yield* Effect.flip(rewriteLines(directory, NAMES, change)))
      assert.strictEqual(readFileSync(outside, "utf8"), "old\n")
    }).pipe(Effect.scoped)
  )
})
