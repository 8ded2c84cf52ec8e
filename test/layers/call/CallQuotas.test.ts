import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as CallQuotasLayer from "../../../src/layers/call/CallQuotas.ts"
import { quotaFile } from "../../../src/layers/call/CallQuotas/quotaFile.ts"
import { callerAtTerminal, callerOf } from "../../../src/schemas/call/Caller.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"
import { granted, type Counted, type PersonLimits, type QuotaAsk } from "../../../src/schemas/call/Quota.ts"
import { QUOTA_IDLE_MS } from "../../../src/schemas/defaults/Quotas.ts"
import { CallQuotas, type Quotas } from "../../../src/services/call/CallQuotas.ts"
import { QuotaStore } from "../../../src/services/call/QuotaStore.ts"
import { pause } from "../../support/pause.ts"
import { inFolder } from "../../support/folder.ts"

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

/** Waits until so many calls are counted in the file. */
const settled = (directory: string, count: number) =>
  Effect.sync(() => readFileSync(join(directory, "quotas.json"), "utf8").includes(`"count":${count},`)).pipe(
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

  it.effect("are kept over restarts, in a file that only its owner reads and that names nobody", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      const limits = { perDay: 5 }
      yield* Effect.scoped(Effect.flatMap(processAt(directory, limits), (quotas) => allowed(quotas, callOf("1"), 3)))
      const again = yield* processAt(directory, limits)
      assert.strictEqual(yield* allowed(again, callOf("1"), 9), 2)
      const file = join(directory, "quotas.json")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.notInclude(readFileSync(file, "utf8"), "Ada")
      assert.include(readFileSync(file, "utf8"), personIdOf(person("1")))
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

  it.effect("of people who log in are not those of the user at the terminal", () =>
    Effect.gen(function* () {
      const quotas = yield* processAt(yield* inFolder, { perDay: 1 })
      const caller = callerAtTerminal({ username: "root", uid: 0 }, "operator")
      assert.isUndefined(quotas.take(callOf("", { caller })))
      assert.isUndefined(quotas.take(callOf("", { caller: callerOf("client bob") })))
    }).pipe(Effect.scoped)
  )

  it.effect("go on from nothing when their file is damaged, and are forgotten by person", () =>
    Effect.gen(function* () {
      const directory = yield* inFolder
      writeFileSync(join(directory, "quotas.json"), "{", { mode: 0o600 })
      yield* Effect.scoped(
        Effect.flatMap(processAt(directory, { perDay: 1, perMonth: 9 }), (quotas) =>
          Effect.all([attempt(quotas, callOf("1")), attempt(quotas, callOf("2"))])
        )
      )
      const { forget } = quotaFile(directory)
      assert.strictEqual(yield* forget(personIdOf(person("1"))), 2)
      assert.strictEqual(yield* forget(personIdOf(person("1"))), 0)
      assert.notInclude(readFileSync(join(directory, "quotas.json"), "utf8"), personIdOf(person("1")))
      assert.include(readFileSync(join(directory, "quotas.json"), "utf8"), personIdOf(person("2")))
    }).pipe(Effect.scoped)
  )
})
