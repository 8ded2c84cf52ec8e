import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { meaningOf, placeOf } from "../../../../src/layers/config/ConfigEditor/place.ts"
import { standing } from "../../../support/cli.ts"
import { inFolder } from "../../../support/folder.ts"

describe("the file that is edited", () => {
  it.effect("is never OpenClaw's own, also where that is a link to another file", () =>
    Effect.gen(function* () {
      const home = yield* inFolder
      yield* standing({ env: { HOME: home } })
      const [own, real] = [join(home, ".openclaw", "openclaw.json"), join(home, "dotfiles.json")]
      writeFileSync(real, "{}")
      const config = meaningOf("{}", own).config!
      assert.isUndefined((yield* placeOf({ ...config, file: real })).locked)
      mkdirSync(join(home, ".openclaw"))
      symlinkSync(real, own)
      for (const file of [own, real])
        assert.include((yield* placeOf({ ...config, file })).locked, "is OpenClaw's own file")
    }).pipe(Effect.scoped)
  )
})
