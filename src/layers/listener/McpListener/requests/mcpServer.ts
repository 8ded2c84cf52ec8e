/**
 * What one client is offered, as an SDK server of either era: the capabilities follow from the handlers, every request goes
 * to its handler and into the books of what is under way. The SDK keeps the wire; nothing of a client's gets past it but
 * parameters whose shape was looked at here.
 */
import type {
  JSONRPCRequest,
  RequestId,
  Result,
  Server,
  ServerContext,
  StandardSchemaV1
} from "@modelcontextprotocol/server"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { LISTENER_ASK_MS, LISTENER_LOG_LEVEL, LISTENER_ROOTS_MS } from "../../../../schemas/defaults/Listener.ts"
import { isLogLevel, LOG_LEVELS, type LogLevel } from "../../../../schemas/connection/LogMessage.ts"
import { VERSION } from "../../../../schemas/data/Version.ts"
import type { Handler, McpOffer, OfferedMethod } from "../../../../services/listener/McpListener.ts"
import type { Run, Waiter } from "./Call.ts"
import type { Calls } from "./Calls.ts"
import type { ClientQuota } from "./ClientQuota.ts"
import { leastIn, logTo, progressTo, type Notify } from "./notices.ts"
import { invalidParams, methodNotFound } from "./refusals.ts"
import { abilitiesOf, faultIn, isOffered, uriFault } from "./shapes.ts"
import type { Subscriptions } from "./Subscriptions.ts"
import { related, type Task } from "./Task.ts"
import { takesTasks, Tasks, TASKS_EXTENSION } from "./Tasks.ts"

/** Loaded when somebody listens: a program that does not is spared it. */
export type Sdk = typeof import("@modelcontextprotocol/server")

const KINDS = [
  "isJSONRPCRequest",
  "isJSONRPCNotification",
  "isJSONRPCResultResponse",
  "isJSONRPCErrorResponse"
] as const

/** Whether it is of the protocol's kinds: what is not, the SDK would drop without a word. */
export const isMessage = (sdk: Sdk, value: unknown): boolean => KINDS.some((is) => sdk[is](value))

export type Era = "legacy" | "modern"

export interface Desk {
  readonly sdk: Sdk
  readonly era: Era
  readonly offer: McpOffer
  readonly calls: Calls
  /** Where the offer has any. */
  readonly tasks: Tasks | undefined
  /** Of a client that says which resources it wants to hear of, one by one. */
  readonly subscriptions: Subscriptions
  /** When the client can take more, where the SDK does not wait for that. */
  readonly read: (context: ServerContext) => Promise<void>
  /** A request under way that the client waits for no more by another way than the SDK's. */
  readonly underWay?: ((id: RequestId, interrupt: () => void) => () => void) | undefined
}

/** What comes from a client in answer to us is the asker's to judge. */
const anything: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "mcp-live", validate: (value) => ({ value }) }
}

const anyParams: StandardSchemaV1<Record<string, unknown>, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "mcp-live",
    validate: (value) => ({ value: value as Record<string, unknown> })
  }
}

/** Of a call that its client does not wait for. */
const NEVER = new AbortController().signal

/** Lists that belong to a capability, and are empty where there is no handler for them. */
const EMPTY: Partial<Record<OfferedMethod, JsonObject>> = {
  "tools/list": { tools: [] },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "prompts/list": { prompts: [] }
}

/** Requests that may be given back to ask something (2026-07-28, Multi Round-Trip Requests). */
const RETURNABLE: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"])

const offers = ({ handlers }: McpOffer, ...groups: ReadonlyArray<string>): boolean =>
  Object.keys(handlers).some((method) => groups.some((group) => method.startsWith(group)))

const TASKS = {
  legacy: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  modern: { extensions: { [TASKS_EXTENSION]: {} } }
} as const

/** Calls of tools may be tasks; nothing else. */
const takesTasksOf = ({ handlers, tasks }: McpOffer): boolean => tasks && handlers["tools/call"] !== undefined

/** What the extension has of its own (2026-07-28). */
const TASK_METHODS = ["tasks/get", "tasks/update", "tasks/cancel"] as const

