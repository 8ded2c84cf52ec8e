import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as ResultStoreLayer from "../../../src/layers/call/ResultStore.ts"
import { RESULT_STORE_ITEM_MAX_BYTES, RESULT_STORE_ITEM_MIN_BYTES } from "../../../src/schemas/defaults/Results.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { type Keeping, ResultStore } from "../../../src/services/call/ResultStore.ts"
import { ResultTexts } from "../../../src/services/call/ResultTexts.ts"
import { inFolder as makeDirectory } from "../../support/folder.ts"

const ORIGIN = { server: "fs", tool: "read" }
const SECRET = "sk-live-0123456789abcdefghij"
const KIB = 1024

const layerIn = (options: ResultStoreLayer.Options) =>
  ResultStoreLayer.layer(options).pipe(Layer.provideMerge(RedactorLayer.layer))

/** A store of a run that ends with the scope. */
const openIn = Effect.fnUntraced(function* (directory: string, options: ResultStoreLayer.Options = {}) {
  const context = yield* Layer.build(Layer.fresh(layerIn({ directory, ...options })))
  const redactor = yield* Redactor.pipe(Effect.provide(context))
  redactor.register(SECRET)
  return yield* ResultStore.pipe(Effect.provide(context))
})

/** One turn of the event loop. */
const turn = Effect.promise(() => new Promise((resume) => setImmediate(resume)))

const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(turn, until(isSo))))

const runsIn = (directory: string) => {
  const results = join(directory, "results")
  return existsSync(results) ? readdirSync(results).map((run) => join(results, run)) : []
}
const filesIn = (directory: string) =>
  runsIn(directory).flatMap((run) => readdirSync(run).map((file) => join(run, file)))
const fileOf = (directory: string, handle: string) => join(runsIn(directory)[0] ?? "", handle)
const isWritten = (directory: string, handle: string, bytes: number) => () =>
  existsSync(fileOf(directory, handle)) && statSync(fileOf(directory, handle)).size === bytes
const modeOf = (path: string) => statSync(path).mode & 0o777

