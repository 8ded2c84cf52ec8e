import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { lineFileNames } from "../../src/schemas/data/LineFiles.ts"
import { makeLineFiles } from "../../src/system/lineFiles.ts"
import { rewriteLines } from "../../src/system/rewriteLines.ts"
import { inFolder } from "../support/folder.ts"
import { inFull } from "../support/full.ts"

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

  it.live("changes lines wherever a file of any size is cut into blocks, and leaves what is no line of ours", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const path = join(directory, "log-2026-01-01T00-00-00.000Z-00000000.jsonl")
      const lines = Array.from({ length: 300_000 }, (_, n) => `${n % 1_000 === 0 ? "old" : "stays"} ä ${n}\n`).join("")
      const strange = inFull(520, 20) * 1024 * 1024
      writeFileSync(path, lines)
      // One line of nothing but zeros, which takes no room on the disk.
      truncateSync(path, Buffer.byteLength(lines) + strange)
      appendFileSync(path, `\n${lines}`)
      assert.strictEqual(yield* rewriteLines(directory, NAMES, change), 600)
      const expected = Buffer.from(lines.replaceAll("old", "new"))
      const written = openSync(path, "r")
      const read = (at: number, length: number) => {
        const bytes = Buffer.alloc(length)
        readSync(written, bytes, 0, length, at)
        return bytes
      }
      assert.isTrue(read(0, expected.length).equals(expected))
      assert.isTrue(read(expected.length, 1_000).equals(Buffer.alloc(1_000)))
      assert.isTrue(
        read(expected.length + strange, expected.length + 1).equals(Buffer.concat([Buffer.from("\n"), expected]))
      )
      assert.strictEqual(statSync(path).size, 2 * expected.length + strange + 1)
      closeSync(written)
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
