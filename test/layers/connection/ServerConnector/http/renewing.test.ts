import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { SESSION_LOST } from "../../../../../src/layers/connection/ServerConnector/http/httpFailure.ts"
import { renewing, type Live } from "../../../../../src/layers/connection/ServerConnector/http/renewing.ts"
import { SESSION_RENEWED_MIN_MS } from "../../../../../src/schemas/defaults/Wire.ts"
import type { ConnectError } from "../../../../../src/schemas/connection/ConnectError.ts"
import { AuthRequired } from "../../../../../src/schemas/connection/HttpError.ts"
import { ConnectionLost } from "../../../../../src/schemas/connection/RequestError.ts"
import type { ConnectionInfo } from "../../../../../src/schemas/connection/ServerState.ts"

const server = "web"
const LOST = new ConnectionLost({ server, detail: SESSION_LOST, maybeExecuted: false })
const PERHAPS = new ConnectionLost({ server, detail: SESSION_LOST, maybeExecuted: true })
const OPTIONS = { idleMs: 1_000, totalMs: 10_000 }
const INFO: ConnectionInfo = {
  transport: "http",
  protocolVersion: "2025-11-25",
  era: "legacy",
  pid: undefined,
  connectMs: 1
}

/** A server whose sessions are numbers; requests are answered with that of their session, until it is forgotten. */
const make = Effect.fnUntraced(function* (
  options: {
    readonly info?: (session: number) => Partial<ConnectionInfo>
    readonly opening?: (session: number) => Effect.Effect<void, ConnectError>
    /** Knows no session, however new. */
    readonly forgetful?: true
    /** Says that the session is lost to what it may have taken. */
    readonly takes?: (method: string, session: number) => boolean
  } = {}
) {
  const open = new Set<number>()
  const known = new Set<number>()
  const asked: Array<string> = []
  const watched: Array<string> = []
  const renewals: Array<ReadonlyArray<string>> = []
  const ends = new Map<number, Deferred.Deferred<never, ConnectionLost>>()
  let sessions = 0
  /** Done when slow requests may be answered. */
  const gate = yield* Deferred.make<void>()

  const attach = Effect.gen(function* () {
    const session = ++sessions
    yield* options.opening?.(session) ?? Effect.void
    yield* Effect.acquireRelease(
      Effect.sync(() => open.add(session)),
      () => Effect.sync(() => open.delete(session))
    )
    known.add(session)
    const end = yield* Deferred.make<never, ConnectionLost>()
    ends.set(session, end)
    const live: Live = {
      info: { ...INFO, ...options.info?.(session) },
      request: (method) =>
        Effect.suspend(() => {
          asked.push(`${session}:${method}`)
          if (method === "breaks")
            return Effect.fail(new ConnectionLost({ server, detail: "reset", maybeExecuted: true }))
          if (options.takes?.(method, session) === true) return Effect.fail(PERHAPS)
          if (options.forgetful === true || !known.has(session)) return Effect.fail(LOST)
          return method === "slow" ? Effect.as(Deferred.await(gate), session) : Effect.succeed(session)
        }),
      discover: Effect.succeed({ session } as never),
      watchResources: (uris) => Effect.sync(() => void watched.push(`${session}:${uris.join()}`)),
      ping: Effect.succeed(true),
      closed: Deferred.await(end)
    }
    return live
  })

  const connection = yield* renewing(attach, {
    timeoutMs: 5_000,
    onRenewed: (uris) => renewals.push(uris)
  })
  const request = (method = "x", params = {}) => connection.request(method, params, OPTIONS)
  return {
    connection,
    request,
    open,
    asked,
    watched,
    renewals,
    gate,
    forget: () => known.clear(),
    /** The server says so on the stream of a session. */
    endWith: (session: number, reason: ConnectionLost) => Deferred.fail(ends.get(session)!, reason),
    count: () => sessions
  }
})

