/**
 * A call that goes on while its client is away, and that the client comes back for (2025-11-25, Tasks; the tasks extension of
 * 2026-07-28). Its questions wait for the client, too.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import { LISTENER_TASK_POLL_MS, LISTENER_TASK_WAITERS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { TaskRecord, TaskStatus } from "../../../../schemas/listener/TaskRecord.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { inputRequests, refusedToAnswer, type Answers, type Push } from "./asking.ts"
import { refusalIn, type Call, type Keeper, type Waiter } from "./Call.ts"
import { tooMany } from "./refusals.ts"

const RELATED = "io.modelcontextprotocol/related-task"

/** Of what a handler says about its progress. */
const MESSAGE_MAX_CHARS = 1_024

/** Says which task it is about. */
export const related = (params: JsonObject, taskId: string): JsonObject => ({
  ...params,
  _meta: { ...(isObject(params["_meta"]) ? (params["_meta"] as JsonObject) : {}), [RELATED]: { taskId } }
})

const errorOf = ({ code, data, message }: RequestRefused): JsonObject => ({
  code,
  message,
  ...(data === undefined ? {} : { data: data as JsonObject })
})

const outcomeOf = (
  exit: Exit.Exit<JsonObject, unknown>
): { readonly result: JsonObject } | { readonly error: JsonObject } =>
  Exit.isSuccess(exit) ? { result: exit.value } : { error: errorOf(refusalIn(exit.cause)) }

/** What a client may ask of a task. */
export interface TaskView {
  /** As 2025-11-25 writes it. */
  readonly legacy: JsonObject
  /** As 2026-07-28 writes it, with the result. */
  readonly detailed: JsonObject
  readonly result: (waiter: Waiter) => Effect.Effect<JsonObject, RequestRefused>
  readonly cancel: () => boolean
  readonly update: (answers: Answers) => void
}

export interface TaskOptions {
  readonly id: string
  readonly call: Call
  readonly ttlMs: number
  readonly changed: (task: Task) => void
  /** What is kept of how it ended. */
  readonly kept: (task: Task, exit: Exit.Exit<JsonObject, unknown>) => Exit.Exit<JsonObject, unknown>
}

export class Task implements Keeper, TaskView {
  readonly #options: TaskOptions
  /** Of its result. */
  chars = 0
  readonly #createdAt = new Date().toISOString()
  #updatedAt = this.#createdAt
  #status: TaskStatus = "working"
  #message: string | undefined
  #exit: Exit.Exit<JsonObject, unknown> | undefined
  #isTold = false
  #waiters = 0
  readonly #ended = Deferred.makeUnsafe<void>()
  /** Questions that nobody is asked yet who waits for the result. */
  readonly #unasked = Effect.runSync(Queue.unbounded<string>())

  constructor(options: TaskOptions) {
    this.#options = options
  }

  get id(): string {
    return this.#options.id
  }

  get ttlMs(): number {
    return this.#options.ttlMs
  }

  get hasEnded(): boolean {
    return this.#status !== "working" && this.#status !== "input_required"
  }

  /** It has ended, and the client knows how. */
  get isTold(): boolean {
    return this.#isTold
  }

  // ---- what becomes of the call --------------------------------------------------------------------------------------

