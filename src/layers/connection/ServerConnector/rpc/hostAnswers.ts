/**
 * The host's answers to a server's requests. Every request ends with a result or a refusal within the time limit of its kind; a bug
 * becomes a refusal, too.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import {
  ELICITATION_TIMEOUT_MS,
  ROOTS_TIMEOUT_MS,
  SAMPLING_TIMEOUT_MS,
  TASK_ID_MAX_CHARS
} from "../../../../schemas/defaults/HostRequests.ts"
import { HostRefusal, METHOD_NOT_FOUND, REFUSED } from "../../../../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { ServerConfig } from "../../../../schemas/connection/ServerConfig.ts"
import type { HostFeatures } from "../../../../services/content/HostFeatures.ts"
import type { HostAnswer, OnRequest } from "./Inbound.ts"

const ELICITATION = "elicitation/create"

/** All requests that a host answers, and how long each answer may take. */
const TIME_LIMITS: ReadonlyMap<string, number> = new Map([
  ["roots/list", ROOTS_TIMEOUT_MS],
  ["sampling/createMessage", SAMPLING_TIMEOUT_MS],
  [ELICITATION, ELICITATION_TIMEOUT_MS]
])

/** Whether a server may ask a host for this. */
export const isHostMethod = (method: string): boolean => TIME_LIMITS.has(method)

const INTERNAL_ERROR = -32603
const BROKEN = new HostRefusal({ code: INTERNAL_ERROR, message: "this client failed on the request" })

type Params = Readonly<Record<string, unknown>>

/** Answers one request of one server. */
export type Answer = (method: string, params: Params) => Effect.Effect<JsonObject, HostRefusal>

/** A question that a person does not answer counts as dismissed. Other requests are refused. */
const unanswered = (method: string): Effect.Effect<JsonObject, HostRefusal> =>
  method === ELICITATION
    ? Effect.succeed({ action: "cancel" })
    : Effect.fail(new HostRefusal({ code: REFUSED, message: "this client did not answer in time" }))

/** An answer of the host may not be JSON, because it contains a BigInt, for example. */
const isJson = (value: unknown): boolean => {
  try {
    return typeof JSON.stringify(value) === "string"
  } catch {
    return false
  }
}

export const makeAnswer =
  (host: HostFeatures["Service"], config: ServerConfig): Answer =>
  (method, params) => {
    const limit = TIME_LIMITS.get(method)
    if (limit === undefined) {
      return Effect.fail(new HostRefusal({ code: METHOD_NOT_FOUND, message: "this client does not offer that method" }))
    }
    return Effect.suspend(() => host.answer(config, method, params)).pipe(
      Effect.timeoutOrElse({ duration: limit, orElse: () => unanswered(method) }),
      Effect.filterOrFail(isJson, () => BROKEN),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(`[${config.name}] ${method}: unexpected failure`, Cause.die(defect)),
          Effect.fail(BROKEN)
        )
      )
    )
  }

const RELATED_TASK = "io.modelcontextprotocol/related-task"

/** The answer names the task that its request belongs to (2025-11-25, Tasks). */
const withTask = (result: JsonObject, params: Params): JsonObject => {
  const related = isObject(params["_meta"]) ? params["_meta"][RELATED_TASK] : undefined
  const taskId = isObject(related) ? related["taskId"] : undefined
  if (typeof taskId !== "string" || taskId.length > TASK_ID_MAX_CHARS) return result
  return {
    ...result,
    _meta: { ...(isObject(result["_meta"]) ? result["_meta"] : undefined), [RELATED_TASK]: { taskId } }
  }
}

const toHostAnswer = (exit: Exit.Exit<JsonObject, HostRefusal>, params: Params): HostAnswer => {
  if (Exit.isSuccess(exit)) return { result: withTask(exit.value, params) }
  const { code, message } = Option.getOrElse(Cause.findErrorOption(exit.cause), () => BROKEN)
  return { error: { code, message } }
}

/** For requests that a server pushes. `fork` runs an effect no longer than the connection lives. */
export const makeOnRequest =
  (answer: Answer, fork: (effect: ReturnType<Answer>) => Fiber.Fiber<JsonObject, HostRefusal>): OnRequest =>
  (method, params, settle, span) => {
    if (!isHostMethod(method)) return undefined
    const answering = answer(method, params)
    const fiber = fork(span === undefined ? answering : Effect.withParentSpan(answering, span))
    fiber.addObserver((exit) => settle(toHostAnswer(exit, params)))
    return () => fiber.interruptUnsafe()
  }
