import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import * as CallLimiterLayer from "../../../../src/layers/call/CallLimiter.ts"
import { DEFAULT_CALL_LIMITS, type CallLimits } from "../../../../src/schemas/call/CallLimits.ts"
import * as McpError from "../../../../src/McpError.ts"
import { CallLimiter, type LimitedCaller } from "../../../../src/services/call/CallLimiter.ts"

type CallError = McpError.CallError

const callerOf = (server: string, limits: Partial<CallLimits> = {}, agent = "main"): LimitedCaller => ({
  agent,
  server,
  process: `${server}\n0123456789abcdef`,
  limits: { ...DEFAULT_CALL_LIMITS, perMinute: 0, ...limits }
})
const a = callerOf("a")

const server = "a"
const timeout = new McpError.CallTimeout({ server, method: "tools/call", timeoutMs: 1, deadline: "idle" })

/** Whether calls reach the server, and how many did. */
let reached = 0
const touching = <A>(end: Effect.Effect<A, CallError>) =>
  Effect.suspend(() => {
    reached++
    return end
  })

const call = (caller: LimitedCaller, end: Effect.Effect<string, CallError>) =>
  Effect.match(
    Effect.flatMap(CallLimiter, (limiter) => limiter.admit(caller, touching(end))),
    {
      onSuccess: (value): unknown => value,
      onFailure: (error) =>
        "retryInMs" in error && error.retryInMs !== null ? [error._tag, error.retryInMs] : error._tag
    }
  )
const works = (caller = a) => call(caller, Effect.succeed("ok"))
const fails = (caller = a, error: CallError = timeout) => call(caller, Effect.fail(error))
const failsTimes = (times: number, caller = a) => Effect.replicateEffect(fails(caller), times)

const underWay = Effect.fnUntraced(function* (caller: LimitedCaller = a) {
  const outcome = yield* Deferred.make<string, CallError>()
  const fiber = yield* Effect.forkChild(call(caller, Deferred.await(outcome)), { startImmediately: true })
  const finish = (exit: Exit.Exit<string, CallError>) => Effect.andThen(Deferred.done(outcome, exit), Fiber.join(fiber))
  return { fiber, works: finish(Exit.succeed("ok")), fails: finish(Exit.fail(timeout)) }
})

const promise = (name: string, test: Effect.Effect<void, never, CallLimiter>) =>
  it.effect(name, () =>
    Effect.suspend(() => {
      reached = 0
      return test
    }).pipe(Effect.provide(CallLimiterLayer.layer()))
  )

