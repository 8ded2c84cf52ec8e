import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileChanges } from "../../src/system/watchFiles.ts"
import { inFolder } from "../support/folder.ts"

it.live("files are watched after a look that ended with a mistake", () =>
  Effect.gen(function* () {
    const file = join(yield* inFolder, "one.json")
    writeFileSync(file, "{}")
    let count = 0
    const files = () => {
      if (++count === 1) throw new Error("a mistake")
      return [file]
    }
    const changes = fileChanges({ files, quietMs: 1, lookMs: 1 })
    assert.strictEqual((yield* Stream.runHead(changes))._tag, "Some")
  }).pipe(Effect.provide(Logger.layer([])))
)