export const tasksOf = (
  offer: McpOffer,
  run: Run,
  holder: ClientQuota,
  changed: (task: Task) => void
): Tasks | undefined => (takesTasksOf(offer) ? new Tasks(run, holder, changed) : undefined)

/** That a task is in another state (up to 2025-11-25); who does not hear it looks. */
export const tellOfTask = (server: Server, task: Task): void =>
  void server.notification({ method: "notifications/tasks/status", params: { ...task.legacy } }).catch(() => {})

export const capabilitiesOf = (offer: McpOffer, era: Era) => ({
  ...(offers(offer, "tools/") ? { tools: { listChanged: true } } : {}),
  ...(offers(offer, "resources/") ? { resources: { listChanged: true, subscribe: true } } : {}),
  ...(offers(offer, "prompts/") ? { prompts: { listChanged: true } } : {}),
  ...(offers(offer, "completion/") ? { completions: {} } : {}),
  ...(takesTasksOf(offer) ? TASKS[era] : {}),
  // A level can be set, whatever is said at it; where each request names its own, there is none to set.
  ...(era === "legacy" || offer.logs === true ? { logging: {} } : {})
})

const handlerOf = (offer: McpOffer, method: OfferedMethod): Handler | JsonObject | undefined =>
  offer.handlers[method] ?? (offers(offer, method.slice(0, method.indexOf("/") + 1)) ? EMPTY[method] : undefined)

/** Whether there is anybody to answer it. */
export const answers = (offer: McpOffer, method: string): boolean =>
  isOffered(method)
    ? handlerOf(offer, method) !== undefined
    : takesTasksOf(offer) && TASK_METHODS.some((one) => one === method)

const goneOf = ({ http, mcpReq }: ServerContext): AbortSignal =>
  http?.req === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, http.req.signal])

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

const declaredIn = ({ mcpReq }: ServerContext): unknown => {
  const envelope: unknown = mcpReq.envelope
  return isObject(envelope) ? envelope[CAPABILITIES] : undefined
}

const notifyOf =
  ({ read }: Desk, context: ServerContext): Notify =>
  async (method, params) => {
    await context.mcpReq.notify({ method, params: params as Record<string, unknown> })
    await read(context)
  }

const waiterOf = (desk: Desk, server: Server, context: ServerContext): Waiter => {
  const { mcpReq } = context
  const modern = desk.era === "modern"
  return {
    can: abilitiesOf(modern ? declaredIn(context) : server.getClientCapabilities()),
    gone: goneOf(context),
    progress: progressTo(context, notifyOf(desk, context)),
    log: undefined,
    asking: modern
      ? RETURNABLE.has(mcpReq.method)
        ? "return"
        : "never"
      : {
          push: (method, params, signal) =>
            // We have a deadline of our own: the SDK's comes after it.
            mcpReq.send({ method, params: { ...params } }, anything, { signal, timeout: LISTENER_ASK_MS * 2 })
        }
  }
}

/** A server whose client gets the same answer to everything: it is offered nothing. */
export const makeRefusing = (sdk: Sdk, why: RequestRefused): Server => {
  const server = new sdk.Server({ name: "mcp-live", version: VERSION }, { capabilities: {} })
  const refuse = () => Promise.reject(why)
  server.setRequestHandler("initialize", refuse)
  server.setRequestHandler("server/discover", refuse)
  server.fallbackRequestHandler = refuse
  return server
}