describe("a circuit", () => {
  promise(
    "opens with the fifth failure in a row, and refuses at once, saying when to come back",
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* failsTimes(5),
        Array.from({ length: 5 }, () => "CallTimeout")
      )
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
      yield* TestClock.adjust("29999 millis")
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 1])
      assert.strictEqual(reached, 5)
    })
  )

  promise(
    "one answer in between starts the count again",
    Effect.gen(function* () {
      yield* failsTimes(4)
      yield* works()
      yield* failsTimes(4)
      assert.strictEqual(yield* works(), "ok")
    })
  )

  promise(
    "counts in the order in which calls end",
    Effect.gen(function* () {
      const slow = yield* underWay()
      yield* failsTimes(4)
      yield* slow.works
      yield* failsTimes(4)
      assert.strictEqual(yield* works(), "ok")
    })
  )

  promise(
    "after the cool-down one call at a time tries the server: a failure opens it again, an answer closes it",
    Effect.gen(function* () {
      yield* failsTimes(5)
      yield* TestClock.adjust("30 seconds")
      const first = yield* underWay()
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 1_000])
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 1_000])
      assert.strictEqual(yield* first.fails, "CallTimeout")
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
      yield* TestClock.adjust("30 seconds")
      const second = yield* underWay()
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 1_000])
      assert.strictEqual(yield* second.works, "ok")
      assert.strictEqual(reached, 7)
      yield* failsTimes(4)
      assert.strictEqual(yield* works(), "ok")
      yield* failsTimes(5)
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
    })
  )

  promise(
    "a trial that is interrupted leaves it to the next call",
    Effect.gen(function* () {
      yield* failsTimes(5)
      yield* TestClock.adjust("30 seconds")
      const trial = yield* underWay()
      yield* Fiber.interrupt(trial.fiber)
      assert.strictEqual(yield* works(), "ok")
      assert.strictEqual(yield* works(), "ok")
    })
  )

  promise(
    "so does one that says nothing about the server, or never got there",
    Effect.gen(function* () {
      const drained = callerOf("a", { perMinute: 1, burst: 1 })
      yield* works(drained)
      yield* failsTimes(5)
      yield* TestClock.adjust("30 seconds")
      const unavailable = new McpError.ServerUnavailable({ server, state: "Backoff", detail: "", retryInMs: null })
      assert.strictEqual(yield* fails(a, unavailable), "ServerUnavailable")
      assert.deepStrictEqual(yield* works(drained), ["RateLimited", 30_000])
      assert.strictEqual(yield* fails(), "CallTimeout")
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
    })
  )

  promise(
    "what was under way when it opened neither closes it nor keeps it open",
    Effect.gen(function* () {
      const late = [yield* underWay(), yield* underWay(), yield* underWay()]
      yield* failsTimes(5)
      yield* late[0]!.works
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
      yield* TestClock.adjust("10 seconds")
      yield* late[1]!.fails
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 20_000])
      yield* TestClock.adjust("20 seconds")
      yield* late[2]!.fails
      assert.deepStrictEqual(yield* works(), "ok")
    })
  )

  promise(
    "is the server's, for every agent, and nobody else's; two servers of one name have two",
    Effect.gen(function* () {
      yield* failsTimes(3)
      yield* failsTimes(2, callerOf("a", {}, "other"))
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
      assert.strictEqual(yield* works(callerOf("b")), "ok")
      assert.strictEqual(yield* works({ ...a, process: "a\nfedcba9876543210" }), "ok")
    })
  )

  promise(
    "opens after as many failures, and for as long, as the server's limits say; never with 0",
    Effect.gen(function* () {
      const touchy = callerOf("b", { failures: 1, coolDownMs: 10 })
      yield* fails(touchy)
      assert.deepStrictEqual(yield* works(touchy), ["CircuitOpen", 10])
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(yield* works(touchy), "ok")
      const never = callerOf("c", { failures: 0 })
      yield* failsTimes(50, never)
      assert.strictEqual(yield* works(never), "ok")
    })
  )

  promise(
    "is forgiven when the server is started anew: calls go at once, and the first failure opens it again",
    Effect.gen(function* () {
      const { forgive } = yield* CallLimiter
      yield* failsTimes(5)
      forgive(a.process)
      assert.deepStrictEqual([yield* works(), yield* works()], ["ok", "ok"])
      assert.strictEqual(yield* fails(), "CallTimeout")
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
      forgive(a.process)
      yield* TestClock.adjust("30 seconds")
      yield* works()
      yield* failsTimes(4)
      assert.strictEqual(yield* works(), "ok")
      forgive("never heard of")
    })
  )

  promise(
    "stays open however many other servers fail",
    Effect.gen(function* () {
      yield* failsTimes(5)
      for (let i = 0; i < 1_000; i++) yield* fails(callerOf(`s${i}`))
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
    })
  )
})

describe("the operator", () => {
  const logged = (test: (logs: ReadonlyArray<string>) => Effect.Effect<void, never, CallLimiter>) =>
    Effect.suspend(() => {
      const logs: Array<string> = []
      const logger = Logger.layer([
        Logger.make(({ logLevel, message }) => void logs.push(`${logLevel}: ${String(message)}`))
      ])
      return test(logs).pipe(Effect.provide(Layer.merge(CallLimiterLayer.layer(), logger)))
    })
  const OPENED = "Warn: [a] 5 calls in a row failed: calls are refused for 30000 ms, then one tries the server"
  const CLOSED = "Info: [a] answers again: calls are allowed"

  it.effect("gets one warning when a circuit opens, also when more calls are refused and trials fail", () =>
    logged(
      Effect.fnUntraced(function* (logs) {
        const late = yield* underWay()
        yield* failsTimes(4)
        assert.deepStrictEqual(logs, [])
        yield* fails()
        yield* failsTimes(10)
        yield* late.fails
        for (let trial = 0; trial < 3; trial++) {
          yield* TestClock.adjust("30 seconds")
          yield* fails()
        }
        assert.deepStrictEqual(logs, [OPENED])
      })
    )
  )

  it.effect("gets one message when the circuit closes, and a new warning when it opens again", () =>
    logged(
      Effect.fnUntraced(function* (logs) {
        yield* failsTimes(5)
        yield* TestClock.adjust("30 seconds")
        yield* Effect.replicateEffect(works(), 3)
        assert.deepStrictEqual(logs, [OPENED, CLOSED])
        yield* failsTimes(5)
        assert.deepStrictEqual(logs, [OPENED, CLOSED, OPENED])
      })
    )
  )

  it.effect("gets no message while there are fewer failures than the limit", () =>
    logged(
      Effect.fnUntraced(function* (logs) {
        yield* failsTimes(4)
        yield* works()
        assert.deepStrictEqual(logs, [])
      })
    )
  )

  it.effect("gets a warning when a restarted server fails again", () =>
    logged(
      Effect.fnUntraced(function* (logs) {
        const { forgive } = yield* CallLimiter
        yield* failsTimes(5)
        forgive(a.process)
        yield* TestClock.adjust("10 seconds")
        yield* fails()
        assert.deepStrictEqual(logs, [
          OPENED,
          "Warn: [a] failed again after a restart: calls are refused for 20000 ms, then one tries the server"
        ])
      })
    )
  )

  promise(
    "can ask which circuit is open, and when a call may try the server",
    Effect.gen(function* () {
      const { forgive, openCircuits } = yield* CallLimiter
      yield* failsTimes(4)
      assert.isUndefined(openCircuits(a.process))
      yield* fails()
      assert.deepStrictEqual(openCircuits(a.process), { retryInMs: 30_000 })
      assert.isUndefined(openCircuits("b"))
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(openCircuits(a.process), { retryInMs: 1_000 })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(openCircuits(a.process), { retryInMs: 0 })
      yield* fails()
      assert.deepStrictEqual(openCircuits(a.process), { retryInMs: 30_000 })
      yield* TestClock.adjust("30 seconds")
      yield* works()
      assert.isUndefined(openCircuits(a.process))
      yield* failsTimes(5)
      forgive(a.process)
      assert.isUndefined(openCircuits(a.process))
    })
  )
})

