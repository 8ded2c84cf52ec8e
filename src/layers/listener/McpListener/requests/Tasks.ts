/**
 * The tasks of one client: no other client's, by names that nobody can guess, bounded in number and time. Up to 2025-11-25 a client
 * says which calls should be tasks. In 2026-07-28 it says that it accepts them, and gets one for a call that takes long.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { randomBytes } from "node:crypto"
import {
  LISTENER_TASK_AFTER_MS,
  LISTENER_TASK_RECORD_MAX_CHARS,
  LISTENER_TASK_TTL_MAX_MS,
  LISTENER_TASK_TTL_MIN_MS,
  LISTENER_TASK_TTL_MS,
  LISTENER_TASKS_MAX
} from "../../../../schemas/defaults/Listener.ts"
import { charsIn, isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { isSameNode } from "../../../../schemas/fleet/Node.ts"
import { isLost, type TaskRecord } from "../../../../schemas/listener/TaskRecord.ts"
import type { Answering, Call, Waiter } from "./Call.ts"
import type { Run } from "./running.ts"
import type { ClientQuota } from "./ClientQuota.ts"
import { invalidParams, NO_ROOM, NOT_NOW } from "./refusals.ts"
import type { InFleet } from "./InFleet.ts"
import { pastTask } from "./pastTask.ts"
import { Task, type TaskView } from "./Task.ts"

const NAME_BYTES = 32

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks"

const MISSING_CAPABILITY = -32_021

/** Whether the client says that it accepts tasks (2026-07-28). */
export const takesTasks = (capabilities: unknown): boolean => {
  const extensions = isObject(capabilities) ? capabilities["extensions"] : undefined
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION])
}

const notTaken = () =>
  new RequestRefused({
    code: MISSING_CAPABILITY,
    message: "The client does not say that it takes tasks",
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } }
  })

const ttlOf = (wanted: unknown): number =>
  typeof wanted === "number" && Number.isFinite(wanted)
    ? Math.round(Math.min(Math.max(wanted, LISTENER_TASK_TTL_MIN_MS), LISTENER_TASK_TTL_MAX_MS))
    : LISTENER_TASK_TTL_MS

const noTask = () => invalidParams("there is no such task")

type Result = Effect.Effect<JsonObject, RequestRefused>

interface Kept {
  readonly task: Task
  /** Ends the task when its time is over. */
  readonly life: Fiber.Fiber<unknown, unknown>
}

export class Tasks {
  readonly #run: Run
  readonly #holder: ClientQuota
  readonly #changed: (task: Task) => void
  readonly #fleet: InFleet | undefined
  /** The oldest first. */
  readonly #all = new Map<string, Kept>()

