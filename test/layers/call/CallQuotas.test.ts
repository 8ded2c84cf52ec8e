import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as CallQuotasLayer from "../../../src/layers/call/CallQuotas.ts"
import { fileOf, quotaFiles } from "../../../src/layers/call/CallQuotas/quotaFiles.ts"
import { DEFAULT_CALL_LIMITS } from "../../../src/schemas/call/CallLimits.ts"
import { callerAtTerminal, callerOf } from "../../../src/schemas/call/Caller.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"
import {
  granted,
  quotasFor,
  quotasOf,
  type Counted,
  type PersonLimits,
  type QuotaAsk
} from "../../../src/schemas/call/Quota.ts"
import { QUOTA_IDLE_MS } from "../../../src/schemas/defaults/Quotas.ts"
import { CallQuotas, type Quotas } from "../../../src/services/call/CallQuotas.ts"
import { QuotaStore } from "../../../src/services/call/QuotaStore.ts"
import { pause } from "../../support/pause.ts"
import { inFolder } from "../../support/folder.ts"
import { inFull } from "../../support/full.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const person = (subject: string) => ({ issuer: "https://login.example.com", subject, name: "Ada" })
const callOf = (subject: string, more: Partial<Counted> = {}): Counted => ({
  agent: "main",
  caller: { ...callerOf("cli"), person: person(subject) },
  server: "git",
  tool: "push",
  limits: {},
  ...more
})

const attempt = (quotas: Quotas, counted: Counted) =>
  Effect.match(quotas.take(counted) ?? Effect.void, {
    onSuccess: (): unknown => "ok",
    onFailure: ({ quota }) => quota?.startsAgain
  })
const allowed = (quotas: Quotas, counted: Counted, times: number, concurrency: "unbounded" | 1 = 1) =>
  Effect.forEach(Array.from({ length: times }), () => attempt(quotas, counted), { concurrency }).pipe(
    Effect.map((all) => all.filter((end) => end === "ok").length)
  )

const quiet = Logger.layer([])

const pathsOf = (directory: string): ReadonlyArray<string> => {
  const own = join(directory, "quotas")
  return readdirSync(own)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(own, name))
}
const textOf = (directory: string): string =>
  pathsOf(directory)
    .map((path) => readFileSync(path, "utf8"))
    .join("")

/** Waits until so many calls are counted in the files. */
const settled = (directory: string, count: number) =>
  Effect.sync(() => textOf(directory).includes(`"count":${count},`)).pipe(
    Effect.tap((holds) => (holds ? Effect.void : Effect.promise(pause))),
    Effect.repeat({ until: (holds) => holds })
  )

/** A process with its files at this directory, until the Scope closes. */
const processAt = (directory: string, limits?: PersonLimits) =>
  Effect.map(
    Layer.build(Layer.fresh(Layer.provide(CallQuotasLayer.layer({ directory, limits: () => limits }), quiet))),
    (context) => Context.get(context, CallQuotas)
  )

/** A process whose store is that of the test. */
const processWith = (take: QuotaStore["Service"]["take"], limits: PersonLimits) => {
  const store = Layer.succeed(QuotaStore, { take, forget: () => Effect.succeed(0) })
  return Effect.map(
    Layer.build(Layer.fresh(Layer.provide(CallQuotasLayer.layerStored({ limits: () => limits }), [store, quiet]))),
    (context) => Context.get(context, CallQuotas)
  )
}

/** As versions before wrote it: one count for the first day of each person. */
const oldFileOf = (subjects: ReadonlyArray<string>, count: number): string =>
  JSON.stringify({
    version: 1,
    counts: Object.fromEntries(
      subjects.flatMap((subject) =>
        quotasFor(callOf(subject), { perDay: 9 }, 0).map(({ endsAt, name }) => [name, { count, endsAt }])
      )
    )
  })

/** What this process has read and written, as Linux counts it. */
const IO = "/proc/self/io"
const bytesMoved = (): number =>
  readFileSync(IO, "utf8")
    .split("\n")
    .filter((line) => /^[rw]char: /.test(line))
    .reduce((sum, line) => sum + Number(line.split(": ")[1]), 0)