describe("ResultStore", () => {
  it.effect("returns a kept text at once, and later from a file with private permissions", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory)
      const text = "zwölf 😀\ud800 ".repeat(50_000)
      const handle = store.keep(text, ORIGIN)!
      const kept = { origin: ORIGIN, length: text.length, text: text.toWellFormed() }
      assert.deepStrictEqual(yield* store.read(handle), kept)
      yield* until(isWritten(directory, handle, Buffer.byteLength(text)))
      assert.deepStrictEqual(yield* store.read(handle), kept)
      const [run] = runsIn(directory)
      assert.deepStrictEqual(
        [modeOf(join(directory, "results")), modeOf(run!), modeOf(join(run!, handle))],
        [0o700, 0o700, 0o600]
      )
    })
  )

  it.effect("creates nothing on disk before a text is kept", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      yield* openIn(directory)
      yield* until(() => true)
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )

  it.effect("frees the memory of a text after writing it", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory)
      const handle = store.keep("a".repeat(10_000), ORIGIN)!
      yield* until(isWritten(directory, handle, 10_000))
      // One after the other: when the second is there, the first is done with.
      const second = store.keep("b", ORIGIN)!
      yield* until(isWritten(directory, second, 1))
      rmSync(fileOf(directory, handle))
      assert.isUndefined(yield* store.read(handle))
    })
  )

  it.effect("creates random handles of 16 hex digits", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* makeDirectory)
      const handles = Array.from({ length: 100 }, () => store.keep("x", ORIGIN)!)
      assert.strictEqual(new Set(handles).size, 100)
      for (const handle of handles) assert.match(handle, /^r-[0-9a-f]{16}$/)
    })
  )

  it.effect("returns nothing for invalid or unknown handles", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory)
      const handle = store.keep("x", ORIGIN)!
      yield* until(isWritten(directory, handle, 1))
      writeFileSync(join(runsIn(directory)[0]!, "r-0000000000000000"), "planted")
      const hostile = [
        "",
        "r-0000000000000000",
        `./${handle}`,
        `../${handle}`,
        "../../../../../../etc/passwd",
        "/etc/passwd",
        `${handle}\0`,
        handle.toUpperCase(),
        `${handle} `,
        "r-".padEnd(10_000_000, "0"),
        "__proto__",
        "constructor"
      ]
      for (const wrong of hostile) assert.isUndefined(yield* store.read(wrong), wrong.slice(0, 40))
    })
  )

  it.effect("masks known secrets in memory and in the file", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory)
      const text = `before ${SECRET} after`.repeat(20_000)
      const masked = text.replaceAll(SECRET, "[REDACTED]")
      const handle = store.keep(text, ORIGIN)!
      assert.strictEqual((yield* store.read(handle))!.text, masked)
      yield* until(isWritten(directory, handle, masked.length))
      assert.strictEqual(readFileSync(fileOf(directory, handle), "utf8"), masked)
      assert.strictEqual((yield* store.read(handle))!.text, masked)
    })
  )

  it.effect("refuses a text over the size limit", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* makeDirectory)
      assert.isUndefined(store.keep("a".repeat(RESULT_STORE_ITEM_MAX_BYTES + 1), ORIGIN))
      assert.isUndefined(store.keep("日".repeat(RESULT_STORE_ITEM_MAX_BYTES / 2), ORIGIN))
      const small = yield* openIn(yield* makeDirectory, { itemMaxBytes: 8 * KIB })
      assert.isUndefined(small.keep("a".repeat(8 * KIB + 1), ORIGIN))
      assert.isDefined(small.keep("a".repeat(8 * KIB), ORIGIN))
    })
  )

  it.effect("removes the oldest text and its file when it is full", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory, { maxBytes: 24 * KIB })
      const [first, second, third] = [1, 2, 3].map(() => store.keep("a".repeat(8 * KIB), ORIGIN)!)
      yield* until(isWritten(directory, third!, 8 * KIB))
      const fourth = store.keep("b".repeat(16 * KIB), ORIGIN)!
      assert.isUndefined(yield* store.read(first!))
      assert.isUndefined(yield* store.read(second!))
      assert.isDefined(yield* store.read(third!))
      yield* until(isWritten(directory, fourth, 16 * KIB))
      yield* until(() => filesIn(directory).length === 2)
      assert.sameMembers(filesIn(directory), [fileOf(directory, third!), fileOf(directory, fourth)])
    })
  )

  it.effect("removes the texts of the server that fills it, not those of other servers", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory, { maxBytes: 32 * KIB })
      const other = store.keep("b".repeat(8 * KIB), ORIGIN)!
      const filling = { server: "full", tool: "read" }
      const handles = Array.from({ length: 8 }, () => store.keep("a".repeat(8 * KIB), filling)!)
      assert.isDefined(yield* store.read(other))
      assert.isUndefined(yield* store.read(handles[4]!))
      for (const handle of handles.slice(-3)) assert.isDefined(yield* store.read(handle))
      // Who has less than most finds room.
      const second = store.keep("b".repeat(8 * KIB), ORIGIN)!
      assert.isDefined(yield* store.read(other))
      assert.isDefined(yield* store.read(second))
    })
  )

  it.effect("removes the texts of the client that fills it, not those of other clients", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* makeDirectory, { maxBytes: 32 * KIB })
      const other = store.keep("b".repeat(8 * KIB), { ...ORIGIN, client: "other" })!
      const handles = Array.from({ length: 12 }, (_, index) =>
        store.keep("a".repeat(8 * KIB), { server: `s${index % 4}`, tool: "read", client: "full" })
      )
      assert.isDefined(yield* store.read(other))
      for (const handle of handles.slice(-3)) assert.isDefined(yield* store.read(handle!))
      // Nor does one that has nothing yet push out what is smaller.
      assert.isUndefined(store.keep("c".repeat(30 * KIB), { ...ORIGIN, client: "new" }))
      assert.isDefined(yield* store.read(other))
    })
  )

  it.effect("leaves no file of a text that is removed before it is written", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory, { maxBytes: 8 * KIB })
      const handles = Array.from({ length: 20 }, () => store.keep("a".repeat(8 * KIB), ORIGIN)!)
      yield* until(isWritten(directory, handles.at(-1)!, 8 * KIB))
      yield* until(() => filesIn(directory).length === 1)
      assert.deepStrictEqual(filesIn(directory), [fileOf(directory, handles.at(-1)!)])
    })
  )

  it.effect("leaves no file of a text that is removed while it is written", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory, { maxBytes: 8_000 * KIB })
      const first = store.keep("a".repeat(8_000 * KIB), ORIGIN)!
      yield* until(() => filesIn(directory).length === 1)
      assert.isBelow(statSync(fileOf(directory, first)).size, 8_000 * KIB)
      const second = store.keep("b", ORIGIN)!
      assert.isUndefined(yield* store.read(first))
      yield* until(isWritten(directory, second, 1))
      assert.deepStrictEqual(filesIn(directory), [fileOf(directory, second)])
    })
  )

  it.effect("limits the number of small texts", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* makeDirectory, { maxBytes: 10 * RESULT_STORE_ITEM_MIN_BYTES })
      const handles = Array.from({ length: 11 }, () => store.keep("x", ORIGIN)!)
      assert.isUndefined(yield* store.read(handles[0]!))
      assert.isDefined(yield* store.read(handles[1]!))
    })
  )

  it.effect("refuses a text when too many wait to be written, and keeps the earlier ones", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory, { heldMaxBytes: 16 * KIB })
      const [first, second, third] = [1, 2, 3].map(() => store.keep("a".repeat(8 * KIB), ORIGIN))
      assert.isUndefined(third)
      assert.isDefined(yield* store.read(first!))
      yield* until(isWritten(directory, second!, 8 * KIB))
      yield* until(() => store.keep("b".repeat(16 * KIB), ORIGIN) !== undefined)
      assert.isDefined(yield* store.read(first!))
    })
  )

  it.effect("keeps texts masked in memory when the disk fails, with one warning", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      writeFileSync(join(directory, "results"), "in the way")
      const warnings: Array<string> = []
      const capture = Logger.make<unknown, void>(({ message }) => void warnings.push(String(message)))
      const store = yield* openIn(directory, { heldMaxBytes: 16 * KIB }).pipe(Effect.provide(Logger.layer([capture])))
      const first = store.keep(SECRET.padEnd(8 * KIB), ORIGIN)!
      const second = store.keep("b".repeat(8 * KIB), ORIGIN)!
      yield* until(() => warnings.length > 0)
      assert.match((yield* store.read(first))!.text, /^\[REDACTED\] +$/)
      assert.isDefined(yield* store.read(second))

      // Nothing is waiting any more: now the oldest goes.
      let third: string | undefined
      yield* until(() => (third = store.keep("c".repeat(8 * KIB), ORIGIN)) !== undefined)
      assert.isUndefined(yield* store.read(first))
      assert.isDefined(yield* store.read(third!))
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0]!, `cannot be written to ${directory} (E`)
    })
  )

  it.effect("removes the oldest texts by their size in memory when the disk fails", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      writeFileSync(join(directory, "results"), "in the way")
      const [itemMaxBytes, heldMaxBytes] = [256 * KIB, 512 * KIB]
      const store = yield* openIn(directory, { itemMaxBytes, heldMaxBytes }).pipe(Effect.provide(Logger.layer([])))
      // Two bytes for each character, of which almost all are plain.
      const chars = itemMaxBytes / 2 - 2
      const handles: Array<string> = []
      for (let i = 0; i < 24; i++) {
        handles.push(store.keep(`${"x".repeat(chars)}…`, ORIGIN)!)
        yield* store.settled
      }
      const isKept = yield* Effect.forEach(handles, (handle) =>
        Effect.map(store.open(handle), (kept) => kept !== undefined)
      )
      const most = heldMaxBytes / (2 * chars)
      assert.deepStrictEqual(
        isKept,
        handles.map((_, i) => i >= handles.length - Math.floor(most))
      )
    })
  )

  it.effect("removes all files when the run ends, and then keeps nothing", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const scope = yield* Scope.make()
      const store = yield* openIn(directory).pipe(Scope.provide(scope))
      const handle = store.keep("a".repeat(10_000), ORIGIN)!
      yield* until(isWritten(directory, handle, 10_000))
      for (let i = 0; i < 5; i++) store.keep("b".repeat(5_000_000), ORIGIN)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(runsIn(directory), [])
      assert.isUndefined(store.keep("x", ORIGIN))
      assert.isUndefined(yield* store.read(handle))
    })
  )

  it.effect("leaves no file when it closes during a write", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      for (let turns = 0; turns < 12; turns++) {
        const scope = yield* Scope.make()
        const store = yield* openIn(directory).pipe(Scope.provide(scope))
        for (let i = 0; i < 3; i++) store.keep("a".repeat(600_000), ORIGIN)
        for (let i = 0; i < turns; i++) yield* turn
        yield* Scope.close(scope, Exit.void)
        for (let i = 0; i < 20; i++) yield* turn
        assert.deepStrictEqual(runsIn(directory), [], `after ${turns} turns`)
      }
    })
  )

  it.effect("removes the folders of ended runs at the start, and no others", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const results = join(directory, "results")
      const target = join(directory, "elsewhere")
      const dead = ["99999999-1700000000000-0123456789abcdef", `${process.pid}-1700000000000-0123456789abcdef`]
      const link = "99999998-1700000000000-0123456789abcdef"
      const alive = [
        `${process.ppid}-1700000000000-0123456789abcdef`,
        `${process.pid}-${Math.floor(performance.timeOrigin)}-0123456789abcdef`
      ]
      const foreign = ["notes", "99999999", "99999999-1700000000000-0123456789abcde", "x99999999-17-0123456789abcdef"]
      for (const name of [...dead, ...alive, ...foreign]) {
        mkdirSync(join(results, name), { recursive: true })
        writeFileSync(join(results, name, "file"), "x")
      }
      mkdirSync(target)
      writeFileSync(join(target, "file"), "x")
      symlinkSync(target, join(results, link))
      yield* openIn(directory)
      yield* until(() => [...dead, link].every((name) => !existsSync(join(results, name))))
      assert.sameMembers(readdirSync(results), [...alive, ...foreign])
      assert.isTrue(existsSync(join(target, "file")))
    })
  )

  it.effect("keeps two runs in one directory apart", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const scope = yield* Scope.make()
      const first = yield* openIn(directory)
      const second = yield* openIn(directory).pipe(Scope.provide(scope))
      const handle = first.keep("a", ORIGIN)!
      second.keep("b", ORIGIN)
      yield* until(() => filesIn(directory).length === 2)
      assert.isUndefined(yield* second.read(handle))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* first.read(handle))!.text, "a")
      assert.strictEqual(readFileSync(filesIn(directory)[0]!, "utf8"), "a")
    })
  )
})

