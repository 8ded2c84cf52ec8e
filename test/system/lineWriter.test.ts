import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { LineFiles } from "../../src/system/lineFiles.ts"
import { makeWriter } from "../../src/system/lineWriter.ts"
import {
  AUDIT_BATCH_MAX,
  AUDIT_CLOSE_MS,
  AUDIT_GATHER_MAX,
  AUDIT_GATHER_MS,
  AUDIT_QUEUED_MAX,
  AUDIT_RETRY_MS
} from "../../src/schemas/defaults/Audit.ts"

interface Waiting {
  readonly at: number
  readonly count: number
  readonly since: number
}

const numbered = (n: number): Waiting => ({ at: n, count: n, since: 0 })

const format = (waiting: ReadonlyArray<Waiting>) => waiting.map(({ count }) => `${count}`)

/** A disk that keeps what is written to it, while it is not broken. */
const makeDisk = () => {
  const disk = {
    lines: [] as Array<string>,
    writes: 0,
    broken: false,
    append: (lines: ReadonlyArray<string>): Promise<number> => {
      if (disk.broken) return Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }))
      disk.writes++
      disk.lines.push(...lines)
      return Promise.resolve(lines.length)
    }
  }
  return disk
}

/** What was logged, from warnings on and of recovery. */
const makeLog = () => {
  const lines: Array<string> = []
  return { lines, layer: Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]) }
}

const make = (files: LineFiles) =>
  makeWriter<Waiting>({
    what: "the audit log",
    place: "/data/audit",
    files,
    format,
    gap: (count, since, until) => ({ at: until, count, since })
  })

/** Promises of the disk are no part of the test's clock. */
const settled = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
const pass = (ms: number) => Effect.andThen(TestClock.adjust(ms), settled)

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i))

