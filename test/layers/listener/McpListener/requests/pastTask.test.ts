/** Tasks of which only their record is left. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { pastTask } from "../../../../../src/layers/listener/McpListener/requests/pastTask.ts"
import type { TaskRecord } from "../../../../../src/schemas/listener/TaskRecord.ts"

const record = (more: Partial<TaskRecord>): TaskRecord => ({
  id: "a.0f.task",
  owner: "a.0f.session",
  node: { name: "a", incarnation: "0f" },
  status: "completed",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:01.000Z",
  ttlMs: 60_000,
  isCut: false,
  ...more
})

const waiter = {} as never

describe("a task whose node is dead", () => {
  it.effect("has its result if it was completed", () =>
    Effect.gen(function* () {
      const task = pastTask(record({ result: { content: [] } }), false)
      assert.deepInclude(task.legacy, { taskId: "a.0f.task", status: "completed", ttl: 60_000 })
      assert.deepInclude(task.detailed, { status: "completed", result: { content: [] }, ttlMs: 60_000 })
      assert.deepInclude(yield* task.result(waiter), { content: [] })
      assert.isFalse(task.cancel())
    })
  )

  it.effect(
    "has failed, with a result that says that the call may have been executed, if nobody works on it any more",
    () =>
      Effect.gen(function* () {
        const task = pastTask(record({ status: "working" }), true)
        assert.deepInclude(task.legacy, { status: "failed" })
        assert.include(JSON.stringify(task.detailed["error"]), "may have been executed")
        assert.include(JSON.stringify(yield* task.result(waiter)), "may have been executed")
      })
  )

  it("has failed up to 2025-11-25 if its tool said so", () => {
    const task = pastTask(record({ result: { content: [], isError: true } }), false)
    assert.deepInclude(task.legacy, { status: "failed" })
    assert.deepInclude(task.detailed, { status: "completed" })
  })

  it.effect("says that its result was too large to be kept", () =>
    Effect.gen(function* () {
      const task = pastTask(record({ isCut: true }), false)
      assert.deepInclude(task.detailed, { status: "failed" })
      assert.include((yield* Effect.flip(task.result(waiter))).message, "too large")
    })
  )

  it.effect("fails with the error of its call", () =>
    Effect.gen(function* () {
      const task = pastTask(record({ status: "failed", error: { code: -32_042, message: "Not today" } }), false)
      assert.deepInclude(yield* Effect.flip(task.result(waiter)), { code: -32_042, message: "Not today" })
      assert.deepInclude(task.detailed, { error: { code: -32_042, message: "Not today" } })
    })
  )
})
