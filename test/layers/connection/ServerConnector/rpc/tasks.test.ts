import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { makeDeadlines } from "../../../../../src/layers/connection/ServerConnector/rpc/deadlines.ts"
import type { PeerHooks } from "../../../../../src/layers/connection/ServerConnector/rpc/Peer.ts"
import { makeTaskRequest, takesTasks } from "../../../../../src/layers/connection/ServerConnector/rpc/tasks.ts"
import {
  TASK_LATE_MS,
  TASK_POLL_MAX_MS,
  TASK_POLL_MIN_MS,
  TASK_POLL_MS,
  TASK_TTL_MS
} from "../../../../../src/schemas/defaults/HostRequests.ts"
import { CUT_MARGIN_CHARS } from "../../../../../src/schemas/defaults/Texts.ts"
import { ConnectionLost } from "../../../../../src/schemas/connection/RequestError.ts"
import type { RequestOptions } from "../../../../../src/services/connection/ServerConnector.ts"
import { scripted, type Script } from "../../../../support/session.ts"

const OPTIONS: RequestOptions = { idleMs: 60_000, totalMs: 600_000, asTask: true }
const CALL = { name: "x", arguments: { a: 1 } }
const DONE = { content: [{ type: "text", text: "done" }] }

type State = Readonly<Record<string, unknown>>

const working = (given: State = {}): State => ({ taskId: "t1", status: "working", pollInterval: 1_000, ...given })

/** A server whose task goes through these states, the last one for ever. */
const tasks = (
  states: ReadonlyArray<State>,
  methods: Readonly<Record<string, Script>> = {},
  hooks: Partial<PeerHooks> = {}
) => {
  let next = 0
  const connected = scripted((method, params, say, id) => {
    const own = methods[method]
    if (own !== undefined) return own(method, params, say, id)
    switch (method) {
      case "tools/call":
        return { task: states[next++] }
      case "tasks/get":
        return states[Math.min(next++, states.length - 1)]
      case "tasks/result":
        return DONE
      default:
        return {}
    }
  }, hooks)
  const request = makeTaskRequest(connected.session)
  const call = (options: Partial<RequestOptions> = {}) => request("tools/call", CALL, { ...OPTIONS, ...options })
  const times = (method: string) => connected.of(method).length
  return { ...connected, call, request, times }
}

/** Forks it, lets so much time pass, and gives what it came to. */
const after = <A, E>(time: Parameters<typeof TestClock.adjust>[0], effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust(time)
    return yield* Fiber.join(fiber)
  })

describe("tasks: a call", () => {
  it.effect("creates a task, polls it at the server's interval, and returns its result", () =>
    Effect.gen(function* () {
      const { call, of, times } = tasks([
        working({ pollInterval: 5_000 }),
        working({ pollInterval: 5_000 }),
        working({ status: "completed" })
      ])
      const fiber = yield* Effect.forkChild(call())
      yield* TestClock.adjust(4_999)
      assert.strictEqual(times("tasks/get"), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(times("tasks/get"), 1)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(yield* Fiber.join(fiber), DONE)
      assert.deepStrictEqual(of("tools/call")[0]!.params, { ...CALL, task: { ttl: TASK_TTL_MS } })
      assert.deepStrictEqual(of("tasks/get")[0]!.params, { taskId: "t1" })
      assert.deepStrictEqual(of("tasks/result")[0]!.params, { taskId: "t1" })
      assert.strictEqual(times("tasks/cancel"), 0)
    })
  )

  it.effect("returns a result that the server gives at once", () =>
    Effect.gen(function* () {
      const { call, times } = tasks([], { "tools/call": () => DONE })
      assert.deepStrictEqual(yield* call(), DONE)
      assert.strictEqual(times("tasks/result"), 0)
      const both = { ...DONE, task: { taskId: "t" } }
      assert.deepStrictEqual(yield* tasks([], { "tools/call": () => both }).call(), both)
    })
  )

  it.effect("is a task only with asTask, and only for tools/call", () =>
    Effect.gen(function* () {
      const { call, of, request } = tasks([], { "tools/call": () => DONE, "prompts/get": () => ({ messages: [] }) })
      yield* call({ asTask: false })
      yield* request("prompts/get", { name: "p" }, OPTIONS)
      assert.deepStrictEqual(of("tools/call")[0]!.params, CALL)
      assert.deepStrictEqual(of("prompts/get")[0]!.params, { name: "p" })
    })
  )

  it.effect("fails as possibly executed when the connection is lost after the task was created", () =>
    Effect.gen(function* () {
      const { call, peer, times } = tasks([working()])
      const fiber = yield* Effect.forkChild(Effect.flip(call()))
      yield* TestClock.adjust(10)
      peer.close(new ConnectionLost({ server: "fs", detail: "gone", maybeExecuted: true }))
      yield* TestClock.adjust(1_000)
      // The look at the task was not sent any more; the call was.
      assert.strictEqual(times("tasks/get"), 0)
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "ConnectionLost", maybeExecuted: true })
    })
  )

  it.effect("returns the result of a failed task, or an error with its status message", () =>
    Effect.gen(function* () {
      const failed = [working(), working({ status: "failed", statusMessage: "out of disk" })]
      const said = { ...DONE, isError: true }
      assert.deepStrictEqual(yield* after("1 second", tasks(failed, { "tasks/result": () => said }).call()), said)
      const refused = tasks(failed, {
        "tasks/result": () => {
          throw { code: -32000, message: "no result" }
        }
      })
      const error = yield* after("1 second", Effect.flip(refused.call()))
      assert.strictEqual(error._tag, "ProtocolError")
      assert.include(error.message, "failed: out of disk")
      assert.strictEqual(refused.times("tasks/cancel"), 0, "there is nothing to cancel")
    })
  )

  it.effect("fails with the status message when the server cancelled the task", () =>
    Effect.gen(function* () {
      const { call, times } = tasks([working(), working({ status: "cancelled", statusMessage: "maintenance" })])
      const error = yield* after("1 second", Effect.flip(call()))
      assert.include(error.message, "cancelled: maintenance")
      assert.deepStrictEqual([times("tasks/result"), times("tasks/cancel")], [0, 0])
    })
  )

  it("can be a task only if the server declares tasks.requests.tools.call", () => {
    assert.isTrue(takesTasks({ tasks: { requests: { tools: { call: {} } } } }))
    for (const capabilities of [{}, { tasks: {} }, { tasks: { requests: { tools: {} } } }, { tasks: "yes" }]) {
      assert.isFalse(takesTasks(capabilities))
    }
  })
})

