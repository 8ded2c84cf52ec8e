/** Calls over stdin and stdout that go on after their request has its answer. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { answerTo, initialize, META, modernCall, parsed, started } from "../../support/listenerProgram.ts"
import type { Message } from "../../support/rawHttp.ts"

const RELATED = "io.modelcontextprotocol/related-task"
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
const ADA = { action: "accept", content: { name: "Ada" } }

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

describe("tasks of a client of 2025-11-25 at stdin", () => {
  const opened = (capabilities: object = {}) =>
    Effect.gen(function* () {
      const { lines, message, write, ...program } = yield* started("tasks")
      let count = 0
      const put = (method: string, params: object) => {
        const id = `put-${++count}`
        write({ jsonrpc: "2.0", id, method, params })
        return Effect.map(message(answerTo(id)), ({ error, result }) => ({ error, result: result ?? {} }))
      }
      write({ ...initialize, params: { ...initialize.params, capabilities } })
      yield* message(answerTo(0))
      /** The first message of a kind about this task. */
      const said = (method: string, is: (params: Record<string, unknown>) => boolean) =>
        message((one) => one.method === method && is(one.params!))
      /** All that was said of a kind. */
      const all = (method: string) =>
        lines.map(parsed).flatMap((one) => (one.method === method ? [one.params as Record<string, unknown>] : []))
      const create = (name: string, meta: object = {}) =>
        Effect.map(put("tools/call", { name, arguments: { text: "hi" }, task: {}, _meta: meta }), ({ result }) =>
          String((result["task"] as Record<string, unknown>)["taskId"])
        )
      return { ...program, all, create, message, put, said, write }
    })

  live("return their result on request, and announce their end", () =>
    Effect.gen(function* () {
      const { all, create, put, said } = yield* opened()
      const taskId = yield* create("echo")
      const { result } = yield* put("tasks/result", { taskId })
      assert.deepStrictEqual(result["content"], [{ type: "text", text: "hi" }])
      assert.deepStrictEqual(result["_meta"], { [RELATED]: { taskId } })
      yield* said("notifications/tasks/status", (params) => params["taskId"] === taskId)
      const failed = yield* create("throw")
      yield* said("notifications/tasks/status", (params) => params["taskId"] === failed)
      assert.deepStrictEqual(
        all("notifications/tasks/status").map((params) => [params["taskId"], params["status"]]),
        [
          [taskId, "completed"],
          [failed, "failed"]
        ]
      )
    })
  )

  live("end when it cancels them, and what they do is interrupted", () =>
    Effect.gen(function* () {
      const { create, heard, put, said } = yield* opened()
      const taskId = yield* create("wait")
      yield* heard("begun")
      assert.strictEqual((yield* put("tasks/cancel", { taskId })).result["status"], "cancelled")
      yield* heard("interrupted")
      const { params } = yield* said("notifications/tasks/status", () => true)
      assert.deepInclude(params, { taskId, status: "cancelled" })
    })
  )

  live("take an invalid answer for a refusal", () =>
    Effect.gen(function* () {
      const { message, put, write } = yield* opened({ elicitation: { form: {} } })
      const seen = new Set<unknown>()
      for (const answer of [
        { result: "yes" },
        { result: null },
        { result: [ADA] },
        { error: "no" },
        { error: { code: "x", message: "no" } },
        { result: ADA, jsonrpc: "1.0" }
      ]) {
        const asking = yield* Effect.forkScoped(put("tools/call", { name: "ask", arguments: {} }))
        const question = yield* message((one) => one.method === "elicitation/create" && !seen.has(one.id))
        seen.add(question.id)
        write({ jsonrpc: "2.0", id: question.id, ...answer })
        const { result } = yield* Fiber.join(asking)
        assert.include(JSON.stringify(result), "refused", JSON.stringify(answer))
      }
    })
  )

  live("ask the client while it waits for the result, and show that they need input", () =>
    Effect.gen(function* () {
      const { all, create, put, said, write } = yield* opened({ elicitation: { form: {} } })
      const taskId = yield* create("ask")
      yield* said("notifications/tasks/status", ({ status }) => status === "input_required")
      const waiting = yield* Effect.forkScoped(put("tasks/result", { taskId }))
      const question = yield* said("elicitation/create", () => true)
      assert.deepStrictEqual(question.params!["_meta"], { [RELATED]: { taskId } })
      write({ jsonrpc: "2.0", id: question.id, result: ADA })
      const { result } = yield* Fiber.join(waiting)
      assert.deepStrictEqual(result["content"], [{ type: "text", text: JSON.stringify(ADA) }])
      yield* said("notifications/tasks/status", ({ status }) => status === "completed")
      assert.deepStrictEqual(
        all("notifications/tasks/status").map(({ status }) => status),
        ["input_required", "working", "completed"]
      )
    })
  )

  live("tell it of progress and for its log, with their name", () =>
    Effect.gen(function* () {
      const { all, create, put, said } = yield* opened()
      const taskId = yield* create("report", { progressToken: "token" })
      yield* put("tasks/result", { taskId })
      const related = { _meta: { [RELATED]: { taskId } } }
      assert.deepStrictEqual(
        all("notifications/progress"),
        [1, 2, 3].map((progress) => ({
          progressToken: "token",
          progress,
          total: 3,
          message: `step ${progress}`,
          ...related
        }))
      )
      const second = yield* create("logAndWait")
      const { params } = yield* said("notifications/message", ({ data }) => data === "at last")
      assert.deepStrictEqual(params, { level: "error", data: "at last", _meta: { [RELATED]: { taskId: second } } })
    })
  )
})

