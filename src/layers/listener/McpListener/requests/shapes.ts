/** Whether a client's parameters have the shape that the protocol requires. The rest is for the handler to check. */
import {
  LISTENER_ARGUMENTS_MAX,
  LISTENER_GREETING_MAX_BYTES,
  LISTENER_ID_MAX_CHARS,
  LISTENER_META_NAMES_MAX,
  LISTENER_SUBSCRIPTIONS_MAX,
  LISTENER_URI_MAX_CHARS
} from "../../../../schemas/defaults/Listener.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import { weightOf } from "../../../../schemas/connection/Weight.ts"
import { INVALID_REQUEST } from "./refusals.ts"
import type { ClientAbilities, OfferedMethod } from "../../../../services/listener/McpListener.ts"

type Fault = string | undefined

/** Ids and progress tokens are repeated in every message about their request. */
const isShort = (name: unknown): boolean => typeof name !== "string" || name.length <= LISTENER_ID_MAX_CHARS

/** The id of a message, if it is a request. */
export const idOf = (message: unknown): string | number | null => {
  if (!isObject(message) || typeof message["method"] !== "string") return null
  const { id } = message
  return (typeof id === "string" || typeof id === "number") && isShort(id) ? id : null
}

const isFailure = (error: unknown): boolean =>
  isObject(error) && Number.isSafeInteger(error["code"]) && typeof error["message"] === "string"

/** Replaces a malformed answer to a question: the SDK would drop it, and whoever asked would wait forever. */
const refusalIn = (message: unknown): unknown => {
  if (!isObject(message) || Object.hasOwn(message, "method")) return message
  const { error, id, jsonrpc, result } = message
  const isAnswer = Object.hasOwn(message, "result") || Object.hasOwn(message, "error")
  if (!isAnswer || (typeof id !== "string" && typeof id !== "number")) return message
  const isWhole = jsonrpc === "2.0" && (error === undefined ? isObject(result) : isFailure(error))
  return isWhole ? message : { jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: "The answer is none" } }
}

/** What a client has sent, with a refusal in place of each malformed answer. */
export const withRefusals = (body: unknown): unknown => (Array.isArray(body) ? body.map(refusalIn) : refusalIn(body))

/** The id of the request that a client cancels. */
export const cancelledIn = (body: unknown): string | number | undefined => {
  if (!isObject(body) || body["method"] !== "notifications/cancelled" || !isObject(body["params"])) return undefined
  const { requestId } = body["params"]
  return typeof requestId === "string" || typeof requestId === "number" ? requestId : undefined
}

const text = (params: JsonObject, key: string): Fault =>
  typeof params[key] === "string" ? undefined : `'${key}' must be a string`

const optional = (value: unknown, holds: (value: unknown) => boolean, fault: string): Fault =>
  value === undefined || holds(value) ? undefined : fault

const isText = (value: unknown): value is string => typeof value === "string"

const isTexts = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText)

const list = ({ cursor }: JsonObject): Fault => optional(cursor, isText, "'cursor' must be a string")

export const uriFault = (params: JsonObject): Fault => {
  const { uri } = params
  if (!isText(uri)) return "'uri' must be a string"
  return uri.length <= LISTENER_URI_MAX_CHARS ? undefined : "'uri' is too long"
}

export const isListening = (message: unknown): message is Record<string, unknown> =>
  isObject(message) && message["method"] === "subscriptions/listen"

/** Whether an object has more than so many names. */
const hasMore = (value: unknown, max: number): boolean => {
  if (!isObject(value)) return false
  let names = 0
  for (const _ in value) if (++names > max) return true
  return false
}

/** What is too large in a message. The SDK checks types, but not sizes. */
export const sizeFault = (message: unknown): Fault => {
  if (!isObject(message)) return undefined
  if (!isShort(message["id"])) return `an 'id' may have ${LISTENER_ID_MAX_CHARS} characters`
  if (!isShort(message["method"])) return `a 'method' may have ${LISTENER_ID_MAX_CHARS} characters`
  const params = isObject(message["params"]) ? message["params"] : undefined
  if (message["method"] === "initialize" && weightOf(params) > LISTENER_GREETING_MAX_BYTES) {
    return `an 'initialize' may take ${LISTENER_GREETING_MAX_BYTES} bytes of memory`
  }
  const meta = isObject(params?.["_meta"]) ? params["_meta"] : undefined
  if (hasMore(meta, LISTENER_META_NAMES_MAX)) return `a '_meta' may have ${LISTENER_META_NAMES_MAX} names`
  if (hasMore(params?.["arguments"], LISTENER_ARGUMENTS_MAX))
    return `a call may have ${LISTENER_ARGUMENTS_MAX} arguments`
  return isShort(meta?.["progressToken"])
    ? listenFault(message)
    : `a 'progressToken' may have ${LISTENER_ID_MAX_CHARS} characters`
}

/** The same for `subscriptions/listen` (2026-07-28). */
const listenFault = (message: unknown): Fault => {
  const params = isListening(message) && isObject(message["params"]) ? message["params"] : undefined
  const filter = isObject(params?.["notifications"]) ? params["notifications"] : undefined
  const uris = filter?.["resourceSubscriptions"]
  if (!Array.isArray(uris)) return undefined
  if (uris.length > LISTENER_SUBSCRIPTIONS_MAX) return "there are too many resources"
  return uris.some((uri) => isText(uri) && uri.length > LISTENER_URI_MAX_CHARS) ? "a URI is too long" : undefined
}

const completion = ({ argument, context, ref }: JsonObject): Fault => {
  if (!isObject(ref)) return "'ref' must be an object"
  const isPrompt = ref["type"] === "ref/prompt" && isText(ref["name"])
  const isResource = ref["type"] === "ref/resource" && isText(ref["uri"])
  if (!isPrompt && !isResource) return "'ref' must name a prompt or a resource"
  if (!isObject(argument) || !isText(argument["name"]) || !isText(argument["value"])) {
    return "'argument' must have a name and a value"
  }
  const holds = (value: unknown) => isObject(value) && (value["arguments"] === undefined || isTexts(value["arguments"]))
  return optional(context, holds, "'context' must hold arguments that are strings")
}

const FAULTS: Record<OfferedMethod, (params: JsonObject) => Fault> = {
  "tools/list": list,
  "tools/call": (params) =>
    text(params, "name") ?? optional(params["arguments"], isObject, "'arguments' must be an object"),
  "resources/list": list,
  "resources/templates/list": list,
  "resources/read": uriFault,
  "prompts/list": list,
  "prompts/get": (params) =>
    text(params, "name") ?? optional(params["arguments"], isTexts, "'arguments' must be strings"),
  "completion/complete": completion
}

export const isOffered = (method: string): method is OfferedMethod => Object.hasOwn(FAULTS, method)

/** What is wrong with them, in our own words. */
export const faultIn = (method: OfferedMethod, params: JsonObject): Fault => FAULTS[method](params)

/** As the client declares them. Before `form` and `url` had names, elicitation was by form. */
export const abilitiesOf = (capabilities: unknown): ClientAbilities => {
  const declared = isObject(capabilities) ? capabilities : {}
  const { elicitation, roots, sampling } = declared
  const modes = isObject(elicitation) ? elicitation : undefined
  const url = isObject(modes?.["url"])
  return {
    elicitation: { form: modes !== undefined && (isObject(modes["form"]) || !url), url },
    sampling: isObject(sampling),
    roots: isObject(roots)
  }
}
