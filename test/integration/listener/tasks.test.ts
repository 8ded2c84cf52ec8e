/** Calls that go on while their client is away. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import {
  LISTENER_TASK_TTL_MAX_MS,
  LISTENER_TASK_TTL_MIN_MS,
  LISTENER_TASKS_MAX
} from "../../../src/schemas/defaults/Listener.ts"
import { listening, streaming, TOKENS } from "../../support/listener.ts"
import { ask, begin, send, bearer, sessionOf, type Answer, type Message } from "../../support/rawHttp.ts"

const { me, other } = TOKENS
const ADA = { action: "accept", content: { name: "Ada" } }
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } }
const RELATED = "io.modelcontextprotocol/related-task"

/** After a collection. */
const heapBytes = (): number => {
  setFlagsFromString("--expose-gc")
  ;(runInNewContext("gc") as () => void)()
  return process.memoryUsage().heapUsed
}

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

const resultOf = ({ messages }: Answer): Record<string, unknown> => messages.at(-1)?.result ?? {}
const codeOf = ({ messages }: Answer): number | undefined => messages.at(-1)?.error?.code

const ended = (status: unknown) => status === "completed" || status === "failed" || status === "cancelled"

describe("tasks of a client with a session", () => {
  const opened = (capabilities: object = {}) =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening({ tasks: true })
      const start = yield* Effect.promise(() => begin(url, me, capabilities))
      const session = sessionOf(start)
      const put = (method: string, params: Record<string, unknown> = {}, onMessage?: (message: Message) => void) =>
        Effect.promise(() =>
          ask("2025-11-25", url, me, method, params, { session, ...(onMessage === undefined ? {} : { onMessage }) })
        )
      const create = (name: string, task: object = {}, meta: object = {}) =>
        Effect.map(put("tools/call", { name, arguments: { text: "hi" }, task, _meta: meta }), (answer) => {
          const made = resultOf(answer)["task"] as Record<string, unknown>
          return { taskId: String(made["taskId"]), status: made["status"], ttl: made["ttl"] }
        })
      return {
        capabilities: resultOf(start)["capabilities"] as Record<string, unknown>,
        create,
        heard,
        put,
        session,
        url
      }
    })

  live("are offered, and begun when it says so", () =>
    Effect.gen(function* () {
      const { capabilities, create, heard, put } = yield* opened()
      assert.deepStrictEqual(capabilities["tasks"], { list: {}, cancel: {}, requests: { tools: { call: {} } } })
      const task = yield* create("wait", { ttl: 90_000 })
      yield* heard("begun")
      assert.match(task.taskId, /^[\w-]{43}$/)
      assert.deepInclude(task, { status: "working", ttl: 90_000 })
      const { taskId } = task
      assert.deepInclude(resultOf(yield* put("tasks/get", { taskId })), { taskId, status: "working" })
      const listed = resultOf(yield* put("tasks/list"))["tasks"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        listed.map((one) => one["taskId"]),
        [taskId]
      )
    })
  )

  live("that have ended keep nothing of what they were asked", () =>
    Effect.gen(function* () {
      const { put } = yield* opened()
      const chars = 3_000_000
      const statuses = Effect.map(put("tasks/list"), (answer) =>
        (resultOf(answer)["tasks"] as ReadonlyArray<Record<string, unknown>>).map(({ status }) => status)
      )
      const round = Effect.gen(function* () {
        for (let i = 0; i < 8; i++) {
          yield* put("tools/call", { name: "echo", arguments: { text: "hi", padding: "x".repeat(chars) }, task: {} })
        }
        yield* Effect.repeat(statuses, { until: (all) => all.every(ended) })
        return heapBytes()
      })
      const before = yield* round
      const after = yield* round
      assert.lengthOf(yield* statuses, 16)
      assert.isBelow(after - before, 4 * chars)
    })
  )

  live("have their result when it asks for it", () =>
    Effect.gen(function* () {
      const { create, put } = yield* opened()
      const { taskId } = yield* create("echo")
      const result = resultOf(yield* put("tasks/result", { taskId }))
      assert.deepStrictEqual(result["content"], [{ type: "text", text: "hi" }])
      assert.deepStrictEqual(result["_meta"], { [RELATED]: { taskId } })
      assert.strictEqual(resultOf(yield* put("tasks/get", { taskId }))["status"], "completed")
      const broken = yield* create("throw")
      assert.strictEqual(codeOf(yield* put("tasks/result", { taskId: broken.taskId })), -32_603)
      assert.strictEqual(resultOf(yield* put("tasks/get", { taskId: broken.taskId }))["status"], "failed")
    })
  )

  live("end when it cancels them, and what they do is interrupted", () =>
    Effect.gen(function* () {
      const { create, heard, put } = yield* opened()
      const { taskId } = yield* create("wait")
      yield* heard("begun")
      assert.strictEqual(resultOf(yield* put("tasks/cancel", { taskId }))["status"], "cancelled")
      yield* heard("interrupted")
      assert.strictEqual(codeOf(yield* put("tasks/cancel", { taskId })), -32_602)
      assert.strictEqual(codeOf(yield* put("tasks/result", { taskId })), -32_000)
    })
  )

  live("put questions to the request that waits for the result", () =>
    Effect.gen(function* () {
      const { create, put, session, url } = yield* opened({ elicitation: { form: {} } })
      const { taskId } = yield* create("twice")
      const questions: Array<unknown> = []
      const answer = ({ id, method, params }: Message) => {
        if (method !== "elicitation/create") return
        questions.push((params!["_meta"] as Record<string, unknown>)[RELATED])
        const headers = {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-session-id": session,
          ...bearer(me)
        }
        void send(url, { headers, body: JSON.stringify({ jsonrpc: "2.0", id, result: ADA }) })
      }
      const result = resultOf(yield* put("tasks/result", { taskId }, answer))
      assert.deepStrictEqual(result["content"], [
        { type: "text", text: `${JSON.stringify(ADA)} & ${JSON.stringify(ADA)}` }
      ])
      assert.deepStrictEqual(questions, [{ taskId }, { taskId }])
    })
  )

  live("tell it on its stream how far they are, and that they have ended", () =>
    Effect.gen(function* () {
      const { create, put, session, url } = yield* opened()
      const { message, messages } = yield* streaming(url, session)
      const { taskId } = yield* create("report", {}, { progressToken: "token" })
      const { params } = yield* message(({ method }) => method === "notifications/tasks/status")
      assert.deepInclude(params, { taskId, status: "completed", statusMessage: "step 3" })
      assert.deepStrictEqual(
        messages.flatMap((one) => (one.method === "notifications/progress" ? [one.params] : [])),
        [1, 2, 3].map((progress) => ({
          progressToken: "token",
          progress,
          total: 3,
          message: `step ${progress}`,
          _meta: { [RELATED]: { taskId } }
        }))
      )
      const other = yield* create("wait")
      yield* put("tasks/cancel", { taskId: other.taskId })
      const cancelled = yield* message((one) => one.params?.["taskId"] === other.taskId)
      assert.deepInclude(cancelled.params, { status: "cancelled" })
    })
  )

  live("belong to their client alone, and are limited in number", () =>
    Effect.gen(function* () {
      const { create, put, url } = yield* opened()
      const { taskId } = yield* create("echo")
      const theirs = sessionOf(yield* Effect.promise(() => begin(url, other)))
      const foreign = yield* Effect.promise(() =>
        ask("2025-11-25", url, other, "tasks/get", { taskId }, { session: theirs })
      )
      assert.strictEqual(codeOf(foreign), -32_602)
      for (let i = 1; i < LISTENER_TASKS_MAX; i++) yield* create("echo")
      assert.strictEqual(codeOf(yield* put("tools/call", { name: "echo", task: {} })), -32_000)
    })
  )

  it.effect("are kept as long as it says, within bounds", () =>
    Effect.gen(function* () {
      const { create, heard, put } = yield* opened()
      const { ttl } = yield* create("echo", { ttl: Number.MAX_VALUE })
      assert.strictEqual(ttl, LISTENER_TASK_TTL_MAX_MS)
      const task = yield* create("wait", { ttl: 1 })
      assert.strictEqual(task.ttl, LISTENER_TASK_TTL_MIN_MS)
      yield* heard("begun")
      yield* TestClock.adjust(LISTENER_TASK_TTL_MIN_MS)
      yield* heard("interrupted")
      assert.strictEqual(codeOf(yield* put("tasks/get", { taskId: task.taskId })), -32_602)
    }).pipe(Effect.scoped)
  )

  live("are ordinary calls if the handlers offer no tasks", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const start = yield* Effect.promise(() => begin(url, me))
      assert.notProperty(resultOf(start)["capabilities"], "tasks")
      const session = sessionOf(start)
      const params = { name: "echo", arguments: { text: "hi" }, task: {} }
      const answer = yield* Effect.promise(() => ask("2025-11-25", url, me, "tools/call", params, { session }))
      assert.property(resultOf(answer), "content")
    })
  )
})