describe("tasks: progress", () => {
  it.effect("reports each new status message with increasing progress", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const { call } = tasks([
        working({ statusMessage: "reading" }),
        working({ statusMessage: "reading" }),
        working({ statusMessage: "writing" }),
        working({ status: "completed", statusMessage: { toString: 1 } })
      ])
      yield* after("3 seconds", call({ onProgress: (params) => heard.push(params) }))
      assert.deepStrictEqual(heard, [
        { progress: 1, message: "reading" },
        { progress: 2, message: "writing" }
      ])
    })
  )

  it.effect("passes on the server's notifications for the call's token until the task ends", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const { call, of, peer } = tasks([
        working(),
        working({ statusMessage: "writing" }),
        working({ status: "completed" })
      ])
      const fiber = yield* Effect.forkChild(
        call({ onProgress: (params) => heard.push([params["progress"], params["message"]]) })
      )
      yield* Effect.yieldNow
      const { progressToken } = of("tools/call")[0]!.params!["_meta"] as { progressToken: number }
      const report = (progress: number) =>
        peer.receive({ method: "notifications/progress", params: { progressToken, progress, total: 10 } })
      report(4)
      yield* TestClock.adjust("1 second")
      report(5)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      report(6)
      assert.deepStrictEqual(heard, [
        [4, undefined],
        [4, "writing"],
        [5, undefined]
      ])
    })
  )

  it.effect("stops listening when the call ends", () =>
    Effect.gen(function* () {
      for (const states of [
        [working(), working({ status: "completed" })],
        [working(), { status: [] }]
      ]) {
        const { call, peer } = tasks(states)
        const listening = new Set<number>()
        const follow = peer.followProgress.bind(peer)
        peer.followProgress = (id, listener) => {
          const unfollow = follow(id, listener)
          listening.add(id)
          return () => {
            unfollow()
            listening.delete(id)
          }
        }
        const fiber = yield* Effect.forkChild(Effect.exit(call({ onProgress: () => {} })))
        yield* Effect.yieldNow
        assert.strictEqual(listening.size, 1)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
        assert.strictEqual(listening.size, 0)
      }
    })
  )

  it.effect("passes on a notification that arrives together with the task", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const { call } = tasks([working(), working({ status: "completed" })], {
        "tools/call": (_method, _params, say, id) => {
          say({ id, result: { task: working() } })
          say({ method: "notifications/progress", params: { progressToken: id, progress: 1 } })
        }
      })
      yield* after("2 seconds", call({ onProgress: ({ progress }) => heard.push(progress) }))
      assert.deepStrictEqual(heard, [1])
    })
  )
})