describe("what a circuit counts", () => {
  const httpFailed = (status: number | null) => new McpError.HttpFailed({ server, status, detail: "" })
  const protocolError = (code: number | null) => new McpError.ProtocolError({ server, code, detail: "" })
  const unavailable = new McpError.ServerUnavailable({ server, state: "Backoff", detail: "", retryInMs: null })

  const FAILURES: ReadonlyArray<CallError> = [
    timeout,
    new McpError.ConnectionLost({ server, detail: "", maybeExecuted: true }),
    new McpError.ConnectionLost({ server, detail: "", maybeExecuted: false }),
    httpFailed(null),
    httpFailed(500),
    httpFailed(503),
    protocolError(null),
    protocolError(-32_603),
    protocolError(-32_000)
  ]
  const ANSWERS: ReadonlyArray<CallError> = [-32_601, -32_602, -32_002, -32_042].map(protocolError)
  const NEITHER: ReadonlyArray<CallError> = [
    unavailable,
    httpFailed(404),
    httpFailed(429),
    new McpError.AuthRequired({ server, status: 401 }),
    new McpError.MessageTooLarge({ server, limitBytes: 1 }),
    new McpError.CallCancelled({ server }),
    new McpError.AddressBlocked({ server, host: null, leadsTo: "x", openable: true }),
    new McpError.RedirectBlocked({ server, target: "x", detail: "" }),
    new McpError.PolicyDenied({ tool: "x", rule: "x" }),
    new McpError.InvalidArguments({ tool: "x", detail: "" }),
    new McpError.ResourceNotFound({ uri: "x", detail: "" }),
    new McpError.SecretInArguments({ server, subject: "x", path: "", what: "mask" })
  ]
  const nameOf = (error: CallError) =>
    `${error._tag}${"status" in error ? ` ${error.status}` : ""}${"code" in error ? ` ${error.code}` : ""}`

  for (const error of FAILURES) {
    promise(
      `${nameOf(error)} is a failure`,
      Effect.gen(function* () {
        yield* failsTimes(4)
        yield* fails(a, error)
        assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
      })
    )
  }

  for (const error of ANSWERS) {
    promise(
      `${nameOf(error)} is an answer`,
      Effect.gen(function* () {
        yield* failsTimes(4)
        yield* fails(a, error)
        yield* fails()
        assert.strictEqual(yield* works(), "ok")
      })
    )
  }

  for (const error of NEITHER) {
    promise(
      `${nameOf(error)} is neither`,
      Effect.gen(function* () {
        yield* failsTimes(4)
        yield* fails(a, error)
        assert.strictEqual(yield* fails(), "CallTimeout")
        assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
      })
    )
  }

  promise(
    "an interruption and a bug of ours are neither",
    Effect.gen(function* () {
      yield* failsTimes(4)
      yield* Fiber.interrupt((yield* underWay()).fiber)
      yield* Effect.exit(call(a, Effect.die("bug")))
      yield* fails()
      assert.deepStrictEqual(yield* works(), ["CircuitOpen", 30_000])
    })
  )
})
