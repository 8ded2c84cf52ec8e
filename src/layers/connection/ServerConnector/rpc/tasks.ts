/**
 * Tool calls as tasks (2025-11-25, Tasks): the request that creates the task, status requests until it is done, and its result. The caller
 * sees one call, with progress and one total deadline; if the caller gives up, the task is cancelled. An answered status request is a sign
 * of life. Requests of the server in the meantime arrive as usual.
 */
import * as Effect from "effect/Effect"
import {
  TASK_ID_MAX_CHARS,
  TASK_LATE_MS,
  TASK_POLL_MAX_MS,
  TASK_POLL_MIN_MS,
  TASK_POLL_MS,
  TASK_TTL_MS
} from "../../../../schemas/defaults/HostRequests.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { keptFor } from "../../../../schemas/content/ServerText.ts"
import {
  CallTimeout,
  ConnectionLost,
  ProtocolError,
  type RequestError
} from "../../../../schemas/connection/RequestError.ts"
import type { RequestOptions, ServerConnection } from "../../../../services/connection/ServerConnector.ts"
import { request, type Session } from "./Session.ts"
import { saidBy } from "./tidy.ts"

type Params = Readonly<Record<string, unknown>>
type Request = ServerConnection["request"]

const STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const
type Status = (typeof STATUSES)[number]

interface Task {
  readonly taskId: string
  readonly status: Status
  readonly statusMessage: string | undefined
  readonly pollMs: number
}

const CANCEL_MS = 5_000
const DETAIL_CHARS = 300

const isTerminal = ({ status }: Task) => status !== "working" && status !== "input_required"

const pollMsOf = (given: unknown): number =>
  typeof given === "number" ? Math.min(Math.max(given, TASK_POLL_MIN_MS), TASK_POLL_MAX_MS) : TASK_POLL_MS

/** The state of a task, or why it cannot be used, in our own words. */
const decodeTask = (raw: unknown): Task | string => {
  if (!isObject(raw)) return "it holds no task"
  const { pollInterval, status, statusMessage, taskId } = raw
  if (typeof taskId !== "string" || taskId === "" || taskId.length > TASK_ID_MAX_CHARS) {
    return "its task has no usable id"
  }
  const known = STATUSES.find((candidate) => candidate === status)
  if (known === undefined) return "its task is in an unknown state"
  return {
    taskId,
    status: known,
    statusMessage:
      typeof statusMessage === "string" && statusMessage !== "" ? keptFor(statusMessage, DETAIL_CHARS) : undefined,
    pollMs: pollMsOf(pollInterval)
  }
}

/** The task in the result of a call, instead of content. */
const taskIn = (result: unknown): unknown =>
  isObject(result) && result["content"] === undefined ? result["task"] : undefined

/** Whether the server declares tool calls as tasks. Otherwise it must not get one. */
export const takesTasks = (capabilities: Params): boolean => {
  const at = (value: unknown, key: string) => (isObject(value) ? value[key] : undefined)
  return at(at(at(capabilities["tasks"], "requests"), "tools"), "call") !== undefined
}

const numberIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** Passes on progress reports, and makes one of each new status message of the task. */
class Reports {
  readonly #onProgress: RequestOptions["onProgress"]
  #count = 0
  /** Of the last report, without its words. */
  #reported: Params | undefined
  #said: string | undefined

  constructor(onProgress: RequestOptions["onProgress"]) {
    this.#onProgress = onProgress
  }

  receive(params: Record<string, unknown>): void {
    const { progress, total } = params
    this.#reported = { progress: numberIn(progress), total: numberIn(total) }
    this.#onProgress?.(params)
  }

