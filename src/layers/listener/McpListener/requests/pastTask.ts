/** A task of which only its record is left: its node is dead, or gave its session up. One that had not ended then has failed. */
import * as Effect from "effect/Effect"
import { LISTENER_TASK_POLL_MS } from "../../../../schemas/defaults/Listener.ts"
import type { JsonObject } from "../../../../schemas/data/Json.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { TaskRecord } from "../../../../schemas/listener/TaskRecord.ts"
import { fateWords, lostResult } from "./lost.ts"
import { INTERNAL_ERROR } from "./refusals.ts"
import { related, type TaskView } from "./Task.ts"

const CUT = "The call was executed, but its result was too large to be kept for all nodes"

const errorOf = (message: string): JsonObject => ({ code: INTERNAL_ERROR, message })

/** `isLost`: nobody works on it any more. */
export const pastTask = (record: TaskRecord, isLost: boolean): TaskView => {
  const status = isLost || record.isCut ? "failed" : record.status
  const words = isLost ? fateWords("unknown") : record.isCut ? CUT : record.message
  const common = {
    taskId: record.id,
    ...(words === undefined ? {} : { statusMessage: words }),
    createdAt: record.createdAt,
    lastUpdatedAt: record.updatedAt
  }
  const { result } = record
  const error = isLost || record.isCut ? errorOf(words!) : record.error
  return {
    legacy: {
      ...common,
      status: status === "completed" && result?.["isError"] === true ? "failed" : status,
      ttl: record.ttlMs,
      pollInterval: LISTENER_TASK_POLL_MS
    },
    detailed: {
      ...common,
      status,
      ttlMs: record.ttlMs,
      pollIntervalMs: LISTENER_TASK_POLL_MS,
      ...(status === "completed" && result !== undefined ? { result } : {}),
      ...(status === "failed" && error !== undefined ? { error } : {})
    },
    result: () => {
      if (isLost) return Effect.succeed(related(lostResult("unknown"), record.id))
      if (result !== undefined && !record.isCut) return Effect.succeed(related(result, record.id))
      const code = Number(error?.["code"] ?? INTERNAL_ERROR)
      return Effect.fail(new RequestRefused({ code, message: String(error?.["message"] ?? "The task was cancelled") }))
    },
    cancel: () => false,
    update: () => {}
  }
}