export const makeServer = (desk: Desk): Server => {
  const { calls, era, offer, sdk, subscriptions, tasks } = desk
  const server = new sdk.Server(
    { name: offer.name, title: offer.title, version: VERSION },
    {
      capabilities: capabilitiesOf(offer, era),
      ...(offer.instructions === undefined ? {} : { instructions: offer.instructions })
    }
  )

  let least: LogLevel = LISTENER_LOG_LEVEL
  // The SDK's own answers a level that there is not with a fault of ours, and what goes out after a request passes it by.
  server.removeRequestHandler("logging/setLevel")
  const setLevel = ({ level }: JsonObject): Result => {
    if (!isLogLevel(level)) throw invalidParams(`'level' must be one of ${LOG_LEVELS.join(", ")}`)
    least = level
    return {}
  }

  const subscribe = (method: string, params: JsonObject): Result => {
    const fault = uriFault(params)
    if (fault !== undefined) throw invalidParams(fault)
    const uri = String(params["uri"])
    if (method === "resources/unsubscribe") subscriptions.remove(uri)
    else if (!subscriptions.add(uri)) throw invalidParams("there are too many subscriptions")
    return {}
  }

  /** Who waits for the answer to a request, until that is answered. */
  const waiting = (context: ServerContext): { readonly waiter: Waiter; readonly answered: () => void } => {
    const waiter = waiterOf(desk, server, context)
    const away = new AbortController()
    const forget = desk.underWay?.(context.mcpReq.id, () => away.abort())
    if (forget === undefined) return { waiter, answered: () => {} }
    return { waiter: { ...waiter, gone: AbortSignal.any([waiter.gone, away.signal]) }, answered: forget }
  }

  const answer = async (method: OfferedMethod, params: JsonObject, context: ServerContext): Promise<JsonObject> => {
    const handler = handlerOf(offer, method)
    if (handler === undefined) throw methodNotFound()
    const fault = faultIn(method, params)
    if (fault !== undefined) throw invalidParams(fault)
    if (typeof handler !== "function") return handler
    let isAnswered = false
    const wanted = () => (era === "legacy" ? least : isAnswered ? undefined : leastIn(context))
    const log = (notify: Notify) => (offer.logs === true ? logTo(wanted, notify) : undefined)
    const { inputResponses } = context.mcpReq
    const state = era === "modern" ? context.mcpReq.requestState() : undefined
    const { task, ...rest } = params
    const request = { method, params: tasks === undefined ? params : rest, state, answers: inputResponses ?? {} }
    if (tasks !== undefined && method === "tools/call" && era === "legacy" && isObject(task)) {
      // The request is over when there is a task: what comes then is no part of it.
      return tasks.begin((before, id) => {
        const notify: Notify = (method, about) => server.notification({ method, params: related({ ...about }, id()) })
        const there = waiterOf(desk, server, context)
        const away = { ...there, gone: NEVER, progress: progressTo(context, notify), log: log(notify) }
        calls.answer(handler, request, away, before)
      }, task)
    }
    const { answered, waiter } = waiting(context)
    try {
      const answering = calls.answer(handler, request, { ...waiter, log: log(notifyOf(desk, context)) })
      const isTask =
        tasks !== undefined && method === "tools/call" && era === "modern" && takesTasks(declaredIn(context))
      return await (isTask ? tasks.orTask(answering) : answering.answer)
    } finally {
      isAnswered = true
      answered()
    }
  }

  server.fallbackRequestHandler = async ({ method, params = {} }: JSONRPCRequest, context) => {
    const given = params as JsonObject
    if (isOffered(method)) {
      const result = await answer(method, given, context)
      // Up to 2025-11-25 structured content is an object.
      return (method === "tools/call" ? server.projectCallToolResult(result as never, undefined) : result) as Result
    }
    if (method === "logging/setLevel") return setLevel(given)
    const subscribes = method === "resources/subscribe" || method === "resources/unsubscribe"
    if (subscribes && offers(offer, "resources/")) return subscribe(method, given)
    const ofTask = era === "legacy" && (await tasks?.legacy(method, given, () => waiting(context)))
    if (ofTask) return ofTask as Result
    throw methodNotFound()
  }
  if (era === "modern" && tasks !== undefined) {
    // Names that the SDK leaves to whoever says that they are meant.
    for (const method of TASK_METHODS) {
      server.setRequestHandler(method, { params: anyParams }, async (given, context) => {
        const { inputResponses } = context.mcpReq
        const params = { ...(given as JsonObject), ...(inputResponses === undefined ? {} : { inputResponses }) }
        return (await tasks.modern(method, params as JsonObject, declaredIn(context))) as Result
      })
    }
  }
  return server
}

/** The roots that a client names when it is asked; nothing when it does not answer. */
export const askForRoots = (server: Server): Promise<unknown> =>
  server.request({ method: "roots/list" }, anything, { timeout: LISTENER_ROOTS_MS })