describe("renewing: a lost session", () => {
  it.effect("is replaced, and a request that was not taken is sent again", () =>
    Effect.gen(function* () {
      const { asked, count, forget, open, renewals, request } = yield* make()
      assert.strictEqual(yield* request(), 1)
      forget()
      assert.strictEqual(yield* request(), 2)
      assert.strictEqual(yield* request(), 2)
      assert.deepStrictEqual(asked, ["1:x", "1:x", "2:x", "2:x"])
      assert.strictEqual(count(), 2)
      assert.lengthOf(renewals, 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([...open], [2])
    })
  )

  it.effect("is replaced once for concurrent requests", () =>
    Effect.gen(function* () {
      const { count, forget, request } = yield* make({ opening: (n) => (n === 1 ? Effect.void : Effect.sleep(100)) })
      forget()
      const all = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 20 }, () => request()),
          { concurrency: 20 }
        )
      )
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(
        yield* Fiber.join(all),
        Array.from({ length: 20 }, () => 2)
      )
      assert.strictEqual(count(), 2)
    })
  )

  it.effect("is replaced without a request, and resources are subscribed to again", () =>
    Effect.gen(function* () {
      const { connection, count, endWith, request, watched } = yield* make()
      yield* connection.watchResources(["a", "b"])
      yield* endWith(1, LOST)
      yield* TestClock.adjust(1)
      assert.strictEqual(count(), 2)
      assert.strictEqual(yield* request(), 2)
      assert.deepStrictEqual(yield* connection.discover, { session: 2 } as never)
      assert.deepStrictEqual(watched, ["1:a,b", "2:a,b"])
    })
  )

  it.effect("is not assumed for another connection loss, and the request is not sent again", () =>
    Effect.gen(function* () {
      const { asked, count, request } = yield* make()
      const error = yield* Effect.flip(request("breaks"))
      assert.isTrue(error._tag === "ConnectionLost" && error.maybeExecuted)
      assert.deepStrictEqual(asked, ["1:breaks"])
      assert.strictEqual(count(), 1)
    })
  )

  it.effect("is replaced after a call that may have run, without sending that call again", () =>
    Effect.gen(function* () {
      const { asked, count, request } = yield* make({ takes: (_, session) => session === 1 })
      assert.strictEqual(yield* Effect.flip(request("tools/call")), PERHAPS)
      yield* TestClock.adjust(1)
      assert.strictEqual(count(), 2)
      assert.deepStrictEqual(asked, ["1:tools/call"])
      assert.strictEqual(yield* request("tools/call"), 2)
      const reading = yield* make({ takes: (_, session) => session === 1 })
      assert.strictEqual(yield* reading.request("tools/list"), 2)
      assert.deepStrictEqual(reading.asked, ["1:tools/list", "2:tools/list"])
    })
  )

  it.effect("fails a request whose new session is lost too; a call may have run", () =>
    Effect.gen(function* () {
      for (const [method, maybeExecuted] of [
        ["tools/call", true],
        ["tools/list", false]
      ] as const) {
        const { asked, request } = yield* make({ forgetful: true })
        assert.deepInclude(yield* Effect.flip(request(method)), { _tag: "ConnectionLost", maybeExecuted })
        assert.deepStrictEqual(asked, [`1:${method}`, `2:${method}`])
      }
    })
  )

  it.effect("closes after its requests in flight have ended", () =>
    Effect.gen(function* () {
      const { forget, gate, open, request } = yield* make()
      const slow = yield* Effect.forkChild(request("slow"))
      yield* TestClock.adjust(1)
      forget()
      assert.strictEqual(yield* request(), 2)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([...open], [1, 2])
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* Fiber.join(slow), 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([...open], [2])
    })
  )

  it.effect("is replaced for the other requests when the first one is interrupted", () =>
    Effect.gen(function* () {
      const { count, forget, request } = yield* make({ opening: (n) => (n === 1 ? Effect.void : Effect.sleep(100)) })
      forget()
      const first = yield* Effect.forkChild(request())
      yield* TestClock.adjust(10)
      const second = yield* Effect.forkChild(request())
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(100)
      assert.strictEqual(yield* Fiber.join(second), 2)
      assert.strictEqual(count(), 2)
    })
  )
})

