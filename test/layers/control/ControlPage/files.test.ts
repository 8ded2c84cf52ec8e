/** The files of the page in memory. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readPage } from "../../../../src/layers/control/ControlPage/files.ts"
import { PAGE_FILES_MAX, PAGE_FILES_MAX_BYTES } from "../../../../src/schemas/defaults/Page.ts"
import { inFolder } from "../../../support/folder.ts"
import { pageFiles, SCRIPT } from "../../../support/page.ts"

describe("the files of the page", () => {
  it.effect("are those of known kinds, by their path; the page itself is at the beginning", () =>
    Effect.gen(function* () {
      const folder = yield* pageFiles
      writeFileSync(join(folder, "icon.svg"), "<svg/>")
      symlinkSync("/etc/passwd", join(folder, "secret.txt"))
      const page = yield* readPage(folder)
      assert.sameMembers([...page.keys()], ["", SCRIPT, "icon.svg"])
      assert.deepInclude(page.get(SCRIPT), { type: "text/javascript; charset=utf-8", isLasting: true })
      assert.deepInclude(page.get("icon.svg"), { type: "image/svg+xml", isLasting: false })
      assert.isFalse(page.get("")?.isLasting)
    }).pipe(Effect.scoped)
  )

  it.effect("stay what they were when they were read", () =>
    Effect.gen(function* () {
      const folder = yield* pageFiles
      const page = yield* readPage(folder)
      rmSync(join(folder, SCRIPT))
      assert.strictEqual(page.get(SCRIPT)?.body.toString(), "document.title = 'here'")
    }).pipe(Effect.scoped)
  )

  it.effect("are limited, and a folder without a page is reported", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const why = Effect.flip(readPage(folder))
      assert.strictEqual(yield* why, "this installation has no page")
      assert.strictEqual(yield* Effect.flip(readPage(join(folder, "none"))), "this installation has no page")
      writeFileSync(join(folder, "index.html"), "x".repeat(PAGE_FILES_MAX_BYTES + 1))
      assert.strictEqual(yield* why, "the page is too large")
      mkdirSync(join(folder, "assets"))
      for (let i = 0; i < PAGE_FILES_MAX; i++) writeFileSync(join(folder, "assets", `${i}.js`), "")
      assert.strictEqual(yield* why, "the page has too many files")
    }).pipe(Effect.scoped)
  )
})
