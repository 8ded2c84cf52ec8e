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
import { isObject, type JsonObject } from "../../schemas/Json.ts"
import type { RequestRefused } from "../../schemas/ListenerError.ts"
import { LISTENER_ASK_MS, LISTENER_ROOTS_MS } from "../../schemas/Defaults.ts"
import { VERSION } from "../../schemas/Version.ts"
import type { Handler, McpOffer, OfferedMethod } from "../../services/McpListener.ts"
import type { Waiter } from "./Call.ts"
import type { Calls } from "./Calls.ts"
import type { SendProgress } from "./Reports.ts"
import { invalidParams, methodNotFound } from "./refusals.ts"
import { abilitiesOf, faultIn, isOffered, uriFault } from "./shapes.ts"
import type { Subscriptions } from "./Subscriptions.ts"

/** Loaded when somebody listens: a program that does not is spared it. */
export type Sdk = typeof import("@modelcontextprotocol/server")

export type Era = "legacy" | "modern"

export interface Desk {
  readonly sdk: Sdk
  readonly era: Era
  readonly offer: McpOffer
  readonly calls: Calls
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

export const capabilitiesOf = (offer: McpOffer, era: Era) => ({
  ...(offers(offer, "tools/") ? { tools: { listChanged: true } } : {}),
  ...(offers(offer, "resources/") ? { resources: { listChanged: true, subscribe: true } } : {}),
  ...(offers(offer, "prompts/") ? { prompts: { listChanged: true } } : {}),
  ...(offers(offer, "completion/") ? { completions: {} } : {}),
  // A level can be set: nothing is said at any.
  ...(era === "legacy" ? { logging: {} } : {})
})

const handlerOf = (offer: McpOffer, method: OfferedMethod): Handler | JsonObject | undefined =>
  offer.handlers[method] ?? (offers(offer, method.slice(0, method.indexOf("/") + 1)) ? EMPTY[method] : undefined)

const progressOf = ({ read }: Desk, context: ServerContext): SendProgress | undefined => {
  const { _meta, notify } = context.mcpReq
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  return async ({ message, progress, total }) => {
    await notify({
      method: "notifications/progress",
      params: {
        progressToken,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message })
      }
    })
    await read(context)
  }
}

const goneOf = ({ http, mcpReq }: ServerContext): AbortSignal =>
  http?.req === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, http.req.signal])

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

const waiterOf = (desk: Desk, server: Server, context: ServerContext): Waiter => {
  const { mcpReq } = context
  const envelope: unknown = mcpReq.envelope
  const modern = desk.era === "modern"
  const declared = modern ? (isObject(envelope) ? envelope[CAPABILITIES] : undefined) : server.getClientCapabilities()
  return {
    can: abilitiesOf(declared),
    gone: goneOf(context),
    progress: progressOf(desk, context),
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
  const { calls, era, offer, sdk, subscriptions } = desk
  const server = new sdk.Server(
    { name: offer.name, title: offer.title, version: VERSION },
    {
      capabilities: capabilitiesOf(offer, era),
      ...(offer.instructions === undefined ? {} : { instructions: offer.instructions })
    }
  )

  const subscribe = (method: string, params: JsonObject): Result => {
    const fault = uriFault(params)
    if (fault !== undefined) throw invalidParams(fault)
    const uri = String(params["uri"])
    if (method === "resources/unsubscribe") subscriptions.remove(uri)
    else if (!subscriptions.add(uri)) throw invalidParams("there are too many subscriptions")
    return {}
  }

  const answer = async (method: OfferedMethod, params: JsonObject, context: ServerContext): Promise<JsonObject> => {
    const handler = handlerOf(offer, method)
    if (handler === undefined) throw methodNotFound()
    const fault = faultIn(method, params)
    if (fault !== undefined) throw invalidParams(fault)
    if (typeof handler !== "function") return handler
    const waiter = waiterOf(desk, server, context)
    const { id, inputResponses } = context.mcpReq
    const state = era === "modern" ? context.mcpReq.requestState() : undefined
    const away = new AbortController()
    const forget = desk.underWay?.(id, () => away.abort())
    const request = { method, params, state, answers: inputResponses ?? {} }
    const both = forget === undefined ? waiter : { ...waiter, gone: AbortSignal.any([waiter.gone, away.signal]) }
    return calls.answer(handler, request, both).finally(forget)
  }

  server.fallbackRequestHandler = async ({ method, params = {} }: JSONRPCRequest, context) => {
    const given = params as JsonObject
    if (isOffered(method)) {
      const result = await answer(method, given, context)
      // Up to 2025-11-25 structured content is an object.
      return (method === "tools/call" ? server.projectCallToolResult(result as never, undefined) : result) as Result
    }
    const subscribes = method === "resources/subscribe" || method === "resources/unsubscribe"
    if (subscribes && offers(offer, "resources/")) return subscribe(method, given)
    throw methodNotFound()
  }
  return server
}

/** The roots that a client names when it is asked; nothing when it does not answer. */
export const askForRoots = (server: Server): Promise<unknown> =>
  server.request({ method: "roots/list" }, anything, { timeout: LISTENER_ROOTS_MS })