  /** Progress must increase, so without reports of the server, the status messages are counted. */
  state({ statusMessage: message }: Task): void {
    if (message === undefined || message === this.#said) return
    this.#said = message
    const { progress, total } = this.#reported ?? { progress: ++this.#count, total: undefined }
    this.#onProgress?.({ progress, ...(total === undefined ? undefined : { total }), message })
  }
}

/** One call as a task. */
const runTask = Effect.fnUntraced(function* (
  session: Session,
  params: Params,
  options: RequestOptions
): Effect.fn.Return<unknown, RequestError> {
  const { peer, server } = session
  const { idleMs } = options
  const reports = new Reports(options.onProgress)
  const silent = new CallTimeout({ server, method: "tools/call", timeoutMs: idleMs, deadline: "idle" })
  const unusable = (why: string) =>
    new ProtocolError({
      server,
      code: null,
      detail: `the answer cannot be used: ${why}`,
      isOurs: true,
      maybeExecuted: true
    })
  // One total deadline is around the whole call.
  const within = (idle: number): RequestOptions => ({ idleMs: idle, totalMs: Number.POSITIVE_INFINITY })

  let unfollow = () => {}
  /** The id of the task, as long as it is not known to have ended. */
  let running: string | undefined
  /** The caller does not wait any more. */
  let over = false

  const onProgress = (report: Record<string, unknown>) => {
    if (!over) reports.receive(report)
  }

  const cancelTask = () => {
    if (running === undefined) return
    peer.request("tasks/cancel", { taskId: running }, { idleMs: CANCEL_MS, totalMs: CANCEL_MS }, () => {})
    running = undefined
  }

  const named = (result: unknown) => {
    const task = decodeTask(taskIn(result))
    if (typeof task !== "string" && !isTerminal(task)) running = task.taskId
    if (over) cancelTask()
  }

  /**
   * In one step with the answer, so that no report is lost between the request and its task. The request is not cancelled when the
   * caller gives up or its time is over: a task is cancelled as a task (2025-11-25, Cancellation), and its id comes with the answer.
   * An answer that comes more than `TASK_LATE_MS` later is ignored.
   */
  const create = Effect.callback<unknown, RequestError>((resume) => {
    const asked = { ...params, task: { ttl: TASK_TTL_MS } }
    const creating = {
      idleMs,
      totalMs: options.totalMs,
      onProgress: options.onProgress && onProgress,
      late: { lateMs: TASK_LATE_MS, onResult: named }
    }
    peer.request("tools/call", asked, creating, (outcome, token) => {
      if (!outcome.ok) return resume(Effect.fail(outcome.error))
      named(outcome.result)
      if (over) return
      if (options.onProgress !== undefined) unfollow = peer.followProgress(token, onProgress)
      resume(Effect.succeed(outcome.result))
    })
  })

  const seen = (raw: unknown): Effect.Effect<Task, ProtocolError> => {
    const task = decodeTask(raw)
    if (typeof task === "string") return Effect.fail(unusable(task))
    running = isTerminal(task) ? undefined : task.taskId
    reports.state(task)
    return Effect.succeed(task)
  }

  const look = ({ pollMs, taskId }: Task): Effect.Effect<Task, RequestError> =>
    Effect.sleep(Math.min(pollMs, Math.max(idleMs, TASK_POLL_MIN_MS))).pipe(
      Effect.andThen(request(session, "tasks/get", { taskId }, within(idleMs))),
      Effect.flatMap((raw) => seen(isObject(raw) ? { ...raw, taskId } : raw))
    )

  const untilEnd = Effect.fnUntraced(function* (from: Task): Effect.fn.Return<Task, RequestError> {
    let task = from
    while (!isTerminal(task)) task = yield* look(task)
    return task
  })

  const result = ({ taskId }: Task, idle: number) => request(session, "tasks/result", { taskId }, within(idle))

  /**
   * A task that needs input sends its requests to the one that waits for the result. That may take as long as the rest of the task,
   * so status requests continue.
   */
  const waitForResult = (task: Task) =>
    Effect.raceFirst(
      result(task, Number.POSITIVE_INFINITY),
      untilEnd(task).pipe(Effect.andThen(Effect.sleep(idleMs)), Effect.andThen(Effect.fail(silent)))
    ).pipe(Effect.tap(() => Effect.sync(() => (running = undefined))))

  const finish = (task: Task): Effect.Effect<unknown, RequestError> => {
    const said = (words: string) =>
      task.statusMessage === undefined
        ? { detail: words, isOurs: true as const }
        : { about: words, ...saidBy(session.tidy, task.statusMessage, DETAIL_CHARS) }
    switch (task.status) {
      case "cancelled":
        return Effect.fail(new ProtocolError({ server, code: null, ...said("its task was cancelled") }))
      case "failed":
        // The result of the call usually says what went wrong.
        return result(task, idleMs).pipe(
          Effect.catchTag("ProtocolError", (error) => {
            const { code, detail, findings, isOurs } = error
            const about = "its task failed"
            if (task.statusMessage !== undefined)
              return Effect.fail(new ProtocolError({ server, code, ...said(about) }))
            const told = isOurs === true ? { detail: `${about}: ${detail}`, isOurs } : { about, detail }
            const found = findings === undefined ? undefined : { findings }
            return Effect.fail(new ProtocolError({ server, code, ...told, ...found }))
          })
        )
      default:
        return result(task, idleMs)
    }
  }

  /** Once there is a task, the call may have run, whichever later request is lost. */
  const taken = (error: RequestError): RequestError =>
    error._tag === "ConnectionLost" ? new ConnectionLost({ server, detail: error.detail, maybeExecuted: true }) : error

  const toTheEnd = Effect.fnUntraced(function* (raw: unknown): Effect.fn.Return<unknown, RequestError> {
    let task = yield* seen(raw)
    while (task.status === "working") task = yield* look(task)
    return yield* task.status === "input_required" ? waitForResult(task) : finish(task)
  }, Effect.mapError(taken))

  const run = Effect.flatMap(create, (created) => {
    const raw = taskIn(created)
    // A server may answer with content instead of a task.
    return raw === undefined ? Effect.succeed(created) : toTheEnd(raw)
  })

  return yield* run.pipe(
    Effect.mapError((error) => (error._tag === "CallTimeout" && error.deadline === "idle" ? silent : error)),
    Effect.onExit(() =>
      Effect.sync(() => {
        over = true
        unfollow()
        cancelTask()
      })
    )
  )
})

/** The requests of a session whose server runs tool calls as tasks. */
export const makeTaskRequest =
  (session: Session): Request =>
  (method, params, options) => {
    if (options.asTask !== true || method !== "tools/call") return request(session, method, params, options)
    const { totalMs } = options
    return runTask(session, params, options).pipe(
      Effect.timeoutOrElse({
        duration: totalMs,
        orElse: () =>
          Effect.fail(new CallTimeout({ server: session.server, method, timeoutMs: totalMs, deadline: "total" }))
      })
    )
  }