  /** `changed` is told each new state of a task. */
  constructor(run: Run, holder: ClientQuota, changed: (task: Task) => void, fleet?: InFleet) {
    this.#run = run
    this.#holder = holder
    this.#fleet = fleet
    this.#changed = (task) => {
      this.#tellFleet(task)
      changed(task)
    }
  }

  /** Whether there is none that its client could come back for. */
  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  /** Those that have ended, and whose end the client knows, make room for new ones. */
  #told(): ReadonlyArray<Task> {
    return [...this.#all.values()].flatMap(({ task }) => (task.isTold ? [task] : []))
  }

  #hasRoom(): boolean {
    if (this.#all.size < LISTENER_TASKS_MAX) return true
    const [oldest] = this.#told()
    if (oldest !== undefined) this.#forget(oldest)
    return oldest !== undefined
  }

  /** Other nodes have to know it when this one is dead. */
  #tellFleet(task: Task): void {
    if (this.#fleet === undefined || !this.#all.has(task.id)) return
    const { directory, owner } = this.#fleet
    const { error, result, ...told } = task.told
    const isCut = task.chars > LISTENER_TASK_RECORD_MAX_CHARS
    const outcome = isCut ? {} : { error, result }
    directory.keepTask({ id: task.id, owner, node: directory.self, ttlMs: task.ttlMs, isCut, ...told, ...outcome })
  }

  /** Nobody may come back for it any more, at any node. */
  #forget(task: Task): void {
    this.#drop(task)
    this.#fleet?.directory.forgetTask(task.id)
  }

  #drop(task: Task): void {
    const kept = this.#all.get(task.id)
    this.#all.delete(task.id)
    kept?.life.interruptUnsafe()
    this.#holder.shares.results.take(-task.chars)
    task.chars = 0
  }

  /** They make room for a large result, too. If there is no room for a result, it is lost: that costs less than to keep it. */
  #kept(task: Task, exit: Exit.Exit<JsonObject, unknown>): Exit.Exit<JsonObject, unknown> {
    if (!this.#all.has(task.id) || Exit.isFailure(exit)) return exit
    const chars = charsIn(exit.value)
    const { results } = this.#holder.shares
    const isOver = () => results.isOver(chars)
    for (const told of this.#told()) if (isOver()) this.#forget(told)
    if (isOver()) return Exit.fail(NO_ROOM)
    task.chars = chars
    results.take(chars)
    return exit
  }

  #adopt(call: Call, ttl: unknown): Task | undefined {
    const ttlMs = ttlOf(ttl)
    const task = new Task({
      id: this.#newName(),
      call,
      ttlMs,
      changed: this.#changed,
      kept: (one, exit) => this.#kept(one, exit)
    })
    if (!call.keep(task)) return undefined
    const expire = Effect.sync(() => {
      task.cancel()
      this.#forget(task)
    })
    // With its client's connection. What other nodes say of it then is that it was lost.
    const end = Effect.sync(() => {
      if (!this.#all.has(task.id)) return
      this.#drop(task)
      task.cancel()
    })
    const life = Effect.onInterrupt(Effect.andThen(Effect.sleep(ttlMs), expire), () => end)
    this.#all.set(task.id, { task, life: this.#run(life) })
    this.#tellFleet(task)
    return task
  }

  /** Done when other nodes know what was told. */
  get #known(): Effect.Effect<void> {
    return this.#fleet?.directory.tasksKept ?? Effect.void
  }

  #newName(): string {
    const random = randomBytes(NAME_BYTES).toString("base64url")
    return this.#fleet === undefined ? random : this.#fleet.directory.nameOf(random)
  }

  /** A node that was taken for dead has its tasks still, but others have said that they are lost. */
  #has(id: string): boolean {
    if (!this.#all.has(id)) return false
    if (this.#fleet === undefined) return true
    const { directory } = this.#fleet
    const home = directory.homeOf(id)
    return home !== undefined && isSameNode(home, directory.self)
  }

  #find({ taskId }: JsonObject): Effect.Effect<TaskView, RequestRefused> {
    const kept = typeof taskId === "string" && this.#has(taskId) ? this.#all.get(taskId) : undefined
    // What a client is told of its end, other nodes know.
    if (kept !== undefined) return kept.task.hasEnded ? Effect.as(this.#known, kept.task) : Effect.succeed(kept.task)
    return this.#fleet === undefined || typeof taskId !== "string"
      ? Effect.fail(noTask())
      : this.#findPast(this.#fleet, taskId)
  }

  /** What is known of it after the death of its node. */
  #findPast({ directory, owner }: InFleet, id: string): Effect.Effect<TaskView, RequestRefused> {
    if (!directory.isName(id)) return Effect.fail(noTask())
    return directory.task(id).pipe(
      Effect.mapError(({ message }) => new RequestRefused({ code: NOT_NOW, message })),
      Effect.flatMap((record) =>
        record?.owner === owner ? Effect.succeed(this.#past(directory, record)) : Effect.fail(noTask())
      )
    )
  }

  #past(directory: InFleet["directory"], record: TaskRecord): TaskView {
    const home = directory.homeOf(record.id)
    // It was here, and is not any more.
    const isOver = home !== undefined && isSameNode(home, directory.self)
    return pastTask(record, isLost(record, isOver ? undefined : home))
  }

  get #list(): Effect.Effect<ReadonlyArray<TaskView>> {
    const own = [...this.#all.values()].flatMap(({ task }) => (this.#has(task.id) ? [task] : []))
    if (this.#fleet === undefined) return Effect.succeed(own)
    const { directory, owner } = this.#fleet
    return Effect.map(
      Effect.orElseSucceed(directory.tasksOf(owner), (): ReadonlyArray<TaskRecord> => []),
      (records) => [
        ...own,
        ...records.flatMap((record) => (this.#has(record.id) ? [] : [this.#past(directory, record)]))
      ]
    )
  }

  // ---- up to 2025-11-25 ---------------------------------------------------------------------------------------------

  /** Begins a call as a task, as the client says. `begin` is told the name of the task when there is one. */
  begin(
    begin: (
      before: (call: Call) => RequestRefused | undefined,
      id: () => string
    ) => Effect.Effect<Answering, RequestRefused>,
    { ttl }: Readonly<Record<string, unknown>>
  ): Result {
    return Effect.suspend(() => {
      if (!this.#hasRoom())
        return Effect.fail(new RequestRefused({ code: NOT_NOW, message: "There are too many tasks" }))
      let task: Task | undefined
      const before = (call: Call) => {
        task = this.#adopt(call, ttl)
        return task === undefined ? NO_ROOM : undefined
      }
      return begin(before, () => task?.id ?? "").pipe(
        Effect.andThen(this.#known),
        Effect.map((): JsonObject => ({ task: task!.legacy }))
      )
    })
  }

  /** The answer to a method of tasks; nothing for any other method. */
  legacy(method: string, params: JsonObject, waiter: () => Waiter): Result | undefined {
    const found = this.#find(params)
    switch (method) {
      case "tasks/list":
        return Effect.map(this.#list, (tasks) => ({ tasks: tasks.map((task) => task.legacy) }))
      case "tasks/get":
        return Effect.map(found, (task) => task.legacy)
      case "tasks/result":
        return Effect.flatMap(found, (task) => task.result(waiter()))
      case "tasks/cancel":
        return Effect.flatMap(found, (task) =>
          task.cancel() ? Effect.succeed(task.legacy) : Effect.fail(invalidParams("the task has ended"))
        )
      default:
        return undefined
    }
  }

  // ---- 2026-07-28 ---------------------------------------------------------------------------------------------------

  /** The answer; or a task in its place, if the answer takes long. */
  orTask({ answer, call }: Answering): Result {
    const late = Effect.as(Effect.sleep(LISTENER_TASK_AFTER_MS), undefined)
    return Effect.flatMap(Effect.raceFirst(answer, late), (first) => {
      if (first !== undefined) return Effect.succeed(first)
      const task = this.#hasRoom() ? this.#adopt(call, undefined) : undefined
      return task === undefined ? answer : Effect.map(this.#known, () => task.created)
    })
  }

  modern(method: string, params: JsonObject, capabilities: unknown): Result {
    if (!takesTasks(capabilities)) return Effect.fail(notTaken())
    return Effect.map(this.#find(params), (task) => {
      if (method === "tasks/get") return task.detailed
      if (method === "tasks/cancel") task.cancel()
      else if (isObject(params["inputResponses"])) task.update(params["inputResponses"])
      return {}
    })
  }
}
