import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isOpenclaws } from "../../src/system/openclawFile.ts"
import { inFolder } from "../support/folder.ts"

const home = Effect.tap(inFolder, (folder) => Effect.sync(() => mkdirSync(join(folder, ".openclaw"))))

describe("OpenClaw's own file", () => {
  it.effect("is known through a link to it, and through one to its folder before it exists", () =>
    Effect.gen(function* () {
      const folder = yield* home
      const [own, link, linked] = [join(folder, ".openclaw", "openclaw.json"), join(folder, "a"), join(folder, "b")]
      symlinkSync(own, link)
      symlinkSync(join(folder, ".openclaw"), linked)
      assert.isTrue(isOpenclaws(join(linked, "openclaw.json"), {}, folder))
      assert.isFalse(isOpenclaws(join(linked, "other.json"), {}, folder))
      writeFileSync(own, "{}")
      assert.isTrue(isOpenclaws(own, {}, folder))
      assert.isTrue(isOpenclaws(link, {}, folder))
      assert.isFalse(isOpenclaws(link, { OPENCLAW_PROFILE: "work" }, folder))
    }).pipe(Effect.scoped)
  )

  it.effect("is known by the file to which it is a link", () =>
    Effect.gen(function* () {
      const folder = yield* home
      const real = join(folder, "dotfiles.json")
      writeFileSync(real, "{}")
      symlinkSync(real, join(folder, ".openclaw", "openclaw.json"))
      assert.isTrue(isOpenclaws(real, {}, folder))
      assert.isFalse(isOpenclaws(join(folder, "dotfiles2.json"), {}, folder))
    }).pipe(Effect.scoped)
  )
})
