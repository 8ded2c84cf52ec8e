import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { makeLineFiles, type Limits } from "../../src/system/lineFiles.ts"
import { AUDIT_CURRENT, AUDIT_FILES, rotatedAmong } from "../../src/schemas/call/AuditFiles.ts"
import { AUDIT_WRITE_MAX_BYTES } from "../../src/schemas/defaults/Audit.ts"
import { inFolder } from "../support/folder.ts"

const makeAuditFiles = (directory: string, limits: Limits) => makeLineFiles(directory, AUDIT_FILES, limits)

const LARGE = { maxBytes: 1_000_000, maxFiles: 3 }
const TINY = { maxBytes: 10, maxFiles: 3 }

const setting = Effect.map(inFolder, (folder) => {
  const directory = join(folder, "data", "audit")
  const current = join(directory, AUDIT_CURRENT)
  return {
    directory,
    current,
    text: () => readFileSync(current, "utf8"),
    rotated: () => rotatedAmong(readdirSync(directory)).map((name) => readFileSync(join(directory, name), "utf8"))
  }
})

const append = (limits: typeof LARGE, directory: string, ...lines: ReadonlyArray<string>) =>
  Effect.promise(() => makeAuditFiles(directory, limits).append(lines))

const failure = (directory: string) =>
  Effect.promise(() =>
    makeAuditFiles(directory, LARGE)
      .append(["x"])
      .then(
        () => "written",
        (error: unknown) => (error instanceof Error && "code" in error ? error.code : String(error))
      )
  )