describe("tasks of a client of 2026-07-28 at stdin", () => {
  const _meta = {
    ...META,
    [CAPABILITIES]: { extensions: { "io.modelcontextprotocol/tasks": {} } },
    "io.modelcontextprotocol/logLevel": "debug",
    progressToken: "token"
  }
  const opened = Effect.gen(function* () {
    const program = yield* started("tasks")
    const { message, write } = program
    let count = 0
    const put = (method: string, params: object) => {
      const id = `put-${++count}`
      write({ jsonrpc: "2.0", id, method, params: { ...params, _meta } })
      return Effect.map(message(answerTo(id)), ({ result }) => result ?? {})
    }
    const begin = (name: string) =>
      Effect.suspend(() => {
        write({ ...modernCall("call", name), params: { name, arguments: {}, _meta } })
        return Effect.map(message(answerTo("call")), ({ result }) => result ?? {})
      })
    const ended = (taskId: unknown): Effect.Effect<Record<string, unknown>> =>
      Effect.flatMap(put("tasks/get", { taskId }), (task) =>
        task["status"] === "working" ? ended(taskId) : Effect.succeed(task)
      )
    return { ...program, begin, ended, put }
  })

  live("are what it gets for a call that takes long, and comes back for", () =>
    Effect.gen(function* () {
      const { begin, ended, heard, put } = yield* opened
      const task = yield* begin("wait")
      assert.deepInclude(task, { resultType: "task", status: "working" })
      yield* heard("begun")
      yield* put("tasks/cancel", { taskId: task["taskId"] })
      yield* heard("interrupted")
      assert.strictEqual((yield* ended(task["taskId"]))["status"], "cancelled")
    })
  )

  live("say nothing any more about a request that has its answer", () =>
    Effect.gen(function* () {
      const { begin, ended, lines } = yield* opened
      const task = yield* begin("logAndWait")
      assert.strictEqual(task["resultType"], "task")
      const { result, status } = yield* ended(task["taskId"])
      assert.strictEqual(status, "completed")
      assert.deepStrictEqual((result as Message["params"])!["content"], [{ type: "text", text: "said" }])
      const notices = lines.map(parsed).flatMap(({ method, params }) => (method === undefined ? [] : [params!["data"]]))
      assert.deepStrictEqual(notices, ["at first"])
    })
  )
})