describe("tasks: input", () => {
  it.effect("requests the result of a task in input_required, and continues to poll it", () =>
    Effect.gen(function* () {
      let resultId = 0
      const { call, peer, times } = tasks(
        [
          working(),
          working({ status: "input_required" }),
          working({ status: "input_required" }),
          working(),
          working({ status: "completed" })
        ],
        { "tasks/result": (_method, _params, _say, id) => void (resultId = id) }
      )
      // Longer than it may be silent: each look that is answered is a sign of life.
      const fiber = yield* Effect.forkChild(call({ idleMs: 3_000 }))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual([times("tasks/result"), times("tasks/get")], [1, 4])
      assert.isUndefined(fiber.pollUnsafe())
      peer.receive({ id: resultId, result: DONE })
      assert.deepStrictEqual(yield* Fiber.join(fiber), DONE)
      assert.strictEqual(times("tasks/cancel"), 0)
    })
  )

  it.effect("ends with the result, whatever the last status was", () =>
    Effect.gen(function* () {
      const { call, times } = tasks([working({ status: "input_required" })])
      assert.deepStrictEqual(yield* call(), DONE)
      assert.deepStrictEqual([times("tasks/get"), times("tasks/cancel")], [0, 0])
    })
  )

  it.effect("times out when the result of a completed task does not arrive", () =>
    Effect.gen(function* () {
      const { call } = tasks([working({ status: "input_required" }), working({ status: "completed" })], {
        "tasks/result": () => undefined
      })
      const error = yield* after("4 seconds", Effect.flip(call({ idleMs: 3_000 })))
      assert.deepInclude(error, { _tag: "CallTimeout", deadline: "idle", method: "tools/call" })
    })
  )
})

