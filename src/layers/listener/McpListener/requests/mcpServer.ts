/**
 * What one client is offered, as a server of the SDK: the capabilities follow from the handlers, and every request goes to its
 * handler as a call. The SDK keeps the rules of the protocol; nothing of a client's passes it but parameters whose shape was checked
 * here.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Tracer from "effect/Tracer"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { LISTENER_ASK_MS } from "../../../../schemas/defaults/Listener.ts"
import { isLogLevel, LOG_LEVELS } from "../../../../schemas/connection/LogMessage.ts"
import type { McpOffer, OfferedMethod } from "../../../../services/listener/McpListener.ts"
import { pushWith } from "./asking.ts"
import { refusalIn, type Waiter } from "./Call.ts"
import type { Run } from "./running.ts"
import type { Calls } from "./Calls.ts"
import { capabilitiesOf, handlerOf, offers, TASK_METHODS, type Era } from "./capabilities.ts"
import { leastIn, logTo, progressTo, type Notify } from "./notices.ts"
import { invalidParams, methodNotFound } from "./refusals.ts"
import {
  anyParams,
  anything,
  newServer,
  senderOf,
  type RequestId,
  type Result,
  type Sdk,
  type Server,
  type ServerContext
} from "./sdk.ts"
import { abilitiesOf, faultIn, isOffered, uriFault } from "./shapes.ts"
import { askedOf, observed, type Observed } from "./observed.ts"
import { related } from "./Task.ts"
import { takesTasks, type Tasks } from "./Tasks.ts"
import type { Wishes } from "./Wishes.ts"

export interface Desk {
  readonly sdk: Sdk
  readonly era: Era
  readonly offer: McpOffer
  readonly calls: Calls
  /** If the offer has any. */
  readonly tasks: Tasks | undefined
  readonly wishes: Wishes
  readonly run: Run
  readonly observed: Observed
  /** A request is under way, which the client may cancel; the result is called when it is answered. */
  readonly underWay?: ((id: RequestId, cancel: () => void) => () => void) | undefined
}

/** Requests that may be given back to ask something (2026-07-28, Multi Round-Trip Requests). */
const RETURNABLE: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"])

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

const declaredIn = ({ mcpReq }: ServerContext): unknown => {
  const envelope: unknown = mcpReq.envelope
  return isObject(envelope) ? envelope[CAPABILITIES] : undefined
}

const notifyOf =
  (context: ServerContext): Notify =>
  async (method, params) => {
    await context.mcpReq.notify({ method, params: params as Record<string, unknown> })
    await senderOf(context)?.read()
  }

const waiterOf = ({ era, observed }: Desk, server: Server, context: ServerContext): Waiter => {
  const { mcpReq } = context
  const isModern = era === "modern"
  return {
    can: abilitiesOf(isModern ? declaredIn(context) : server.getClientCapabilities()),
    progress: progressTo(context, notifyOf(context)),
    log: undefined,
    elicited: isModern
      ? undefined
      : (elicitationId) =>
          void notifyOf(context)("notifications/elicitation/complete", { elicitationId }).catch(() => {}),
    asking: isModern
      ? RETURNABLE.has(mcpReq.method)
        ? "return"
        : "never"
      : {
          push: pushWith((method, params, signal) =>
            // We have a deadline of our own: the SDK's comes after it.
            askedOf(observed, server, method, params, (all) =>
              mcpReq.send({ method, params: all }, anything, { signal, timeout: LISTENER_ASK_MS * 2 })
            )
          )
        }
  }
}

/** Runs an answer for as long as its client waits for it, and gives it to the SDK. */
const promised = (
  { run, underWay }: Desk,
  context: ServerContext,
  answer: Effect.Effect<JsonObject, RequestRefused>,
  span: Tracer.AnySpan | undefined
): Promise<Result> =>
  new Promise((resolve, reject) => {
    const sender = senderOf(context)
    const work = span === undefined ? answer : Effect.withParentSpan(answer, span)
    const fiber = run(work, sender === undefined ? { signal: context.mcpReq.signal } : {})
    if (sender !== undefined) Fiber.runIn(fiber, sender.scope)
    const answered = underWay?.(context.mcpReq.id, () => fiber.interruptUnsafe())
    fiber.addObserver((exit) => {
      answered?.()
      if (Exit.isSuccess(exit)) resolve(exit.value)
      else reject(refusalIn(exit.cause))
    })
  })

