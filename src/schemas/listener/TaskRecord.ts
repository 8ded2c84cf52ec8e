/** What is written of a task of a fleet's client, so that every node can say what became of it. */
import * as Schema from "effect/Schema"
import { isSameNode, NodeId } from "../fleet/Node.ts"

export const TASK_STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export const TaskRecord = Schema.Struct({
  id: Schema.String,
  /** The session that it belongs to, or the holder of a token at an address. */
  owner: Schema.String,
  /** Where its call is. */
  node: NodeId,
  status: Schema.Literals(TASK_STATUSES),
  message: Schema.optional(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String,
  ttlMs: Schema.Finite,
  /** Of one that has ended, unless it is too large to be kept. */
  result: Schema.optional(Schema.Record(Schema.String, Schema.Json)),
  error: Schema.optional(Schema.Record(Schema.String, Schema.Json)),
  /** Whether it ended with more than is kept. */
  isCut: Schema.Boolean
})
export type TaskRecord = typeof TaskRecord.Type

export const hasEnded = ({ status }: Pick<TaskRecord, "status">): boolean =>
  status !== "working" && status !== "input_required"

/** Whether nobody works on it any more although it has not ended: its node is dead. */
export const isLost = (task: TaskRecord, home: NodeId | undefined): boolean =>
  !hasEnded(task) && (home === undefined || !isSameNode(home, task.node))
