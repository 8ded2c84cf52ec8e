import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { askingPerson } from "../../../../src/programs/cli/output.ts"
import { connecting, mayTell, TellsWaiting, tellingWait } from "../../../../src/programs/cli/servers/waiting.ts"

const CLEAR = "\r\u001b[K"

const wait = Effect.fnUntraced(function* (words: () => string) {
  const written: Array<string> = []
  const done = yield* Deferred.make<string>()
  const fiber = yield* tellingWait(Deferred.await(done), Effect.sync(words), {
    isTTY: true,
    columns: 30,
    write: (text) => written.push(text)
  }).pipe(Effect.forkChild({ startImmediately: true }))
  return { written, done, fiber }
})

describe("what is waited for", () => {
  const words = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => [`s${index}`, { state: "Connecting" }])
    return connecting({ status: Effect.succeed(Object.fromEntries(names)) } as never)
  }

  it.effect("is named; of a thousand servers, some", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* words(0), "")
      assert.strictEqual(yield* words(2), "Waiting for s0, s1")
      assert.strictEqual(yield* words(1_000), "Waiting for s0, s1, s2, s3, s4, s5, s6, s7, s8, s9 and 990 more")
    })
  )
})

describe("a wait", () => {
  it("is told neither with --json nor where CI is set", () => {
    assert.isTrue(mayTell(["status"], {}))
    assert.isTrue(mayTell(["status"], { CI: "false" }))
    assert.isFalse(mayTell(["status", "--json"], {}))
    assert.isFalse(mayTell(["status", "--json=true"], {}))
    for (const CI of ["1", "true"]) assert.isFalse(mayTell(["status"], { CI }))
  })

  it.effect("of any length says nothing where it is not told", () =>
    Effect.gen(function* () {
      const { done, fiber, written } = yield* wait(() => "Waiting for slow")
      yield* TestClock.adjust(60_000)
      yield* Deferred.succeed(done, "answer")
      assert.strictEqual(yield* Fiber.join(fiber), "answer")
      assert.deepStrictEqual(written, [])
    }).pipe(Effect.provideService(TellsWaiting, false))
  )

  it.effect("of less than a second says nothing", () =>
    Effect.gen(function* () {
      const { done, fiber, written } = yield* wait(() => "Waiting for slow")
      yield* TestClock.adjust(999)
      yield* Deferred.succeed(done, "answer")
      assert.strictEqual(yield* Fiber.join(fiber), "answer")
      assert.deepStrictEqual(written, [])
    })
  )

  it.effect("makes way for a question, and shows nothing until that is answered", () =>
    Effect.gen(function* () {
      const { done, fiber, written } = yield* wait(() => "Waiting for slow")
      yield* TestClock.adjust(1000)
      assert.strictEqual(written.at(-1), `${CLEAR}Waiting for slow (1 s)`)
      const asked = yield* askingPerson.pipe(
        Effect.andThen(Effect.sync(() => assert.strictEqual(written.at(-1), CLEAR))),
        Effect.andThen(Effect.sleep(5000)),
        Effect.scoped,
        Effect.forkChild({ startImmediately: true })
      )
      const before = written.length
      yield* TestClock.adjust(4999)
      assert.lengthOf(written, before)
      yield* TestClock.adjust(1000)
      yield* Fiber.join(asked)
      assert.strictEqual(written.at(-1), `${CLEAR}Waiting for slow (6 s)`)
      yield* Deferred.succeed(done, "answer")
      yield* Fiber.join(fiber)
    })
  )

  it.effect("that begins to be told during a question says nothing before its answer", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(Effect.scoped(Effect.andThen(askingPerson, Effect.sleep(3000))), {
        startImmediately: true
      })
      const { done, fiber, written } = yield* wait(() => "Waiting for slow")
      yield* TestClock.adjust(2500)
      assert.deepStrictEqual(written, [])
      yield* TestClock.adjust(1000)
      yield* Fiber.join(asked)
      assert.match(written.at(-1) ?? "", /Waiting for slow \(3 s\)$/)
      yield* Deferred.succeed(done, "answer")
      yield* Fiber.join(fiber)
    })
  )

  it.effect("that is longer says what for, on one line of the terminal that goes with it", () =>
    Effect.gen(function* () {
      let words = "Waiting for slow, slower, slowest"
      const { done, fiber, written } = yield* wait(() => words)
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual(written, [`${CLEAR}Waiting for slow, slower, slo…`.slice(0, CLEAR.length + 28) + "…"])
      words = "Waiting for slow"
      yield* TestClock.adjust(1000)
      assert.strictEqual(written.at(-1), `${CLEAR}Waiting for slow (2 s)`)
      yield* Deferred.succeed(done, "answer")
      yield* Fiber.join(fiber)
      assert.strictEqual(written.at(-1), CLEAR)
    })
  )

  it.effect("is told line by line where there is no terminal, each thing once", () =>
    Effect.gen(function* () {
      let words = "Waiting for a, b"
      const written: Array<string> = []
      const fiber = yield* tellingWait(
        Effect.never,
        Effect.sync(() => words),
        {
          write: (text) => written.push(text)
        }
      ).pipe(Effect.forkChild({ startImmediately: true }))
      yield* TestClock.adjust(20_000)
      assert.deepStrictEqual(written, ["mcp-live: Waiting for a, b\n"])
      words = "Waiting for b"
      yield* TestClock.adjust(5000)
      assert.deepStrictEqual(written.slice(1), ["mcp-live: Waiting for b\n"])
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("for nothing that can be named is silent", () =>
    Effect.gen(function* () {
      const { done, fiber, written } = yield* wait(() => "")
      yield* TestClock.adjust(3000)
      yield* Deferred.succeed(done, "answer")
      yield* Fiber.join(fiber)
      assert.strictEqual(written.join("").replaceAll(CLEAR, ""), "")
    })
  )
})
