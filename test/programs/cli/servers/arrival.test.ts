import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import {
  followLate,
  listedSoon,
  serverSoon,
  soonEnough,
  toolSoon
} from "../../../../src/programs/cli/servers/arrival.ts"
import { ownersOf } from "../../../../src/programs/cli/servers/owners.ts"
import { connectingIn, progress } from "../../../../src/programs/cli/servers/waiting.ts"
import { renderArrival } from "../../../../src/schemas/content/Rendering.ts"
import { McpRuntime, type McpRuntimeShape } from "../../../../src/services/call/McpRuntime.ts"
import { McpLiveTest, TestServers, type TestServer } from "../../../../src/testing.ts"

const live = (servers: Record<string, TestServer>, options: Parameters<typeof McpLiveTest>[1] = {}) =>
  McpLiveTest(servers, options).pipe(Layer.provideMerge(Logger.layer([])))

const ready = (connectTime: string): TestServer => ({ faults: { connectTime: connectTime as "1 second" } })
const NEVER: TestServer = { faults: { connectTime: "1 hour" }, config: { timeout: 7_200_000 } }

/** For how many milliseconds `wait` keeps its caller, to a tenth of a second. */
const lasts = (wait: (runtime: McpRuntimeShape) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(wait(yield* McpRuntime), { startImmediately: true })
    for (let ms = 0; ms < 60_000; ms += 100) {
      yield* TestClock.adjust(0)
      if (fiber.pollUnsafe() !== undefined) return ms
      yield* TestClock.adjust(100)
    }
    return yield* Fiber.interrupt(fiber).pipe(Effect.as(Infinity))
  })

describe("a command that waits for servers", () => {
  const wait = (runtime: McpRuntimeShape) => soonEnough(runtime, runtime.ready)

  it.effect("continues within two seconds after the first server is ready", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts(wait), 4_500)
      assert.deepStrictEqual(connectingIn(yield* (yield* McpRuntime).status), ["never"])
    }).pipe(Effect.provide(live({ first: ready("3 seconds"), second: ready("4 seconds"), never: NEVER })))
  )

  it.effect("continues at once when all are ready", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts(wait), 500)
    }).pipe(Effect.provide(live({ first: ready("300 millis"), second: ready("500 millis") })))
  )

  it.effect("waits on as long as none is ready, also when one has failed", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts(wait), 9_500)
    }).pipe(
      Effect.provide(
        live({
          bad: { faults: { refuseStarts: 9 }, config: { maxRestarts: 0 } },
          late: ready("8 seconds"),
          never: NEVER
        })
      )
    )
  )

  it.effect("waits for all with --wait, and wakes those that are lazy", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts((runtime) => listedSoon(runtime, true)), 20_000)
    }).pipe(
      Effect.provide(
        live({
          first: ready("100 millis"),
          slow: ready("20 seconds"),
          lazy: { ...ready("5 seconds"), config: { lazy: true } }
        })
      )
    )
  )

  it.effect("for a list lets lazy ones have as long as the others", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts((runtime) => listedSoon(runtime, false)), 1_600)
      const names = (yield* (yield* McpRuntime).allTools).map(({ server }) => server)
      assert.includeMembers(names, ["first", "lazy"])
    }).pipe(
      Effect.provide(
        live({ first: ready("100 millis"), never: NEVER, lazy: { ...ready("1 second"), config: { lazy: true } } })
      )
    )
  )
})

describe("one tool", () => {
  it.effect("is available as soon as its own server is, whatever the others do", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts((runtime) => toolSoon(runtime, "first/echo")), 300)
    }).pipe(Effect.provide(live({ first: ready("300 millis"), never: NEVER })))
  )

  it.effect("of a server that is slow is waited for, and no other server is", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts((runtime) => toolSoon(runtime, "slow/echo")), 8_000)
      assert.deepStrictEqual((yield* TestServers).attemptTimes("never"), [])
    }).pipe(
      Effect.provide(
        live({ slow: ready("8 seconds"), first: ready("100 millis"), never: NEVER }, { narrow: ownersOf("slow/echo") })
      )
    )
  )

  it.effect("that no server has is given up after a few servers have answered", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts((runtime) => toolSoon(runtime, "nobody")), 1_600)
    }).pipe(Effect.provide(live({ first: ready("100 millis"), never: NEVER })))
  )
})

describe("one server", () => {
  it.effect("is waited for however long it takes, and no other one is", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts((runtime) => serverSoon(runtime, "slow")), 8_000)
    }).pipe(Effect.provide(live({ first: ready("100 millis"), slow: ready("8 seconds"), never: NEVER })))
  )
})

describe("a first listing", () => {
  it.effect("does not wait again for who was waited for", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* lasts((runtime) => soonEnough(runtime, runtime.ready)), 1_600)
      assert.strictEqual(yield* lasts(({ tools }) => tools), 400)
    }).pipe(Effect.provide(live({ first: ready("100 millis"), never: NEVER })))
  )

  it.effect("gives lazy servers their time, however late it comes", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* lasts(({ tools }) => tools), 1_000)
    }).pipe(
      Effect.provide(live({ first: ready("100 millis"), lazy: { ...ready("1 second"), config: { lazy: true } } }))
    )
  )
})

describe("servers that come late", () => {
  it.effect("are reported once each, ready or failed, and no others", () =>
    Effect.gen(function* () {
      const runtime = yield* McpRuntime
      yield* TestClock.adjust("1 second")
      const told: Array<string> = []
      const following = yield* followLate(runtime, yield* runtime.status, (name, status) =>
        Effect.sync(() => void told.push(renderArrival(name, status)))
      ).pipe(Effect.forkChild({ startImmediately: true }))
      assert.deepStrictEqual(told, [])
      yield* TestClock.adjust("6 seconds")
      assert.lengthOf(told, 1)
      assert.match(told[0]!, /^slow: Ready, 1 tool \(\w+, .*\)$/)
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(told, 2)
      assert.match(told[1]!, /^bad: exited with code 1/)
      yield* Fiber.join(following)
    }).pipe(
      Effect.provide(
        live({
          first: ready("100 millis"),
          slow: ready("5 seconds"),
          bad: { faults: { connectTime: "8 seconds", refuseStarts: 9 }, config: { restartOnCrash: false } }
        })
      )
    )
  )

  it.effect("while a start is under way are named, with how many of those that are started are ready", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* progress(yield* McpRuntime), "1 of 3 MCP servers ready. Waiting for never")
    }).pipe(
      Effect.provide(
        live({
          first: ready("100 millis"),
          never: NEVER,
          off: { config: { enabled: false } },
          lazy: { config: { lazy: true } },
          bad: { faults: { refuseStarts: 9 }, config: { maxRestarts: 0 } }
        })
      )
    )
  )
})