  asked(key?: string): void {
    if (this.hasEnded) return
    this.#become(this.#options.call.asks.size > 0 ? "input_required" : "working")
    if (key !== undefined) Queue.offerUnsafe(this.#unasked, key)
  }

  said(message: string): void {
    if (this.hasEnded) return
    this.#message = message.slice(0, MESSAGE_MAX_CHARS)
    this.#updatedAt = new Date().toISOString()
  }

  ended(how: Exit.Exit<JsonObject, unknown>): void {
    const exit = this.#options.kept(this, how)
    this.#exit ??= exit
    if (!this.hasEnded) this.#become(Exit.isSuccess(exit) ? "completed" : "failed")
    Deferred.doneUnsafe(this.#ended, Effect.void)
  }

  /** Interrupts its call. False if it had ended. */
  cancel(): boolean {
    if (this.hasEnded) return false
    this.#isTold = true
    this.#become("cancelled")
    this.#options.call.interrupt()
    return true
  }

  /** Answers of the client to what was asked, by their names. */
  update(answers: Answers): void {
    this.#options.call.answerAll(answers)
  }

  #become(status: TaskStatus): void {
    if (this.#status === status) return
    this.#status = status
    this.#updatedAt = new Date().toISOString()
    this.#options.changed(this)
  }

  /** What other nodes of a fleet have to know of it. */
  get told(): Pick<TaskRecord, "createdAt" | "error" | "message" | "result" | "status" | "updatedAt"> {
    const exit = this.#exit
    const ended = exit === undefined ? {} : outcomeOf(exit)
    return {
      status: this.#status,
      message: this.#message,
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      ...ended
    }
  }

  // ---- for clients that wait for the result (2025-11-25) ------------------------------------------------------------

  /** As that revision writes it: there, a tool that says it failed makes a task that has failed. */
  get legacy(): JsonObject {
    const isFailed = this.#status === "completed" && Exit.isSuccess(this.#exit!) && this.#exit.value["isError"] === true
    return {
      ...this.#common(isFailed ? "failed" : this.#status),
      ttl: this.#options.ttlMs,
      pollInterval: LISTENER_TASK_POLL_MS
    }
  }

  /** The result, when it is there; whoever waits for it may be asked what the call wants to know. */
  result(waiter: Waiter): Effect.Effect<JsonObject, RequestRefused> {
    return Effect.suspend((): Effect.Effect<JsonObject, RequestRefused> => {
      if (this.#exit === undefined) return Effect.andThen(this.#wait(waiter), this.result(waiter))
      this.#isTold = true
      return Exit.isFailure(this.#exit)
        ? Effect.fail(refusalIn(this.#exit.cause))
        : Effect.succeed(related(this.#exit.value, this.id))
    })
  }

  #wait({ asking }: Waiter): Effect.Effect<void, RequestRefused> {
    if (this.#waiters >= LISTENER_TASK_WAITERS_MAX) return Effect.fail(tooMany())
    this.#waiters++
    const ended = Deferred.await(this.#ended)
    return Effect.ensuring(
      typeof asking === "string" ? ended : Effect.raceFirst(ended, this.#askWith(asking.push)),
      Effect.sync(() => this.#waiters--)
    )
  }

  /** Asks one of those who wait. If it leaves without an answer, the next one is asked. */
  #askWith(push: Push): Effect.Effect<never> {
    const ask = (key: string) =>
      Effect.suspend(() => {
        const question = this.#options.call.asks.get(key)
        if (question === undefined) return Effect.void
        return push(question.method, related(question.params, this.id)).pipe(
          // A call that gets no answer at all would wait for good.
          Effect.catchDefect((mistake) =>
            Effect.andThen(
              Effect.logWarning("a client could not be asked, because of a mistake", mistake),
              Effect.fail(refusedToAnswer())
            )
          ),
          Effect.match({
            onSuccess: (answer) => question.answered(Exit.succeed(answer)),
            onFailure: () => question.answered(Exit.fail(refusedToAnswer()))
          }),
          Effect.onInterrupt(() => Queue.offer(this.#unasked, key))
        )
      })
    return Effect.scoped(
      Effect.forever(Effect.flatMap(Queue.take(this.#unasked), (key) => Effect.forkScoped(ask(key))))
    )
  }

  // ---- for clients that look (2026-07-28) -----------------------------------------------------------------------------

  get created(): JsonObject {
    return { resultType: "task", ...this.#modern() }
  }

  get detailed(): JsonObject {
    const exit = this.#exit
    const isTold = this.#status === "completed" || this.#status === "failed"
    if (this.hasEnded) this.#isTold = true
    return {
      ...this.#modern(),
      ...(this.#status === "input_required" ? { inputRequests: inputRequests(this.#options.call.asks) } : {}),
      ...(!isTold || exit === undefined ? {} : outcomeOf(exit))
    }
  }

  #modern(): JsonObject {
    return { ...this.#common(this.#status), ttlMs: this.#options.ttlMs, pollIntervalMs: LISTENER_TASK_POLL_MS }
  }

  #common(status: TaskStatus): JsonObject {
    return {
      taskId: this.id,
      status,
      ...(this.#message === undefined ? {} : { statusMessage: this.#message }),
      createdAt: this.#createdAt,
      lastUpdatedAt: this.#updatedAt
    }
  }
}