describe("a store whose place makes a mistake", () => {
  it.effect("writes the next text all the same", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const texts = Layer.succeed(ResultTexts, {
        place: "nowhere",
        write: (_handle, text) =>
          Effect.sync(() => {
            if (text === "first") throw new Error("a mistake")
            written.push(text)
            return { chars: [text.length], bytes: [text.length] }
          }),
        read: () => Effect.fail("nothing is there"),
        slice: () => Effect.fail("nothing is there"),
        remove: () => Effect.void,
        find: () => Effect.undefined
      })
      const layer = ResultStoreLayer.layerStored().pipe(Layer.provide([texts, RedactorLayer.layer]))
      const store = Context.get(yield* Layer.build(Layer.fresh(layer)), ResultStore)
      for (const text of ["first", "second"]) store.keep(text, ORIGIN)
      yield* store.settled
      assert.deepStrictEqual(written, ["second"])
    }).pipe(Effect.provide(Logger.layer([])))
  )
})

describe("a part of the store", () => {
  it.effect("hides its texts from other parts, and can read those of the whole store", () =>
    Effect.gen(function* () {
      const store = yield* openIn(yield* makeDirectory)
      const [one, other] = [yield* store.part, yield* store.part]
      const [shared, own] = [store.keep("shared", ORIGIN)!, one.keep("own", ORIGIN)!]
      const read = (from: Keeping, handle: string) => Effect.map(from.read(handle), (kept) => kept?.text)
      assert.strictEqual(yield* read(one, own), "own")
      assert.strictEqual(yield* read(one, shared), "shared")
      assert.strictEqual(yield* read(other, own), undefined)
      assert.strictEqual(yield* read(store, own), undefined)
      // For a program that has the handle from the result itself.
      assert.strictEqual((yield* store.readAny(own))?.text, "own")
    }).pipe(Effect.scoped)
  )

  it.effect("is removed with its files when its scope closes, and nothing else is", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const store = yield* openIn(directory)
      const scope = yield* Scope.make()
      const part = yield* Scope.provide(store.part, scope)
      const [shared, own] = [store.keep("shared", ORIGIN)!, part.keep("own", ORIGIN)!]
      yield* until(() => filesIn(directory).length === 2)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* part.read(own), undefined)
      yield* until(() => filesIn(directory).length === 1)
      assert.deepStrictEqual(filesIn(directory), [fileOf(directory, shared)])
    }).pipe(Effect.scoped)
  )
})