describe("renewing: the end of the connection", () => {
  const lostAgain = (afterMs: number) =>
    Effect.gen(function* () {
      const { connection, count, forget, request } = yield* make()
      forget()
      yield* request()
      yield* TestClock.adjust(afterMs)
      forget()
      const outcome = yield* Effect.result(request())
      const ended = yield* Effect.timeoutOption(Effect.flip(connection.closed), 1).pipe(Effect.forkChild)
      yield* TestClock.adjust(1)
      return { outcome, sessions: count(), ended: (yield* Fiber.join(ended))._tag === "Some" }
    })

  it.effect("follows when the new session is lost soon again", () =>
    Effect.gen(function* () {
      const { ended, outcome, sessions } = yield* lostAgain(SESSION_RENEWED_MIN_MS - 1)
      assert.isTrue(outcome._tag === "Failure" && outcome.failure._tag === "ConnectionLost")
      assert.isTrue(outcome._tag === "Failure" && !(outcome.failure as ConnectionLost).maybeExecuted)
      assert.strictEqual(sessions, 2)
      assert.isTrue(ended)
    })
  )

  it.effect("does not follow when the new session is lost later", () =>
    Effect.gen(function* () {
      const { ended, outcome, sessions } = yield* lostAgain(SESSION_RENEWED_MIN_MS)
      assert.strictEqual(outcome._tag, "Success")
      assert.strictEqual(sessions, 3)
      assert.isFalse(ended)
    })
  )

  it.effect("follows when a new session fails, times out or has another protocol", () =>
    Effect.gen(function* () {
      for (const options of [
        { opening: (n: number) => (n === 1 ? Effect.void : Effect.fail(new AuthRequired({ server, status: 401 }))) },
        { opening: (n: number) => (n === 1 ? Effect.void : Effect.never) },
        { info: (n: number) => (n === 1 ? {} : { protocolVersion: "2025-06-18" }) },
        { info: (n: number) => (n === 1 ? {} : { era: "modern" as const }) },
        { info: (n: number) => (n === 1 ? {} : { transport: "sse" as const }) }
      ]) {
        const { asked, connection, forget, open, request } = yield* make(options)
        forget()
        const failing = yield* Effect.forkChild(Effect.flip(request()))
        yield* TestClock.adjust(5_000)
        assert.deepInclude(yield* Fiber.join(failing), { _tag: "ConnectionLost", maybeExecuted: false })
        yield* Effect.flip(connection.closed)
        assert.deepStrictEqual(asked, ["1:x"])
        assert.deepStrictEqual([...open], [1])
      }
    })
  )

  it.effect("follows any other loss without a new session", () =>
    Effect.gen(function* () {
      const { connection, count, endWith } = yield* make()
      const reason = new ConnectionLost({ server, detail: "the event stream ended", maybeExecuted: true })
      yield* endWith(1, reason)
      assert.strictEqual(yield* Effect.flip(connection.closed), reason)
      assert.strictEqual(count(), 1)
    })
  )

  it.effect("closes every session", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { forget, open, request } = yield* Scope.provide(make(), scope)
      const slow = yield* Effect.forkChild(request("slow"))
      yield* TestClock.adjust(1)
      forget()
      yield* request()
      assert.lengthOf([...open], 2)
      yield* Scope.close(scope, Exit.void)
      assert.isEmpty([...open])
      yield* Fiber.interrupt(slow)
    })
  )

  it.effect("follows a lost session under 2026-07-28, which has no sessions to replace", () =>
    Effect.gen(function* () {
      const { count, forget, request } = yield* make({ info: () => ({ era: "modern" }) })
      forget()
      yield* Effect.flip(request())
      assert.strictEqual(count(), 1)
    })
  )
})
