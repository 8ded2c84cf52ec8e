/** What `doctor --fix` changes, and what it leaves alone. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fixAll } from "../../../../src/programs/cli/doctor/fix.ts"
import type { Finding } from "../../../../src/schemas/doctor/Finding.ts"
import { inFolder } from "../../../support/folder.ts"

describe("the mode of a file", () => {
  it.live("is not changed through a link in the file's place, and the reason is given", () =>
    Effect.gen(function* () {
      const folder = yield* inFolder
      const [file, link] = [join(folder, "file"), join(folder, "link")]
      writeFileSync(file, "")
      chmodSync(file, 0o644)
      symlinkSync(file, link)
      const fixing = (path: string) => {
        const finding: Finding = {
          id: "data-mode",
          severity: "warning",
          server: null,
          what: "",
          why: "",
          mend: "",
          fix: { _tag: "SetMode", path, mode: 0o600 }
        }
        return fixAll([finding], false)
      }
      const [refused] = yield* fixing(link)
      assert.deepInclude(refused, { done: false, reason: "it is not ours any more" })
      assert.strictEqual(statSync(file).mode & 0o777, 0o644)
      assert.isTrue((yield* fixing(file))[0]?.done)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    }).pipe(Effect.scoped)
  )
})