/** Files are opened by another thread, and what comes next waits until this one is free (Linux). */
const whenOpen = (path: string, then: () => void) => {
  const isOpen = () =>
    readdirSync("/proc/self/fd").some((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`) === path
      } catch {
        return false
      }
    })
  while (!isOpen());
  then()
}

const permissions = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe("files of the audit log", () => {
  it.live("are made readable by this user only, also when others could read them before", () =>
    Effect.gen(function* () {
      const { current, directory } = yield* setting
      yield* append(LARGE, directory, "a")
      assert.deepStrictEqual([permissions(directory), permissions(current)], ["700", "600"])
      rmSync(current)
      writeFileSync(current, "b\n", { mode: 0o644 })
      yield* append(LARGE, directory, "c")
      assert.strictEqual(permissions(current), "600")
    }).pipe(Effect.scoped)
  )

  it.live("get whole lines, appended to what is there", () =>
    Effect.gen(function* () {
      const { directory, text } = yield* setting
      assert.strictEqual(yield* append(LARGE, directory, "a", "b"), 2)
      assert.strictEqual(yield* append(LARGE, directory, "ü"), 1)
      assert.strictEqual(text(), "a\nb\nü\n")
    }).pipe(Effect.scoped)
  )

  it.live("take a limited number of bytes per write, and the rest is left to the next one", () =>
    Effect.gen(function* () {
      const { directory } = yield* setting
      const long = "x".repeat(AUDIT_WRITE_MAX_BYTES / 2 - 1)
      assert.strictEqual(yield* append(LARGE, directory, long, long, "y"), 2)
      assert.strictEqual(yield* append(LARGE, directory, `${long}${long}${long}`, "y"), 1)
    }).pipe(Effect.scoped)
  )

  it.live("that end within a line get the next line on a line of its own", () =>
    Effect.gen(function* () {
      const { current, directory, text } = yield* setting
      yield* append(LARGE, directory, "a")
      appendFileSync(current, '{"torn')
      assert.strictEqual(yield* append(LARGE, directory, "b"), 1)
      yield* append(LARGE, directory, "c")
      assert.strictEqual(text(), 'a\n{"torn\nb\nc\n')
    }).pipe(Effect.scoped)
  )

  it.live("get the next line on a line of its own when another process left half a line between two of ours", () =>
    Effect.gen(function* () {
      const { current, directory, text } = yield* setting
      const files = makeAuditFiles(directory, LARGE)
      const write = (line: string) => Effect.promise(() => files.append([line]))
      yield* write("a")
      yield* write("b")
      appendFileSync(current, '{"torn')
      yield* write("c")
      yield* write("d")
      assert.strictEqual(text(), 'a\nb\n{"torn\nc\nd\n')
    }).pipe(Effect.scoped)
  )

  it.live("are rotated when they are full, and the oldest are removed", () =>
    Effect.gen(function* () {
      const { directory, rotated, text } = yield* setting
      for (const line of ["111111", "2222", "3333", "4444", "5555", "66"]) yield* append(TINY, directory, line)
      assert.deepStrictEqual([rotated(), text()], [["2222\n3333\n", "4444\n5555\n"], "66\n"])
    }).pipe(Effect.scoped)
  )

  it.live("keep to the limit of files, also when it is one or was lowered", () =>
    Effect.gen(function* () {
      const { directory, rotated, text } = yield* setting
      for (const line of ["11111111", "22222222", "33333333"]) yield* append(TINY, directory, line)
      assert.strictEqual(rotated().length, 2)
      yield* append({ maxBytes: 10, maxFiles: 1 }, directory, "44444444")
      assert.deepStrictEqual([rotated(), text()], [[], "44444444\n"])
    }).pipe(Effect.scoped)
  )

  it.live("are reopened when another process has rotated or removed them", () =>
    Effect.gen(function* () {
      const { current, directory, text } = yield* setting
      const files = makeAuditFiles(directory, LARGE)
      const write = (line: string) => Effect.promise(() => files.append([line]))
      yield* write("a")
      renameSync(current, join(directory, "elsewhere"))
      yield* write("b")
      assert.strictEqual(text(), "b\n")
      rmSync(directory, { recursive: true })
      yield* write("c")
      assert.strictEqual(text(), "c\n")
    }).pipe(Effect.scoped)
  )

  it.live("lose no line when they are removed between opening and writing", () =>
    Effect.gen(function* () {
      const { current, directory, text } = yield* setting
      mkdirSync(directory, { recursive: true })
      const appended = makeAuditFiles(directory, LARGE).append(["a"])
      whenOpen(current, () => rmSync(current))
      assert.strictEqual(yield* Effect.promise(() => appended), 1)
      assert.strictEqual(text(), "a\n")
    }).pipe(Effect.scoped)
  )

  it.live("are not rotated again when another process has just rotated them", () =>
    Effect.gen(function* () {
      const { current, directory, rotated, text } = yield* setting
      yield* append(TINY, directory, "11111111")
      const appended = makeAuditFiles(directory, { ...TINY, maxBytes: 15 }).append(["22222222"])
      whenOpen(current, () => {
        renameSync(current, join(directory, "put-aside"))
        writeFileSync(current, "3\n")
      })
      yield* Effect.promise(() => appended)
      assert.deepStrictEqual([rotated(), text()], [[], "3\n22222222\n"])
    }).pipe(Effect.scoped)
  )

  it.live("are not rotated while another process holds the lock of the rotation", () =>
    Effect.gen(function* () {
      const { directory, rotated, text } = yield* setting
      yield* append(TINY, directory, "11111111")
      writeFileSync(join(directory, "rotate.lock"), "")
      yield* append(TINY, directory, "22222222")
      assert.deepStrictEqual([rotated(), text()], [[], "11111111\n22222222\n"])
    }).pipe(Effect.scoped)
  )

  it.live("are rotated in spite of a stale lock", () =>
    Effect.gen(function* () {
      const { directory, rotated } = yield* setting
      yield* append(TINY, directory, "11111111")
      const lock = join(directory, "rotate.lock")
      writeFileSync(lock, "")
      utimesSync(lock, new Date(0), new Date(0))
      yield* append(TINY, directory, "22222222")
      yield* append(TINY, directory, "33333333")
      assert.deepStrictEqual(rotated(), ["11111111\n", "22222222\n"])
      assert.notInclude(readdirSync(directory), "rotate.lock")
    }).pipe(Effect.scoped)
  )

  it.live("are not written through a link that takes the place of their directory later", () =>
    Effect.gen(function* () {
      const { current, directory, text } = yield* setting
      const files = makeAuditFiles(directory, LARGE)
      yield* Effect.promise(() => files.append(["one"]))
      renameSync(directory, `${directory}-elsewhere`)
      symlinkSync(`${directory}-elsewhere`, directory)
      const said = yield* Effect.promise(() => files.append(["two"]).then(String, String))
      assert.include(said, "the directory is a link")
      assert.strictEqual(text(), "one\n")
      rmSync(directory)
      yield* Effect.promise(() => files.append(["three"]))
      assert.strictEqual(readFileSync(current, "utf8"), "three\n")
    }).pipe(Effect.scoped)
  )

  it.live("are not written through a link or in place of a directory, and the error code is given", () =>
    Effect.gen(function* () {
      const { current, directory } = yield* setting
      mkdirSync(current, { recursive: true })
      assert.strictEqual(yield* failure(directory), "EISDIR")
      rmSync(current, { recursive: true })
      const target = join(directory, "target")
      writeFileSync(target, "")
      symlinkSync(target, current)
      assert.strictEqual(yield* failure(directory), "ELOOP")
      assert.strictEqual(readFileSync(target, "utf8"), "")
      assert.strictEqual(yield* failure("/dev/null/nowhere"), "EEXIST")
    }).pipe(Effect.scoped)
  )
})
