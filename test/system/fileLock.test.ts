import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { LOCK_AGE_MAX_MS, LOCK_BEAT_MS, LOCK_UNNAMED_MAX_MS } from "../../src/schemas/defaults/Locks.ts"
import { isHeld, take, withLock } from "../../src/system/fileLock.ts"
import { thisProcess } from "../../src/system/processOwner.ts"
import { inFolder } from "../support/folder.ts"

const lockPath = inFolder.pipe(Effect.map((directory) => join(directory, "lock")))

/** No process has this number. */
const NOBODY = 2 ** 22 + 1

const leave = (path: string, owner: object | string, ageMs = 0) => {
  writeFileSync(path, typeof owner === "string" ? owner : JSON.stringify({ ...thisProcess(), nonce: "n", ...owner }), {
    mode: 0o600
  })
  const then = new Date(Date.now() - ageMs)
  utimesSync(path, then, then)
}

/** What was begun with the file system has gone on. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("a lock between processes", () => {
  it.effect("has one holder at a time, names its process, and is readable by this user only", () =>
    Effect.gen(function* () {
      const path = yield* lockPath
      const first = take(path)
      assert.strictEqual(first._tag, "Ours")
      assert.deepStrictEqual(take(path), { _tag: "Theirs", pid: process.pid })
      assert.isTrue(isHeld(path))
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      if (first._tag === "Ours") first.lock.release()
      assert.isFalse(isHeld(path))
      assert.strictEqual(take(path)._tag, "Ours")
    })
  )

  it.effect("is not removed by a holder that has lost it", () =>
    Effect.gen(function* () {
      const path = yield* lockPath
      const first = take(path)
      leave(path, { nonce: "another" })
      if (first._tag === "Ours") first.lock.release()
      assert.include(readFileSync(path, "utf8"), "another")
    })
  )

  const cases: ReadonlyArray<readonly [string, object | string, number, "Ours" | "Theirs"]> = [
    ["whose process runs", {}, 10 * LOCK_AGE_MAX_MS, "Theirs"],
    ["whose process has ended", { pid: NOBODY }, 0, "Ours"],
    ["of another machine, just now", { host: "elsewhere" }, 0, "Theirs"],
    ["of another machine, long ago", { host: "elsewhere" }, LOCK_AGE_MAX_MS + 1_000, "Ours"],
    ["of this machine, before it was restarted", { boot: "another" }, 0, "Ours"],
    ["that names nobody yet", "", 0, "Theirs"],
    ["that has named nobody for long", "no JSON", LOCK_UNNAMED_MAX_MS + 1_000, "Ours"]
  ]
  for (const [which, owner, ageMs, outcome] of cases) {
    it.effect(`${which}, is ${outcome === "Ours" ? "taken over" : "respected"}`, () =>
      Effect.gen(function* () {
        const path = yield* lockPath
        leave(path, owner, ageMs)
        assert.strictEqual(take(path)._tag, outcome)
        assert.isFalse(existsSync(`${path}.break`))
      })
    )
  }

  it.effect("is taken at once where a symbolic link is in its place", () =>
    Effect.gen(function* () {
      const path = yield* lockPath
      const elsewhere = `${path}.elsewhere`
      leave(elsewhere, {})
      symlinkSync(elsewhere, path)
      assert.strictEqual(take(path)._tag, "Ours")
      assert.isTrue(existsSync(elsewhere))
    })
  )

  it.effect.skipIf(process.platform === "win32")("leaves no file when there is no room for its owner", () =>
    Effect.gen(function* () {
      const path = join(yield* inFolder, "lock")
      const module = new URL("../../src/system/fileLock.ts", import.meta.url).href
      const script = `import(${JSON.stringify(module)}).then(({ take }) => take(${JSON.stringify(path)}))`
      // A file may be created, but not be written to.
      const args = ["-c", 'ulimit -f 0 && exec "$0" --input-type=module -e "$1"', process.execPath, script]
      const { status, stderr } = spawnSync("/bin/sh", args, { encoding: "utf8" })
      assert.notStrictEqual(status, 0)
      assert.match(stderr, /EFBIG/)
      assert.isFalse(existsSync(path))
    }).pipe(Effect.scoped)
  )

  it.effect("is not taken over while another process is taking it over", () =>
    Effect.gen(function* () {
      const path = yield* lockPath
      leave(path, { pid: NOBODY })
      leave(`${path}.break`, {})
      assert.strictEqual(take(path)._tag, "Theirs")
      leave(`${path}.break`, { pid: NOBODY })
      assert.strictEqual(take(path)._tag, "Theirs")
      assert.strictEqual(take(path)._tag, "Ours")
    })
  )

  it.effect("is waited for up to a time limit", () =>
    Effect.gen(function* () {
      const path = yield* lockPath
      leave(path, {})
      const waiting = yield* Effect.forkChild(Effect.flip(Effect.scoped(withLock(path, 10_000))))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.include(yield* Fiber.join(waiting), `process ${process.pid} is using them`)
      const next = yield* Effect.forkChild(Effect.scoped(withLock(path, 10_000)))
      yield* TestClock.adjust("1 second")
      rmSync(path)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(next)
      assert.isFalse(existsSync(path))
    })
  )

  it.effect("stays fresh while it is held", () =>
    Effect.gen(function* () {
      const path = yield* lockPath
      const isOld = () => statSync(path).mtimeMs < Date.now() - 60_000
      yield* withLock(path, 0)
      for (let beats = 0; beats < 2; beats++) {
        utimesSync(path, 1, 1)
        while (isOld()) {
          yield* TestClock.adjust(LOCK_BEAT_MS)
          yield* turn
        }
      }
    })
  )
})