describe("tasks of a client without sessions", () => {
  const opened = Effect.gen(function* () {
    const { heard, url } = yield* listening({ tasks: true })
    const put = (method: string, params: Record<string, unknown> = {}, capabilities: object = TASKS, token = me) => {
      const { taskId } = params
      const headers = typeof taskId === "string" ? { "mcp-name": taskId } : {}
      return Effect.promise(() => ask("2026-07-28", url, token, method, params, { capabilities, headers }))
    }
    const until = (taskId: string, is: (status: unknown) => boolean): Effect.Effect<Record<string, unknown>> =>
      Effect.flatMap(put("tasks/get", { taskId }), (answer) =>
        is(resultOf(answer)["status"]) ? Effect.succeed(resultOf(answer)) : until(taskId, is)
      )
    return { heard, put, until }
  })

  live("are returned for long calls; short ones return their result", () =>
    Effect.gen(function* () {
      const { heard, put, until } = yield* opened
      const short = resultOf(yield* put("tools/call", { name: "echo", arguments: { text: "hi" } }))
      assert.strictEqual(short["resultType"], "complete")
      const long = resultOf(yield* put("tools/call", { name: "wait" }))
      assert.deepInclude(long, { resultType: "task", status: "working" })
      yield* heard("begun")
      const taskId = String(long["taskId"])
      assert.deepStrictEqual(Object.keys(resultOf(yield* put("tasks/cancel", { taskId }))).toSorted(), [
        "_meta",
        "resultType"
      ])
      yield* heard("interrupted")
      assert.strictEqual((yield* until(taskId, ended))["status"], "cancelled")
    })
  )

  live("are given only to clients that announce support, and only to their own client", () =>
    Effect.gen(function* () {
      const { heard, put } = yield* opened
      const { taskId } = resultOf(yield* put("tools/call", { name: "wait" }))
      yield* heard("begun")
      assert.strictEqual(codeOf(yield* put("tasks/get", { taskId }, {})), -32_021)
      assert.strictEqual(codeOf(yield* put("tasks/get", { taskId }, TASKS, other)), -32_602)
      assert.strictEqual(codeOf(yield* put("tasks/cancel", { taskId: `${String(taskId)}x` })), -32_602)
      assert.strictEqual(resultOf(yield* put("tasks/get", { taskId }))["status"], "working")
    })
  )
})