describe("the writer of the audit log", () => {
  it.effect("gathers records for a moment and writes them together, in order", () =>
    Effect.gen(function* () {
      const disk = makeDisk()
      const { offer } = yield* make(disk)
      for (let n = 0; n < 10; n++) offer(numbered(n))
      yield* pass(AUDIT_GATHER_MS - 1)
      assert.deepStrictEqual(disk.lines, [])
      offer(numbered(10))
      yield* pass(1)
      assert.deepStrictEqual([disk.lines, disk.writes], [range(0, 11), 1])
      offer(numbered(11))
      yield* pass(AUDIT_GATHER_MS)
      assert.deepStrictEqual([disk.lines, disk.writes], [range(0, 12), 2])
    }).pipe(Effect.scoped)
  )

  it.effect("writes at once when many records have been gathered", () =>
    Effect.gen(function* () {
      const disk = makeDisk()
      const { offer } = yield* make(disk)
      for (const round of [0, 1]) {
        const from = round * AUDIT_GATHER_MAX
        for (let n = from; n < from + AUDIT_GATHER_MAX - 1; n++) offer(numbered(n))
        yield* pass(1)
        assert.lengthOf(disk.lines, from)
        offer(numbered(from + AUDIT_GATHER_MAX - 1))
        yield* pass(0)
        assert.deepStrictEqual(disk.lines, range(0, from + AUDIT_GATHER_MAX))
      }
    }).pipe(Effect.scoped)
  )

  it.effect("gathers the records that arrive while a write is under way", () =>
    Effect.gen(function* () {
      const disk = makeDisk()
      const late = [numbered(1)]
      const { offer } = yield* make({
        append: (lines) => {
          for (const one of late.splice(0)) offer(one)
          return disk.append(lines)
        }
      })
      offer(numbered(0))
      yield* pass(AUDIT_GATHER_MS)
      assert.deepStrictEqual([disk.lines, disk.writes], [range(0, 1), 1])
      yield* pass(AUDIT_GATHER_MS)
      assert.deepStrictEqual([disk.lines, disk.writes], [range(0, 2), 2])
    }).pipe(Effect.scoped)
  )

  it.effect("writes many records in batches, and repeats those that a write did not take", () =>
    Effect.gen(function* () {
      const disk = makeDisk()
      const { offer } = yield* make({
        append: async (lines) => {
          await disk.append(lines.slice(0, 100))
          return Math.min(lines.length, 100)
        }
      })
      const count = AUDIT_BATCH_MAX * 3
      for (let n = 0; n < count; n++) offer(numbered(n))
      yield* pass(AUDIT_GATHER_MS)
      assert.deepStrictEqual(disk.lines, range(0, count))
    }).pipe(Effect.scoped)
  )

  it.effect("writes what is left when it is closed, and takes nothing afterwards", () =>
    Effect.gen(function* () {
      const disk = makeDisk()
      const scope = yield* Scope.make()
      const { offer } = yield* Scope.provide(make(disk), scope)
      offer(numbered(0))
      yield* Scope.close(scope, Exit.void)
      offer(numbered(1))
      yield* pass(AUDIT_GATHER_MS)
      assert.deepStrictEqual(disk.lines, ["0"])
    })
  )

  it.effect("writes what is left when its program is interrupted, also to a slow disk", () =>
    Effect.gen(function* () {
      const disk = makeDisk()
      const slow: LineFiles = {
        append: (lines) => new Promise((resolve) => setImmediate(resolve)).then(() => disk.append(lines))
      }
      const offered = yield* Deferred.make<void>()
      const program = yield* make(slow).pipe(
        Effect.tap(({ offer }) => Effect.sync(() => offer(numbered(0)))),
        Effect.andThen(Deferred.succeed(offered, undefined)),
        Effect.andThen(Effect.never),
        Effect.scoped,
        Effect.forkChild
      )
      yield* Deferred.await(offered)
      yield* Fiber.interrupt(program)
      assert.deepStrictEqual(disk.lines, ["0"])
    })
  )

  it.effect("gives up on a disk that hangs after a limited time when it is closed", () => {
    const log = makeLog()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { offer } = yield* Scope.provide(make({ append: () => new Promise(() => {}) }), scope)
      offer(numbered(0))
      yield* pass(AUDIT_GATHER_MS)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* pass(AUDIT_CLOSE_MS - 1)
      assert.isUndefined(closing.pollUnsafe())
      yield* pass(1)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(log.lines, ["1 records of the audit log were not written"])
    }).pipe(Effect.provide(log.layer))
  })

  it.effect("warns once that it cannot write, retries, and keeps the records", () => {
    const log = makeLog()
    return Effect.gen(function* () {
      const disk = makeDisk()
      disk.broken = true
      const { offer } = yield* make(disk)
      offer(numbered(0))
      yield* pass(AUDIT_GATHER_MS)
      for (let n = 1; n < 4; n++) {
        offer(numbered(n))
        yield* pass(AUDIT_RETRY_MS + AUDIT_GATHER_MS)
      }
      assert.deepStrictEqual(log.lines, [
        "the audit log cannot be written to /data/audit (ENOSPC); calls continue, and writing is tried again every 10 s"
      ])
      disk.broken = false
      yield* pass(AUDIT_RETRY_MS + AUDIT_GATHER_MS)
      assert.deepStrictEqual(disk.lines, range(0, 4))
      assert.deepStrictEqual(log.lines.slice(1), ["the audit log is written again: /data/audit"])
    }).pipe(Effect.scoped, Effect.provide(log.layer))
  })

  it.effect("drops records beyond its limit, and counts them in the log and in the file", () => {
    const log = makeLog()
    return Effect.gen(function* () {
      const disk = makeDisk()
      const { offer } = yield* make(disk)
      for (let n = 1; n <= AUDIT_QUEUED_MAX + 25; n++) offer(numbered(n))
      yield* pass(AUDIT_GATHER_MS)
      assert.deepStrictEqual(disk.lines.slice(0, AUDIT_QUEUED_MAX), range(1, AUDIT_QUEUED_MAX + 1))
      yield* pass(AUDIT_GATHER_MS)
      assert.deepStrictEqual(disk.lines.slice(AUDIT_QUEUED_MAX), ["25"])
      assert.deepStrictEqual(log.lines, [
        "25 records of the audit log were dropped: they came faster than they were written"
      ])
    }).pipe(Effect.scoped, Effect.provide(log.layer))
  })

  it.effect("writes each record once when it is closed during a write", () =>
    Effect.gen(function* () {
      const disk = makeDisk()
      const begun = yield* Deferred.make<void>()
      let go = () => {}
      const gate = new Promise<void>((resolve) => (go = resolve))
      const scope = yield* Scope.make()
      const { offer } = yield* Scope.provide(
        make({
          append: async (lines) => {
            Deferred.doneUnsafe(begun, Effect.void)
            await gate
            return disk.append(lines)
          }
        }),
        scope
      )
      offer(numbered(0))
      yield* TestClock.adjust(AUDIT_GATHER_MS)
      yield* Deferred.await(begun)
      offer(numbered(1))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* settled
      go()
      yield* Fiber.join(closing)
      assert.deepStrictEqual(disk.lines, ["0", "1"])
    })
  )
})
