import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { lineFileNames } from "../../src/schemas/data/LineFiles.ts"
import { AUDIT_READ_BYTES, PAST_SCAN_MAX_BYTES } from "../../src/schemas/defaults/Audit.ts"
import { readPast } from "../../src/system/pastReader.ts"
import { inFolder } from "../support/folder.ts"

const names = lineFileNames("x")
const older = "x-2026-01-01T00-00-00.000Z-00000001.jsonl"

const parse = (text: string): number | undefined => (/^\d+ *$/.test(text) ? Number(text) : undefined)
const lines = (from: number, to: number, pad = 0) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${String(from + i).padEnd(pad)}\n`).join("")

const pagesOf = (directory: string, limit: number, accepts: (n: number) => boolean = () => true) =>
  Effect.promise(async () => {
    const pages: Array<ReadonlyArray<number>> = []
    let before: string | undefined
    do {
      const page = await readPast({ directory, names, parse }, { before, limit, accepts })
      pages.push(page.lines.map(({ record }) => record))
      before = page.cursor
    } while (before !== undefined && pages.length < 1_000)
    return pages
  })

describe("the past of files of lines", () => {
  it.live("is read page by page, each from the oldest to the newest line, through all files", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      writeFileSync(join(directory, older), lines(1, 5))
      writeFileSync(join(directory, names.current), lines(6, 8))
      assert.deepStrictEqual(yield* pagesOf(directory, 3), [
        [6, 7, 8],
        [3, 4, 5],
        [1, 2]
      ])
      assert.deepStrictEqual(yield* pagesOf(directory, 2, (n) => n % 2 === 0), [[6, 8], [2, 4], []])
      assert.deepStrictEqual(yield* pagesOf(join(directory, "nowhere"), 2), [[]])
    }).pipe(Effect.scoped)
  )

  it.live("misses no line at the edge of a block, and skips what is too long, torn or damaged", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const count = Math.ceil((AUDIT_READ_BYTES * 2.5) / 101)
      writeFileSync(join(directory, names.current), lines(1, count, 100))
      const all = (yield* pagesOf(directory, 997)).toReversed().flat()
      assert.deepStrictEqual(
        all,
        Array.from({ length: count }, (_, i) => i + 1)
      )
      const long = "9".repeat(AUDIT_READ_BYTES * 2 + 7)
      writeFileSync(join(directory, names.current), `1\nnonsense\n\n2\n${long}\n3\n4`)
      assert.deepStrictEqual((yield* pagesOf(directory, 2)).flat().toSorted(), [1, 2, 3])
    }).pipe(Effect.scoped)
  )

  it.live("goes on where a page ended, also when lines are added and the file is rotated in between", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const current = join(directory, names.current)
      writeFileSync(current, lines(1, 6))
      const asked = { limit: 2, accepts: () => true }
      const read = (before?: string) =>
        Effect.promise(() => readPast({ directory, names, parse }, { ...asked, before }))
      const first = yield* read()
      appendFileSync(current, lines(7, 9))
      renameSync(current, join(directory, older))
      writeFileSync(current, lines(10, 12))
      const second = yield* read(first.cursor)
      assert.deepStrictEqual(
        second.lines.map(({ record }) => record),
        [3, 4]
      )
      rmSync(join(directory, older))
      assert.deepStrictEqual(yield* read(second.cursor), { lines: [] })
      for (const wrong of ["", "x", "1 2 3", `${"9".repeat(99)}:1`, "1 2 3:4"]) {
        assert.deepStrictEqual(yield* read(wrong), { lines: [] }, wrong)
      }
    }).pipe(Effect.scoped)
  )

  it.live("looks at a bounded part for one page", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const per = 64 * 1024
      writeFileSync(join(directory, names.current), lines(1, Math.ceil((PAST_SCAN_MAX_BYTES * 1.5) / (per + 1)), per))
      const pages = yield* pagesOf(directory, 5, (n) => n === 1)
      assert.deepStrictEqual(pages, [[], [1]])
    }).pipe(Effect.scoped)
  )
})
