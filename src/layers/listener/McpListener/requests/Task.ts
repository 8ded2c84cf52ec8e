/**
 * A call that goes on while its client is away, and that it comes back for (2025-11-25, Tasks; the tasks extension of
 * 2026-07-28). What it asks waits for the client, too.
 */
import * as Exit from "effect/Exit"
import { LISTENER_TASK_POLL_MS, LISTENER_TASK_WAITERS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import {
  answerWith,
  inputRequests,
  refusalIn,
  refusedToAnswer,
  type Answers,
  type Call,
  type Keeper,
  type Waiter
} from "./Call.ts"
import { cancelled, tooMany } from "./refusals.ts"

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled"

const RELATED = "io.modelcontextprotocol/related-task"

/** A word of a handler about how far it is. */
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

export interface TaskOptions {
  readonly id: string
  readonly call: Call
  readonly ttlMs: number
  readonly changed: (task: Task) => void
  /** What is kept of how it ended. */
  readonly kept: (task: Task, exit: Exit.Exit<JsonObject, unknown>) => Exit.Exit<JsonObject, unknown>
}

export class Task implements Keeper {
  readonly id: string
  readonly #call: Call
  readonly #ttlMs: number
  readonly #changed: (task: Task) => void
  readonly #kept: TaskOptions["kept"]
  /** Of its result. */
  chars = 0
  readonly #createdAt = new Date().toISOString()
  #updatedAt = this.#createdAt
  #status: TaskStatus = "working"
  #message: string | undefined
  #exit: Exit.Exit<JsonObject, unknown> | undefined
  #isTold = false
  /** Those that wait for the result, and can be asked meanwhile. */
  readonly #waiters = new Set<Waiter>()
  readonly #onEnd = new Set<() => void>()
  readonly #beingAsked = new Set<string>()

  constructor({ call, changed, id, kept, ttlMs }: TaskOptions) {
    this.id = id
    this.#call = call
    this.#ttlMs = ttlMs
    this.#changed = changed
    this.#kept = kept
  }

  get hasEnded(): boolean {
    return this.#status !== "working" && this.#status !== "input_required"
  }

  /** It has ended, and the client knows how. */
  get isTold(): boolean {
    return this.#isTold
  }

  // ---- what becomes of the call --------------------------------------------------------------------------------------

  asked(): void {
    if (this.hasEnded) return
    this.#become(this.#call.asks.size > 0 ? "input_required" : "working")
    this.#askWaiters()
  }

  said(message: string): void {
    if (this.hasEnded) return
    this.#message = message.slice(0, MESSAGE_MAX_CHARS)
    this.#updatedAt = new Date().toISOString()
  }

  ended(how: Exit.Exit<JsonObject, unknown>): void {
    const exit = this.#kept(this, how)
    this.#exit ??= exit
    if (!this.hasEnded) this.#become(Exit.isSuccess(exit) ? "completed" : "failed")
    for (const wake of this.#onEnd) wake()
    this.#onEnd.clear()
  }

  /** What it was doing is interrupted. False when it had ended. */
  cancel(): boolean {
    if (this.hasEnded) return false
    this.#isTold = true
    this.#become("cancelled")
    this.#call.interrupt()
    return true
  }

  /** Answers of the client to what was asked, by their names. */
  update(answers: Answers): void {
    for (const [key, ask] of this.#call.asks) {
      answerWith(ask, key, answers)
    }
  }

  #become(status: TaskStatus): void {
    if (this.#status === status) return
    this.#status = status
    this.#updatedAt = new Date().toISOString()
    this.#changed(this)
  }

  // ---- for clients that wait for the result (2025-11-25) ------------------------------------------------------------

  /** As that revision writes it: there, a tool that says it failed makes a task that has. */
  get legacy(): JsonObject {
    const isFailed = this.#status === "completed" && Exit.isSuccess(this.#exit!) && this.#exit.value["isError"] === true
    return {
      ...this.#common(isFailed ? "failed" : this.#status),
      ttl: this.#ttlMs,
      pollInterval: LISTENER_TASK_POLL_MS
    }
  }

  /** The result, when it is there; whoever waits for it may be asked what the call wants to know. */
  async result(waiter: Waiter): Promise<JsonObject> {
    if (this.#exit === undefined) {
      if (this.#waiters.size >= LISTENER_TASK_WAITERS_MAX) throw tooMany()
      this.#waiters.add(waiter)
      this.#askWaiters()
      await new Promise<void>((resolve) => {
        this.#onEnd.add(resolve)
        const leave = () => {
          this.#onEnd.delete(resolve)
          resolve()
        }
        waiter.gone.addEventListener("abort", leave, { once: true })
      })
      this.#waiters.delete(waiter)
    }
    if (this.#exit === undefined) throw cancelled()
    this.#isTold = true
    if (Exit.isFailure(this.#exit)) throw refusalIn(this.#exit.cause)
    return related(this.#exit.value, this.id)
  }

  #askWaiters(): void {
    const waiter = [...this.#waiters].find(({ gone }) => !gone.aborted)
    if (waiter === undefined || typeof waiter.asking === "string") return
    const { push } = waiter.asking
    for (const [key, ask] of this.#call.asks) {
      if (this.#beingAsked.has(key)) continue
      this.#beingAsked.add(key)
      push(ask.method, related(ask.params, this.id), waiter.gone)
        .then((answer) => (isObject(answer) ? ask.answered(answer as JsonObject) : ask.refused(refusedToAnswer())))
        .catch(() => {
          // Then the next one that waits is asked.
          if (!waiter.gone.aborted) ask.refused(refusedToAnswer())
        })
        .finally(() => {
          this.#beingAsked.delete(key)
          this.#askWaiters()
        })
    }
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
      ...(this.#status === "input_required" ? { inputRequests: inputRequests(this.#call.asks) } : {}),
      ...(!isTold || exit === undefined
        ? {}
        : Exit.isSuccess(exit)
          ? { result: exit.value }
          : { error: errorOf(refusalIn(exit.cause)) })
    }
  }

  #modern(): JsonObject {
    return { ...this.#common(this.#status), ttlMs: this.#ttlMs, pollIntervalMs: LISTENER_TASK_POLL_MS }
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