describe("quotas of people", () => {
  it.effect("let through exactly so many calls, and say when they start again; others go on", () =>
    Effect.gen(function* () {
      const quotas = yield* processAt(yield* inFolder, { perDay: 50 })
      assert.strictEqual(yield* allowed(quotas, callOf("1"), 60), 50)
      assert.strictEqual(yield* attempt(quotas, callOf("1")), "1970-01-02T00:00:00.000Z")
      assert.strictEqual(yield* attempt(quotas, callOf("2")), "ok")
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* allowed(quotas, callOf("1"), 60, "unbounded"), 50)
    }).pipe(Effect.scoped)
  )

  it.effect("are kept over restarts, in files that only their owner reads and that name nobody", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const limits = { perDay: 5 }
      yield* Effect.scoped(Effect.flatMap(processAt(directory, limits), (quotas) => allowed(quotas, callOf("1"), 3)))
      const again = yield* processAt(directory, limits)
      assert.strictEqual(yield* allowed(again, callOf("1"), 9), 2)
      for (const file of pathsOf(directory)) assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.notInclude(textOf(directory), "Ada")
      assert.include(textOf(directory), personIdOf(person("1")))
    }).pipe(Effect.scoped)
  )

  it.live("are one count for processes that share a data directory, also when they call at once", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const processes = yield* Effect.all([1, 2, 3].map(() => processAt(directory, { perMonth: 40 })))
      const counts = yield* Effect.forEach(processes, (quotas) => allowed(quotas, callOf("1"), 30, "unbounded"), {
        concurrency: "unbounded"
      })
      const first = counts.reduce((sum, count) => sum + count, 0)
      assert.isAtMost(first, 40)
      assert.isAtLeast(first, 30)
    }).pipe(Effect.scoped)
  )

  it.effect("give back what was taken ahead and is not used", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const [one, other] = [yield* processAt(directory, { perDay: 20 }), yield* processAt(directory, { perDay: 20 })]
      assert.strictEqual(yield* allowed(one, callOf("1"), 4), 4)
      const early = yield* allowed(other, callOf("1"), 20)
      assert.isBelow(early, 16)
      yield* TestClock.adjust(QUOTA_IDLE_MS * 2)
      yield* settled(directory, 4 + early)
      assert.strictEqual(yield* allowed(other, callOf("1"), 20), 16 - early)
    }).pipe(Effect.scoped)
  )

  it.effect("ask the store rarely: not for each call, and not for calls that are refused", () =>
    Effect.gen(function* () {
      let [rounds, count] = [0, 0]
      const take = (asks: ReadonlyArray<QuotaAsk>) =>
        Effect.sync(() => {
          rounds++
          return asks.map((ask) => {
            const given = granted(ask, count)
            count = given.count
            return given
          })
        })
      const quotas = yield* processWith(take, { perDay: 100_000 })
      yield* allowed(quotas, callOf("1"), 1_000)
      assert.isAtMost(rounds, 40)
      rounds = 0
      const full = yield* processWith(
        (asks) => Effect.sync(() => (rounds++, asks.map(() => ({ granted: 0, count: 9 })))),
        {
          perDay: 9
        }
      )
      assert.strictEqual(yield* allowed(full, callOf("1"), 1_000), 0)
      assert.strictEqual(rounds, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("count by this process while the store cannot be reached, and tell it afterwards", () =>
    Effect.gen(function* () {
      let [isAway, count] = [false, 0]
      const take = (asks: ReadonlyArray<QuotaAsk>) =>
        Effect.suspend(() => {
          if (isAway) return Effect.fail("it is away")
          const given = granted(asks[0]!, count)
          count = given.count
          return Effect.succeed([given])
        })
      const quotas = yield* processWith(take, { perDay: 10 })
      yield* allowed(quotas, callOf("1"), 1)
      isAway = true
      assert.strictEqual(yield* allowed(quotas, callOf("1"), 20), 9)
      isAway = false
      yield* TestClock.adjust(QUOTA_IDLE_MS * 2)
      assert.strictEqual(count, 10)
      assert.strictEqual(yield* allowed(quotas, callOf("1"), 5), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("count by this process when the store makes a mistake, and by the store afterwards", () =>
    Effect.gen(function* () {
      let [asked, count] = [0, 0]
      const take = (asks: ReadonlyArray<QuotaAsk>) =>
        Effect.sync(() => {
          if (++asked === 1) throw new Error("a mistake")
          const given = granted(asks[0]!, count)
          count = given.count
          return [given]
        })
      const quotas = yield* processWith(take, { perDay: 10 })
      assert.strictEqual(yield* allowed(quotas, callOf("1"), 1), 1)
      assert.strictEqual(yield* allowed(quotas, callOf("1"), 20), 9)
      yield* TestClock.adjust(QUOTA_IDLE_MS * 2)
      assert.strictEqual(count, 10)
    }).pipe(Effect.scoped)
  )

  it.effect("of a server count each person, client and agent there, and nobody at other servers", () =>
    Effect.gen(function* () {
      const quotas = yield* processAt(yield* inFolder)
      const limits = { perDay: 1 }
      const calls = [
        callOf("1", { limits }),
        callOf("2", { limits }),
        callOf("1", { limits, caller: callerOf("client bob") }),
        callOf("1", { limits, caller: undefined }),
        callOf("1", { limits, server: "mail" })
      ]
      for (const call of calls) assert.strictEqual(yield* attempt(quotas, call), "ok")
      for (const call of calls) assert.notStrictEqual(yield* attempt(quotas, call), "ok")
      assert.isUndefined(quotas.take(callOf("1")), "nothing is counted where nothing is limited")
    }).pipe(Effect.scoped)
  )

  it.effect("of a server do not count what it takes in a minute, and 0 is no limit there", () =>
    Effect.gen(function* () {
      const server = { ...DEFAULT_CALL_LIMITS, perMinute: 0, perDay: 2 }
      const quotas = yield* processAt(yield* inFolder, { perDay: 5 })
      assert.strictEqual(yield* allowed(quotas, callOf("1", { limits: server }), 9), 2)
      const shown = yield* quotas.states(callOf("1").caller!, [serverConfig("git", { limits: server })])
      assert.deepStrictEqual(
        shown.map(({ counts, period, used }) => [counts, period, used]),
        [
          ["calls", "day", 2],
          ["calls of MCP server 'git'", "day", 2]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("of people who log in are not those of the user at the terminal", () =>
    Effect.gen(function* () {
      const quotas = yield* processAt(yield* inFolder, { perDay: 1 })
      const caller = callerAtTerminal({ username: "root", uid: 0 }, "operator")
      assert.isUndefined(quotas.take(callOf("", { caller })))
      assert.isUndefined(quotas.take(callOf("", { caller: callerOf("client bob") })))
    }).pipe(Effect.scoped)
  )

  it.effect("go on from nothing when a file is damaged, and are forgotten by person", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const own = join(directory, "quotas")
      mkdirSync(own, { mode: 0o700 })
      const damaged = fileOf(quotasOf(personIdOf(person("1"))))
        .toString(16)
        .padStart(2, "0")
      writeFileSync(join(own, `${damaged}.json`), "{", { mode: 0o600 })
      yield* Effect.scoped(
        Effect.flatMap(processAt(directory, { perDay: 1, perMonth: 9 }), (quotas) =>
          Effect.all([attempt(quotas, callOf("1")), attempt(quotas, callOf("2"))])
        )
      )
      const { forget } = quotaFiles(directory)
      assert.strictEqual(yield* forget(personIdOf(person("1"))), 2)
      assert.strictEqual(yield* forget(personIdOf(person("1"))), 0)
      assert.notInclude(textOf(directory), personIdOf(person("1")))
      assert.include(textOf(directory), personIdOf(person("2")))
    }).pipe(Effect.scoped)
  )

  it.effect("of the file of an earlier version go on, and a file that is damaged takes nothing with it", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const old = join(directory, "quotas.json")
      writeFileSync(old, "{", { mode: 0o600 })
      const quotas = yield* processAt(directory, { perDay: 5 })
      assert.strictEqual(yield* attempt(quotas, callOf("1")), "ok")
      assert.isFalse(existsSync(old))
      // Of a process of that version which still runs.
      writeFileSync(old, oldFileOf(["2"], 3), { mode: 0o600 })
      assert.strictEqual(yield* allowed(quotas, callOf("2"), 9), 2)
      assert.isFalse(existsSync(old))
      assert.strictEqual(yield* allowed(quotas, callOf("1"), 9), 4)
    }).pipe(Effect.scoped)
  )

  it.effect("of files below zero, as an earlier version named them, go on in the right ones", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const subjects = Array.from({ length: 20 }, (_, i) => `p${i}`)
      const own = join(directory, "quotas")
      mkdirSync(own, { mode: 0o700 })
      const byFile = Map.groupBy(subjects, (subject) => fileOf(quotasOf(personIdOf(person(subject)))) - 256)
      for (const [file, some] of byFile) {
        writeFileSync(join(own, `${file.toString(16)}.json`), oldFileOf(some, 3), { mode: 0o600 })
      }
      const quotas = yield* processAt(directory, { perDay: 5 })
      for (const subject of subjects) assert.strictEqual(yield* allowed(quotas, callOf(subject), 9), 2, subject)
      for (const path of pathsOf(directory)) assert.match(path, /\/[0-9a-f]{2}\.json$/)
    }).pipe(Effect.scoped)
  )

  it.effect("go on where a file below zero cannot be moved, which is in the log once", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const own = join(directory, "quotas")
      mkdirSync(own, { mode: 0o700 })
      writeFileSync(join(directory, "elsewhere"), oldFileOf(["1"], 3), { mode: 0o600 })
      const name = `${(fileOf(quotasOf(personIdOf(person("1")))) - 256).toString(16)}.json`
      symlinkSync(join(directory, "elsewhere"), join(own, name))
      const other = fileOf(quotasOf(personIdOf(person("2")))) - 256
      writeFileSync(join(own, `${other.toString(16)}.json`), oldFileOf(["2"], 3), { mode: 0o600 })
      const store = quotaFiles(directory)
      const heard: Array<string> = []
      const capture = Logger.make<unknown, void>(({ message }) => void heard.push(String(message)))
      const asked = (subject: string) =>
        store.take(
          quotasFor(callOf(subject), { perDay: 9 }, 0).map((quota) => ({
            name: quota.name,
            limit: quota.limit,
            endsAt: quota.endsAt,
            need: 1,
            ahead: 0,
            back: 0,
            used: 0
          }))
        )
      const counts = yield* Effect.forEach(["1", "1", "2"], asked).pipe(Effect.provide(Logger.layer([capture])))
      assert.deepStrictEqual(
        counts.map(([given]) => given?.count),
        [1, 2, 4]
      )
      assert.lengthOf(heard, 1)
      assert.include(heard[0], `${name}, a file of an earlier version, are left out: `)
      // What is in it cannot be forgotten.
      assert.include(yield* Effect.flip(store.forget(personIdOf(person("1")))), "cannot be moved")
      assert.strictEqual(yield* store.forget(personIdOf(person("2"))), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("of many people cost a call the reading and writing of a few kilobytes", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      // In one file, these alone would be many times what may be read and written.
      const others = Array.from({ length: inFull(100_000, 20_000) }, (_, i): [string, unknown] => [
        `${quotasOf(i.toString(16).padStart(32, "0"))}all 1970-01-01`,
        { count: 3, endsAt: 86_400_000 }
      ])
      const old = JSON.parse(oldFileOf(["p7", "p8"], 3)) as { readonly version: number; readonly counts: object }
      const text = JSON.stringify({ ...old, counts: { ...old.counts, ...Object.fromEntries(others) } })
      writeFileSync(join(directory, "quotas.json"), text, { mode: 0o600 })
      const quotas = yield* processAt(directory, { perDay: 5 })
      assert.strictEqual(yield* allowed(quotas, callOf("p7"), 9), 2)
      const sizes = pathsOf(directory).map((path) => statSync(path).size)
      assert.isBelow(Math.max(...sizes), 100_000)
      if (!existsSync(IO)) return
      const before = bytesMoved()
      assert.strictEqual(yield* allowed(quotas, callOf("p8"), 1), 1)
      assert.strictEqual(yield* allowed(quotas, callOf("new"), 1), 1)
      // The files of both are read and written, and for each call another is read, of which some periods may be over.
      assert.isBelow(bytesMoved() - before, 1_000_000)
    }).pipe(Effect.scoped)
  )

  it.effect("whose period is over are forgotten, also where nobody calls any more", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const quotas = yield* processAt(directory, { perDay: 500, perMinute: 500 })
      yield* Effect.forEach(["1", "2", "3", "4", "5"], (subject) => allowed(quotas, callOf(subject), 1))
      yield* TestClock.adjust("2 days")
      const own = quotaFiles(directory)
      const asks = [{ name: "person x all", limit: 9, endsAt: 1e15, need: 0, ahead: 0, back: 0, used: 0 }]
      yield* Effect.forEach(Array.from({ length: 256 }), () => own.take(asks), { discard: true })
      assert.notInclude(textOf(directory), `"count"`)
    }).pipe(Effect.scoped)
  )

  it.effect("of one person are in one file", () =>
    Effect.sync(() => {
      const limits = { perDay: 1, perMonth: 1 }
      const own = { ...limits, tools: { "git/*": limits } }
      for (const subject of ["1", "2", "3", "4", "5", "6", "7", "8"]) {
        const names = quotasFor(callOf(subject, { limits }), own, 0).map(({ name }) => name)
        assert.strictEqual(names.length, 6)
        const file = fileOf(quotasOf(personIdOf(person(subject))))
        assert.deepStrictEqual([...new Set(names.map(fileOf))], [file])
        assert.isTrue(file >= 0 && file < 256, `${file}`)
      }
      const byClient = quotasFor(callOf("", { limits, caller: callerOf("client bob") }), undefined, 0)
      assert.strictEqual(new Set(byClient.map(({ name }) => fileOf(name))).size, 1)
    })
  )
})
