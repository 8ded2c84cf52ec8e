import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as TestClock from "effect/testing/TestClock"
import * as Fiber from "effect/Fiber"
import { EDIT_LOCK_WAIT_MS, EDIT_TRIES_MAX } from "../../src/schemas/defaults/Configuration.ts"
import { editSettings } from "../../src/system/settingsFile.ts"
import { thisProcess } from "../../src/system/processOwner.ts"
import { inFolder } from "../support/folder.ts"

const withFile = (text: string) =>
  Effect.map(inFolder, (folder) => {
    const file = join(folder, "settings.json")
    writeFileSync(file, text, { mode: 0o644 })
    return { folder, file, now: () => readFileSync(file, "utf8") }
  })

const adding = (line: string) => (before: string) => Result.succeed(`${before}${line}\n`)

describe("an edit of a settings file", () => {
  it.live("loses nothing of others that edit it at once", () =>
    Effect.gen(function* () {
      const { file, folder, now } = yield* withFile("")
      const lines = Array.from({ length: 8 }, (_, i) => `line ${i}`)
      yield* Effect.forEach(lines, (line) => editSettings(file, adding(line)), { concurrency: "unbounded" })
      assert.deepStrictEqual(now().trimEnd().split("\n").toSorted(), lines)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => !name.endsWith(".backup")),
        ["settings.json"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is made again on what another program has written meanwhile", () =>
    Effect.gen(function* () {
      const { file, folder, now } = yield* withFile("mine\n")
      let looks = 0
      const { backup } = yield* editSettings(file, (before) => {
        // After the edit has read the file under its lock.
        if (++looks === 2) writeFileSync(file, `${before}theirs\n`)
        return adding("ours")(before)
      })
      assert.strictEqual(now(), "mine\ntheirs\nours\n")
      assert.strictEqual(readFileSync(backup!, "utf8"), "mine\ntheirs\n")
      assert.lengthOf(readdirSync(folder), 2)
    }).pipe(Effect.scoped)
  )

  it.live("is refused in words when the file keeps changing, and leaves nothing beside it", () =>
    Effect.gen(function* () {
      const { file, folder, now } = yield* withFile("0")
      let looks = 0
      const said = yield* Effect.flip(
        editSettings(file, (before) => {
          writeFileSync(file, String(++looks))
          return adding("ours")(before)
        })
      )
      assert.include(said, "another program keeps changing it")
      assert.strictEqual(now(), String(EDIT_TRIES_MAX + 1))
      assert.deepStrictEqual(readdirSync(folder), ["settings.json"])
    }).pipe(Effect.scoped)
  )

  it.effect("is refused in words while another process does not finish its own", () =>
    Effect.gen(function* () {
      const { file, now } = yield* withFile("mine\n")
      writeFileSync(`${file}.mcp-live.lock`, JSON.stringify({ ...thisProcess(), nonce: "n" }), { mode: 0o600 })
      const editing = yield* Effect.forkChild(Effect.flip(editSettings(file, adding("ours"))))
      while (editing.pollUnsafe() === undefined) {
        yield* TestClock.adjust(EDIT_LOCK_WAIT_MS)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.include(yield* Fiber.join(editing), `process ${process.pid} is using it and does not finish`)
      assert.strictEqual(now(), "mine\n")
    }).pipe(Effect.scoped)
  )

  it.live("that is refused, or changes nothing, needs no right to write and leaves no folder", () =>
    Effect.gen(function* () {
      const { folder } = yield* withFile("")
      const said = yield* Effect.flip(editSettings(join(folder, "new", "file"), () => Result.fail("no")))
      assert.strictEqual(said, "no")
      assert.deepStrictEqual(readdirSync(folder), ["settings.json"])
      const closed = join(folder, "closed")
      mkdirSync(closed)
      writeFileSync(join(closed, "file"), "as it is")
      chmodSync(closed, 0o500)
      const { outcome } = yield* editSettings(join(closed, "file"), Result.succeed)
      assert.strictEqual(outcome, "already there")
    }).pipe(Effect.scoped)
  )

  it.live("keeps a link and the mode of the file, unless it has to be private", () =>
    Effect.gen(function* () {
      const { file, folder, now } = yield* withFile("mine\n")
      const link = join(folder, "link")
      symlinkSync(file, link)
      const mode = () => statSync(file).mode & 0o777
      yield* editSettings(link, adding("one"))
      assert.strictEqual(mode(), 0o644)
      yield* editSettings(link, adding("two"), { isPrivate: true })
      assert.strictEqual(mode(), 0o600)
      assert.strictEqual(now(), "mine\none\ntwo\n")
      assert.isTrue(
        readdirSync(folder, { withFileTypes: true }).some((one) => one.name === "link" && one.isSymbolicLink())
      )
    }).pipe(Effect.scoped)
  )
})
