/**
 * The tasks of one client: its own alone, by names that nobody can guess, bounded in number and time. Up to 2025-11-25 a
 * client says which calls are to be tasks; in 2026-07-28 it says that it takes them, and gets one for a call that takes long.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { randomBytes } from "node:crypto"
import {
  LISTENER_TASK_AFTER_MS,
  LISTENER_TASK_TTL_MAX_MS,
  LISTENER_TASK_TTL_MIN_MS,
  LISTENER_TASK_TTL_MS,
  LISTENER_TASKS_MAX
} from "../../../../schemas/defaults/Listener.ts"
import { charsIn, isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { Call, Run, Waiter } from "./Call.ts"
import type { Answering } from "./Calls.ts"
import type { ClientQuota } from "./ClientQuota.ts"
import { invalidParams, NO_ROOM, NOT_NOW } from "./refusals.ts"
import { Task } from "./Task.ts"

const NAME_BYTES = 32

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks"

const MISSING_CAPABILITY = -32_021

/** Whether the client says that it takes tasks (2026-07-28). */
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

const LATE = Symbol("late")

export class Tasks {
  readonly #run: Run
  readonly #holder: ClientQuota
  readonly #changed: (task: Task) => void
  /** The oldest first. */
  readonly #all = new Map<string, Task>()
  readonly #ends = new Map<string, Fiber.Fiber<unknown, unknown>>()

  /** `changed` hears of each new state of one. */
  constructor(run: Run, holder: ClientQuota, changed: (task: Task) => void) {
    this.#run = run
    this.#holder = holder
    this.#changed = changed
  }

  /** Whether there is none that its client could come back for. */
  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  /** What has ended, and was told to the client, makes room for what is new: the oldest first. */
  #hasRoom(): boolean {
    if (this.#all.size < LISTENER_TASKS_MAX) return true
    const told = [...this.#all.values()].find(({ isTold }) => isTold)
    if (told !== undefined) this.#drop(told)
    return told !== undefined
  }

  #drop(task: Task): void {
    this.#all.delete(task.id)
    this.#ends.get(task.id)?.interruptUnsafe()
    this.#ends.delete(task.id)
    this.#holder.shares.results.take(-task.chars)
    task.chars = 0
  }

  /** The same for a result that is large. One that finds no room is lost, which is better than what it takes. */
  #kept(task: Task, exit: Exit.Exit<JsonObject, unknown>): Exit.Exit<JsonObject, unknown> {
    if (!this.#all.has(task.id) || Exit.isFailure(exit)) return exit
    const chars = charsIn(exit.value)
    const { results } = this.#holder.shares
    const isOver = () => results.isOver(chars)
    for (const told of [...this.#all.values()].filter(({ isTold }) => isTold)) if (isOver()) this.#drop(told)
    if (isOver()) return Exit.fail(NO_ROOM)
    task.chars = chars
    results.take(chars)
    return exit
  }

  #adopt(call: Call, ttl: unknown): Task | undefined {
    const ttlMs = ttlOf(ttl)
    const task = new Task({
      id: randomBytes(NAME_BYTES).toString("base64url"),
      call,
      ttlMs,
      changed: this.#changed,
      kept: (one, exit) => this.#kept(one, exit)
    })
    if (!call.keep(task)) return undefined
    this.#all.set(task.id, task)
    const end = this.#run(
      Effect.ensuring(
        Effect.sleep(ttlMs),
        Effect.sync(() => {
          task.cancel()
          this.#drop(task)
        })
      )
    )
    this.#ends.set(task.id, end)
    return task
  }

  #find({ taskId }: JsonObject): Task {
    const task = typeof taskId === "string" ? this.#all.get(taskId) : undefined
    if (task === undefined) throw invalidParams("there is no such task")
    return task
  }

  // ---- up to 2025-11-25 ---------------------------------------------------------------------------------------------

  /** At once, as the client has said. The call is begun with the name of its task. */
  begin(
    begin: (before: (call: Call) => void, id: () => string) => void,
    { ttl }: Readonly<Record<string, unknown>>
  ): JsonObject {
    if (!this.#hasRoom()) throw new RequestRefused({ code: NOT_NOW, message: "There are too many tasks" })
    let task: Task | undefined
    const before = (call: Call) => {
      task = this.#adopt(call, ttl)
      if (task === undefined) throw NO_ROOM
    }
    begin(before, () => task?.id ?? "")
    return { task: task?.legacy }
  }

  async legacy(
    method: string,
    params: JsonObject,
    waiting: () => { readonly waiter: Waiter; readonly answered: () => void }
  ): Promise<JsonObject | undefined> {
    switch (method) {
      case "tasks/list":
        return { tasks: [...this.#all.values()].map((task) => task.legacy) }
      case "tasks/get":
        return this.#find(params).legacy
      case "tasks/result": {
        const task = this.#find(params)
        const { answered, waiter } = waiting()
        return task.result(waiter).finally(answered)
      }
      case "tasks/cancel": {
        const task = this.#find(params)
        if (!task.cancel()) throw invalidParams("the task has ended")
        return task.legacy
      }
      default:
        return undefined
    }
  }

  // ---- 2026-07-28 ---------------------------------------------------------------------------------------------------

  /** The answer; or, when it takes long, a task in its place. */
  async orTask(answering: Answering): Promise<JsonObject> {
    const late = this.#run(Effect.sleep(LISTENER_TASK_AFTER_MS))
    const first = await Promise.race([
      answering.answer,
      new Promise<typeof LATE>((resolve) => late.addObserver(() => resolve(LATE)))
    ]).finally(() => late.interruptUnsafe())
    if (first !== LATE) return first
    const task = this.#hasRoom() ? this.#adopt(answering.call, undefined) : undefined
    return task?.created ?? answering.answer
  }

  async modern(method: string, params: JsonObject, capabilities: unknown): Promise<JsonObject> {
    if (!takesTasks(capabilities)) throw notTaken()
    const task = this.#find(params)
    if (method === "tasks/get") return task.detailed
    if (method === "tasks/cancel") task.cancel()
    else task.update(isObject(params["inputResponses"]) ? params["inputResponses"] : {})
    return {}
  }
}
