import { describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { withLock } from "../../../../src/layers/login/TokenStore/credentialLock.ts"
import { CREDENTIALS_LOCK_BEAT_MS } from "../../../../src/schemas/defaults/Authorization.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-live-lock-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** What was begun with the file system has gone on. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("a lock that is held for long", () => {
  it.effect("does not grow old: who can only tell by its age does not take it over", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "lock")
      const isOld = () => statSync(path).mtimeMs < Date.now() - 60_000
      yield* withLock(path)
      utimesSync(path, 1, 1)
      yield* TestClock.adjust(CREDENTIALS_LOCK_BEAT_MS)
      // However long the file system takes for it.
      while (isOld()) yield* turn
      // It may be seen in the file before it is known to who touched it, and only then the next time is waited for.
      utimesSync(path, 1, 1)
      while (isOld()) {
        yield* TestClock.adjust(CREDENTIALS_LOCK_BEAT_MS)
        yield* turn
      }
    })
  )
})
