import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { withLock } from "../../../src/layers/TokenStore/lock.ts"
import { CREDENTIALS_LOCK_BEAT_MS } from "../../../src/schemas/Defaults.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-live-lock-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** What was begun with the file system has gone on. */
const settle = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("a lock that is held for long", () => {
  it.effect("does not grow old: who can only tell by its age does not take it over", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "lock")
      yield* withLock(path)
      for (let beat = 0; beat < 2; beat++) {
        utimesSync(path, 1, 1)
        yield* TestClock.adjust(CREDENTIALS_LOCK_BEAT_MS)
        for (let turn = 0; turn < 1_000 && statSync(path).mtimeMs < 2_000; turn++) yield* settle
        assert.isAbove(statSync(path).mtimeMs, Date.now() - 60_000)
      }
    })
  )
})