export const makeServer = (desk: Desk): Server => {
  const { calls, era, offer, sdk, tasks, wishes } = desk
  const server = newServer(sdk, offer, capabilitiesOf(offer, era), era)

  // The SDK's own handler answers an unknown level as if it were our fault, and does not know what is sent after a request.
  server.removeRequestHandler("logging/setLevel")
  const setLevel = async ({ level }: JsonObject): Promise<Result> => {
    if (!isLogLevel(level)) throw invalidParams(`'level' must be one of ${LOG_LEVELS.join(", ")}`)
    await wishes.setLevel(level)
    return {}
  }

  const subscribe = async (method: string, params: JsonObject): Promise<Result> => {
    const fault = uriFault(params)
    if (fault !== undefined) throw invalidParams(fault)
    const uri = String(params["uri"])
    const changed = method === "resources/unsubscribe" ? wishes.unsubscribe(uri) : wishes.subscribe(uri)
    if (changed === false) throw invalidParams("there are too many subscriptions")
    await changed
    return {}
  }

  const answer = (
    method: OfferedMethod,
    params: JsonObject,
    context: ServerContext
  ): JsonObject | Effect.Effect<JsonObject, RequestRefused> => {
    const handler = handlerOf(offer, method)
    if (handler === undefined) return Effect.fail(methodNotFound())
    const fault = faultIn(method, params)
    if (fault !== undefined) return Effect.fail(invalidParams(fault))
    if (typeof handler !== "function") return handler
    let isAnswered = false
    const wanted = () => (era === "legacy" ? wishes.level : isAnswered ? undefined : leastIn(context))
    const log = (notify: Notify) => (offer.logs === true ? logTo(wanted, notify) : undefined)
    const { inputResponses } = context.mcpReq
    const state = era === "modern" ? context.mcpReq.requestState() : undefined
    const { task, ...rest } = params
    const request = {
      id: context.mcpReq.id,
      method,
      params: tasks === undefined ? params : rest,
      state,
      answers: inputResponses ?? {}
    }
    const there = waiterOf(desk, server, context)
    const canBeTask = tasks !== undefined && method === "tools/call"
    if (canBeTask && era === "legacy" && isObject(task)) {
      // The request is answered when there is a task: what comes then is no part of it.
      return tasks.begin((before, id) => {
        const notify: Notify = (method, about) => server.notification({ method, params: related({ ...about }, id()) })
        const away = { ...there, progress: progressTo(context, notify), log: log(notify) }
        return calls.answer(handler, request, away, before)
      }, task)
    }
    const isTask = canBeTask && era === "modern" && takesTasks(declaredIn(context))
    return calls.answer(handler, request, { ...there, log: log(notifyOf(context)) }).pipe(
      Effect.flatMap((answering) =>
        Effect.onInterrupt(isTask ? tasks.orTask(answering) : answering.answer, () => answering.leave)
      ),
      Effect.ensuring(Effect.sync(() => (isAnswered = true)))
    )
  }

  const respond = async (method: string, given: JsonObject, context: ServerContext, span?: Tracer.AnySpan) => {
    if (isOffered(method)) {
      const found = answer(method, given, context)
      const result = Effect.isEffect(found) ? await promised(desk, context, found, span) : found
      // Up to 2025-11-25 structured content is an object.
      return (method === "tools/call" ? server.projectCallToolResult(result as never, undefined) : result) as Result
    }
    if (method === "logging/setLevel") return setLevel(given)
    const subscribes = method === "resources/subscribe" || method === "resources/unsubscribe"
    if (subscribes && offers(offer, "resources/")) return subscribe(method, given)
    const ofTask = era === "legacy" ? tasks?.legacy(method, given, () => waiterOf(desk, server, context)) : undefined
    if (ofTask !== undefined) return promised(desk, context, ofTask, span)
    throw methodNotFound()
  }
  server.fallbackRequestHandler = ({ method, params = {} }, context) =>
    observed(desk.observed, server, context, { method, params: params as JsonObject }, (span) =>
      respond(method, params as JsonObject, context, span)
    )
  if (era === "modern" && tasks !== undefined) {
    // Names that the SDK leaves to whoever says that they are meant.
    for (const method of TASK_METHODS) {
      server.setRequestHandler(method, { params: anyParams }, (given, context) => {
        const { inputResponses } = context.mcpReq
        const params = { ...(given as JsonObject), ...(inputResponses === undefined ? {} : { inputResponses }) }
        return observed(desk.observed, server, context, { method, params: params as JsonObject }, (span) =>
          promised(desk, context, tasks.modern(method, params as JsonObject, declaredIn(context)), span)
        )
      })
    }
  }
  return server
}