describe("tasks: limits", () => {
  it.effect("cancel a task once at the total time", () =>
    Effect.gen(function* () {
      const { call, of, times } = tasks([working()])
      const error = yield* after("10 minutes", Effect.flip(call()))
      assert.deepInclude(error, { _tag: "CallTimeout", deadline: "total", timeoutMs: 600_000, method: "tools/call" })
      assert.deepStrictEqual(
        of("tasks/cancel").map(({ params }) => params),
        [{ taskId: "t1" }]
      )
      const before = times("tasks/get")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(times("tasks/get"), before, "nobody looks any more")
    })
  )

  it.effect("cancel a task and its poll in flight on interruption", () =>
    Effect.gen(function* () {
      const { call, of, times } = tasks([working()], { "tasks/get": () => undefined })
      const fiber = yield* Effect.forkChild(call())
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        of("notifications/cancelled").map(({ params }) => params!["requestId"]),
        [of("tasks/get")[0]!.id]
      )
      assert.strictEqual(times("tasks/cancel"), 1)
    })
  )

  it.effect("cancel a task on interruption as soon as the server names it", () =>
    Effect.gen(function* () {
      const { call, of, peer, times } = tasks(
        [],
        { "tools/call": () => undefined },
        { deadlines: yield* makeDeadlines }
      )
      const heard: Array<unknown> = []
      const fiber = yield* Effect.forkChild(call({ onProgress: (params) => heard.push(params) }))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(times("tasks/cancel"), 0)
      const { id } = of("tools/call")[0]!
      const report = { method: "notifications/progress", params: { progressToken: id, progress: 1 } }
      peer.receive(report)
      peer.receive({ id, result: { task: working({ taskId: "late" }) } })
      peer.receive(report)
      assert.deepStrictEqual(
        of("tasks/cancel").map(({ params }) => params),
        [{ taskId: "late" }]
      )
      assert.lengthOf(heard, 0)
    })
  )

  for (const deadline of ["idle", "total"] as const) {
    it.effect(`cancel a task that the server names after the ${deadline} deadline`, () =>
      Effect.gen(function* () {
        const { call, of, peer, times } = tasks(
          [],
          { "tools/call": () => undefined },
          { deadlines: yield* makeDeadlines }
        )
        const short = deadline === "idle" ? { idleMs: 1_000 } : { totalMs: 1_000 }
        const fiber = yield* Effect.forkChild(Effect.flip(call(short)))
        yield* Effect.yieldNow
        yield* TestClock.adjust(1_100)
        assert.deepInclude(yield* Fiber.join(fiber), { _tag: "CallTimeout", deadline, timeoutMs: 1_000 })
        assert.strictEqual(times("notifications/cancelled"), 0)
        yield* TestClock.adjust(TASK_LATE_MS - 1_000)
        peer.receive({ id: of("tools/call")[0]!.id, result: { task: working({ taskId: "late" }) } })
        assert.deepStrictEqual(
          of("tasks/cancel").map(({ params }) => params),
          [{ taskId: "late" }]
        )
        assert.strictEqual(times("notifications/cancelled"), 0)
      })
    )
  }

  it.effect("end the wait for a server that never names its task", () =>
    Effect.gen(function* () {
      const { call, of, oddities, peer, times } = tasks(
        [],
        { "tools/call": () => undefined },
        { deadlines: yield* makeDeadlines }
      )
      const fiber = yield* Effect.forkChild(Effect.flip(call({ idleMs: 1_000 })))
      yield* Effect.yieldNow
      yield* TestClock.adjust(1_100 + TASK_LATE_MS + 100)
      yield* Fiber.join(fiber)
      assert.strictEqual(times("notifications/cancelled"), 1)
      peer.receive({ id: of("tools/call")[0]!.id, result: { task: working({ taskId: "late" }) } })
      assert.strictEqual(times("tasks/cancel"), 0)
      assert.deepStrictEqual(oddities, ["an answer to no request of ours"])
    })
  )

  it.effect("cut the status message before it is sanitized", () =>
    Effect.gen(function* () {
      const { session } = tasks([working(), working({ status: "cancelled", statusMessage: "x".repeat(1e6) })])
      let longest = 0
      const tidy = (text: string, maxChars: number) => {
        longest = Math.max(longest, text.length)
        return text.slice(0, maxChars)
      }
      const measured = makeTaskRequest({ ...session, tidy })
      yield* after("1 second", Effect.flip(measured("tools/call", CALL, OPTIONS)))
      assert.isAbove(longest, 0)
      assert.isAtMost(longest, 300 + CUT_MARGIN_CHARS)
    })
  )

  it.effect("cancel a task that is named and interrupted at the same time", () =>
    Effect.gen(function* () {
      const { call, of, peer, times } = tasks(
        [],
        { "tools/call": () => undefined },
        { deadlines: yield* makeDeadlines }
      )
      const fiber = yield* Effect.forkChild(call())
      yield* Effect.yieldNow
      peer.receive({ id: of("tools/call")[0]!.id, result: { task: working() } })
      fiber.interruptUnsafe()
      yield* Fiber.await(fiber)
      assert.strictEqual(times("tasks/cancel"), 1)
    })
  )

  for (const [given, paced] of [
    [0, TASK_POLL_MIN_MS],
    [-5, TASK_POLL_MIN_MS],
    [1e308, TASK_POLL_MAX_MS],
    [undefined, TASK_POLL_MS],
    ["soon", TASK_POLL_MS],
    [{}, TASK_POLL_MS]
  ] as const) {
    it.effect(`turn a pollInterval of ${JSON.stringify(given)} into ${paced} ms`, () =>
      Effect.gen(function* () {
        const { call, times } = tasks([working({ pollInterval: given })])
        const fiber = yield* Effect.forkChild(call({ idleMs: 120_000 }))
        yield* TestClock.adjust(paced - 1)
        assert.strictEqual(times("tasks/get"), 0)
        yield* TestClock.adjust(1)
        assert.strictEqual(times("tasks/get"), 1)
        yield* Fiber.interrupt(fiber)
      })
    )
  }

  it.effect("poll at least once per idle time", () =>
    Effect.gen(function* () {
      const { call, times } = tasks([working({ pollInterval: 50_000 })])
      const fiber = yield* Effect.forkChild(call({ idleMs: 2_000 }))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(times("tasks/get"), 1)
      yield* Fiber.interrupt(fiber)
    })
  )

  for (const [what, task] of [
    ["whose id is a number", working({ taskId: 5 })],
    ["whose id is an object", working({ taskId: { toString: 1 } })],
    ["whose id is empty", working({ taskId: "" })],
    ["whose id has no end", working({ taskId: "x".repeat(100_000) })],
    ["without a state", working({ status: undefined })],
    ["in a state that nobody knows", working({ status: "constructor" })]
  ] as const) {
    it.effect(`refuse a task ${what}`, () =>
      Effect.gen(function* () {
        const { call, times } = tasks([task])
        assert.strictEqual((yield* Effect.flip(call()))._tag, "ProtocolError")
        assert.strictEqual(times("tasks/get"), 0)
      })
    )
  }

  it.effect("cancel a task whose status becomes malformed", () =>
    Effect.gen(function* () {
      const { call, times } = tasks([working(), { taskId: "other", status: [] }])
      const error = yield* after("1 second", Effect.flip(call()))
      assert.strictEqual(error._tag, "ProtocolError")
      assert.strictEqual(times("tasks/cancel"), 1)
    })
  )
})
