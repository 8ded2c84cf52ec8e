import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeJournaled } from "../../../../src/layers/call/McpRuntime/journaled.ts"
import type { Call } from "../../../../src/layers/call/McpRuntime/record.ts"
import type { ServerRoute } from "../../../../src/layers/call/McpRuntime/Route.ts"
import { RateLimited } from "../../../../src/schemas/call/CallError.ts"
import { CallTimeout } from "../../../../src/schemas/connection/RequestError.ts"
import type { ToolResult } from "../../../../src/schemas/call/Tool.ts"
import { CallOrigin, type Journal, type JournalEntry } from "../../../../src/services/call/CallJournal.ts"

const RESULT: ToolResult = { isError: false, content: [], details: {} } as never

const callOf = (state = "Ready"): Call<ServerRoute> =>
  ({
    options: {},
    route: {
      agentTool: { server: "files", tool: "read" },
      tool: "read\u200b",
      server: { config: {}, supervised: { snapshot: () => ({ state: { _tag: state } }) } }
    }
  }) as never

/** A journal whose rows are written when the test says so, and what happens, in order. */
const observed = () => {
  const events: Array<string> = []
  const writes: Array<() => void> = []
  const open: Journal["open"] = () => {
    const written = Deferred.makeUnsafe<boolean>()
    events.push("begun")
    writes.push(() => void Deferred.doneUnsafe(written, Effect.succeed(true)))
    return { written: Deferred.await(written), close: (outcome) => void events.push(outcome) }
  }
  const send = () =>
    Effect.sync(() => {
      events.push("sent")
      return RESULT
    })
  return { events, writes, send, journaled: makeJournaled("main", { current: { open } }) }
}

const refused = Effect.fail(new RateLimited({ server: "files", retryInMs: 1_000 }))
const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("a call in the journal", () => {
  it.effect("is begun there before its last stages, and leaves when it is written", () =>
    Effect.gen(function* () {
      const { events, journaled, send, writes } = observed()
      const call = journaled(callOf(), (leave) =>
        Effect.suspend(() => {
          events.push("admitted")
          return leave(send)
        })
      )
      const running = yield* start(call)
      assert.deepStrictEqual(events, ["begun", "admitted"])
      writes[0]!()
      yield* Fiber.join(running)
      assert.deepStrictEqual(events, ["begun", "admitted", "sent", "done"])
    })
  )

  it.effect("tells whoever answers with it that it leaves, when its row is written and not before", () =>
    Effect.gen(function* () {
      const { events, journaled, send, writes } = observed()
      const leaves = () => void events.push("leaves")
      const running = yield* start(
        Effect.provideService(
          journaled(callOf(), (leave) => leave(send)),
          CallOrigin,
          {
            session: "session-1",
            request: 1,
            leaves
          }
        )
      )
      assert.deepStrictEqual(events, ["begun"])
      writes[0]!()
      yield* Fiber.join(running)
      assert.deepStrictEqual(events, ["begun", "leaves", "sent", "done"])
    })
  )

  it.effect("is named there as rules match it, too, and knows whether it may run again", () =>
    Effect.gen(function* () {
      const entries: Array<JournalEntry> = []
      const mayRunAgain = Effect.succeed(true)
      const open: Journal["open"] = (entry) => {
        entries.push(entry)
        return { written: Effect.succeed(true), close: () => {}, mayRunAgain }
      }
      const journaled = makeJournaled("main", { current: { open } })
      const given = yield* Deferred.make<unknown>()
      const call = journaled(callOf(), (leave) => leave((again) => Effect.as(Deferred.succeed(given, again), RESULT)))
      yield* call
      assert.strictEqual(yield* Deferred.await(given), mayRunAgain)
      assert.include(entries[0], { tool: "read", ownName: "read\u200b" })
    })
  )

  it.effect("is `failed` if it is refused, or given up, before it leaves", () =>
    Effect.gen(function* () {
      const { events, journaled, send, writes } = observed()
      yield* Effect.flip(journaled(callOf(), () => refused))
      assert.deepStrictEqual(events.splice(0), ["begun", "failed"])
      const another = yield* start(journaled(callOf(), (leave) => leave(send)))
      writes.at(-1)!()
      yield* Fiber.join(another)
      events.length = 0
      const waiting = yield* start(journaled(callOf(), (leave) => leave(send)))
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual(events, ["begun", "failed"])
    })
  )

  it.effect("is `unknown` if it has left, and its answer is not known", () =>
    Effect.gen(function* () {
      const { events, journaled, writes } = observed()
      const late = Effect.fail(
        new CallTimeout({ server: "files", method: "tools/call", timeoutMs: 1, deadline: "idle", key: null })
      )
      const running = yield* start(Effect.flip(journaled(callOf(), (leave) => leave(() => late))))
      writes[0]!()
      yield* Fiber.join(running)
      assert.deepStrictEqual(events.splice(0), ["begun", "unknown"])
      const hanging = yield* start(journaled(callOf(), (leave) => leave(() => Effect.never)))
      writes[1]!()
      yield* Fiber.interrupt(hanging)
      assert.deepStrictEqual(events, ["begun", "unknown"])
    })
  )

  it.effect("has no row while calls are refused, until one of them leaves", () =>
    Effect.gen(function* () {
      const { events, journaled, send, writes } = observed()
      const refusal = Effect.suspend(() => Effect.flip(journaled(callOf(), () => refused)))
      yield* refusal
      yield* refusal
      yield* refusal
      assert.deepStrictEqual(events.splice(0), ["begun", "failed"])
      const admitted = Effect.suspend(() =>
        journaled(callOf(), (leave) => {
          events.push("admitted")
          return leave(send)
        })
      )
      const next = yield* start(admitted)
      writes[1]!()
      yield* Fiber.join(next)
      assert.deepStrictEqual(events.splice(0), ["admitted", "begun", "sent", "done"])
      yield* Fiber.interrupt(yield* start(admitted))
      assert.deepStrictEqual(events, ["begun", "admitted", "failed"])
    })
  )

  it.effect("has no row while it waits for its server", () =>
    Effect.gen(function* () {
      const { events, journaled, send } = observed()
      const isThere = yield* Deferred.make<void>()
      const running = yield* start(
        journaled(callOf("Connecting"), (leave) => Effect.andThen(Deferred.await(isThere), leave(send)))
      )
      assert.deepStrictEqual(events, [])
      yield* Deferred.succeed(isThere, undefined)
      yield* Effect.yieldNow
      assert.deepStrictEqual(events, ["begun"])
      yield* Fiber.interrupt(running)
    })
  )
})
