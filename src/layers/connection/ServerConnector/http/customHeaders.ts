/**
 * HTTP headers that repeat what a message says, so that proxies can route by them (2026-07-28, Streamable HTTP › Standard Request
 * Headers, Custom Headers from Tool Parameters). A tool asks for custom headers in its input schema; a tool that does so in a
 * forbidden way is refused.
 */
import {
  decodeTool,
  quoted,
  type Decoded,
  type Quote,
  type ToolDefinition
} from "../../../../schemas/connection/Catalogue.ts"
import { LIST_MAX_ITEMS } from "../../../../schemas/defaults/Definitions.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { OutgoingMessage } from "../rpc/Link.ts"
import { putNewest } from "../../../../schemas/data/Newest.ts"

const ANNOTATION = "x-mcp-header"
/** RFC 9110, 5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const MIRRORED_TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"])

/** One parameter that is mirrored. */
interface CustomHeader {
  /** The whole name of its header. */
  readonly header: string
  /** Names of properties, from the arguments on. */
  readonly path: ReadonlyArray<string>
}

// ---- schemas -------------------------------------------------------------------------------------------------------

/** Keywords other than `properties` that hold a schema or a list of them, and those that hold schemas by name. */
const SCHEMAS: ReadonlySet<string> = new Set(
  (
    "items prefixItems additionalItems contains additionalProperties unevaluatedProperties unevaluatedItems " +
    "propertyNames oneOf anyOf allOf not if then else"
  ).split(" ")
)
const NAMED: ReadonlySet<string> = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"])

/** Every mirrored parameter of a schema, or what is wrong with one of them. The schema is within the bounds of ours. */
export const customHeadersOf = (schema: JsonObject, quote: Quote = quoted): ReadonlyArray<CustomHeader> | string => {
  const found: Array<CustomHeader> = []
  const taken = new Set<string>()

  const annotated = (name: unknown, type: unknown, path: ReadonlyArray<string> | undefined): string | undefined => {
    if (path === undefined || path.length === 0) return "on something else than a property reached by properties alone"
    if (typeof name !== "string" || !TOKEN.test(name)) return "that is no name of a header"
    if (!MIRRORED_TYPES.has(type)) return "on a property that is no string, integer or boolean"
    if (taken.has(name.toLowerCase())) return `that names ${quote(name)} a second time`
    taken.add(name.toLowerCase())
    found.push({ header: `Mcp-Param-${name}`, path })
    return undefined
  }

  /** `path` is `undefined` where a value cannot be reached by names of properties alone. */
  const visit = (node: unknown, path: ReadonlyArray<string> | undefined): string | undefined => {
    if (Array.isArray(node)) return firstProblem(node, (item) => visit(item, undefined))
    if (!isObject(node)) return undefined
    const problem = Object.hasOwn(node, ANNOTATION) ? annotated(node[ANNOTATION], node["type"], path) : undefined
    if (problem !== undefined) return problem
    return firstProblem(Object.entries(node), ([key, child]) => {
      if (key === "properties" && isObject(child)) {
        return firstProblem(Object.entries(child), ([name, property]) =>
          visit(property, path === undefined ? undefined : [...path, name])
        )
      }
      if (NAMED.has(key) && isObject(child))
        return firstProblem(Object.values(child), (value) => visit(value, undefined))
      return SCHEMAS.has(key) ? visit(child, undefined) : undefined
    })
  }

  return visit(schema, []) ?? found
}

const firstProblem = <A>(items: ReadonlyArray<A>, problemOf: (item: A) => string | undefined): string | undefined => {
  for (const item of items) {
    const problem = problemOf(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

// ---- values --------------------------------------------------------------------------------------------------------

/** What a header can carry as it is: visible ASCII, and blanks within. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/
const [OPEN, CLOSE] = ["=?base64?", "?="]

const encode = (text: string): string =>
  PLAIN.test(text) && !(text.startsWith(OPEN) && text.endsWith(CLOSE))
    ? text
    : `${OPEN}${Buffer.from(text).toString("base64")}${CLOSE}`

/** `undefined` for what is not mirrored: nothing, and what is no value of a mirrored type. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return encode(value)
  if (typeof value === "boolean") return String(value)
  return typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value))
    ? String(value)
    : undefined
}

// ---- standard headers ----------------------------------------------------------------------------------------------

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

/** The revision that a message names by itself, without a handshake or a session: one of 2026-07-28 does. */
const versionIn = ({ params }: OutgoingMessage): unknown => {
  const meta = params?.["_meta"]
  return isObject(meta) ? meta[VERSION_KEY] : undefined
}

export const isModern = (message: OutgoingMessage): boolean => versionIn(message) !== undefined

/** The parameter that the name in the headers repeats, by method. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"]
])

/** Of a request of 2026-07-28; older ones have none. */
export const standardHeaders = (message: OutgoingMessage): Record<string, string> => {
  const version = versionIn(message)
  const { id, method, params } = message
  if (typeof version !== "string" || id === undefined || method === undefined) return {}
  const name = params?.[NAMES.get(method) ?? ""]
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": encode(name) } : undefined)
  }
}

// ---- custom headers ------------------------------------------------------------------------------------------------

const valueAt = (root: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce((node, name) => (isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined), root)

const headersOf = (annotated: ReadonlyArray<CustomHeader>, args: unknown): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const { header, path } of annotated) {
    const text = textOf(valueAt(args, path))
    if (text !== undefined) headers[header] = text
  }
  return headers
}

// ---- the tools of a connection -------------------------------------------------------------------------------------

/** Knows the mirrored parameters of each tool that was listed. */
export class CustomHeaders {
  readonly #tools = new Map<string, ReadonlyArray<CustomHeader>>()

  /** Decodes a listed tool; one that is annotated in a forbidden way must not be used (Schema Extension). */
  readonly decode = (raw: unknown, quote: Quote = quoted): Decoded<ToolDefinition> => {
    const decoded = decodeTool(raw, quote)
    if (!decoded.ok) return decoded
    const { inputSchema, name } = decoded.value
    const annotated = customHeadersOf(inputSchema, quote)
    this.#tools.delete(name)
    if (typeof annotated === "string") {
      return { ok: false, reason: `tool ${quote(name)}: it has an ${ANNOTATION} ${annotated}` }
    }
    // No more than one list can hold; what was listed last stays.
    if (annotated.length > 0) putNewest(this.#tools, name, annotated, LIST_MAX_ITEMS)
    return decoded
  }

  /** The headers of a `tools/call`, when its tool has any. */
  headersFor(params: Readonly<Record<string, unknown>> | undefined): Record<string, string> | undefined {
    const name = params?.["name"]
    const annotated = typeof name === "string" ? this.#tools.get(name) : undefined
    return annotated === undefined ? undefined : headersOf(annotated, params?.["arguments"])
  }
}
