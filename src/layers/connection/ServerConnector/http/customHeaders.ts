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

/** One parameter with a custom header. */
interface CustomHeader {
  /** The full name of the header. */
  readonly header: string
  /** Names of properties, beginning in the arguments. */
  readonly path: ReadonlyArray<string>
}

// ---- schemas -------------------------------------------------------------------------------------------------------

/** Keywords besides `properties` with a schema or a list of schemas, and those with schemas by name. */
const SCHEMAS: ReadonlySet<string> = new Set(
  (
    "items prefixItems additionalItems contains additionalProperties unevaluatedProperties unevaluatedItems " +
    "propertyNames oneOf anyOf allOf not if then else"
  ).split(" ")
)
const NAMED: ReadonlySet<string> = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"])

/** All custom headers of a schema, or what is wrong with one of them. The schema keeps our bounds. */
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

  /** `path` is `undefined` if names of properties alone do not lead to the value. */
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

/** What a header can contain unencoded: visible ASCII, with blanks inside. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/
const [OPEN, CLOSE] = ["=?base64?", "?="]

const encode = (text: string): string =>
  PLAIN.test(text) && !(text.startsWith(OPEN) && text.endsWith(CLOSE))
    ? text
    : `${OPEN}${Buffer.from(text).toString("base64")}${CLOSE}`

/** `undefined` for values that have no custom header. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return encode(value)
  if (typeof value === "boolean") return String(value)
  return typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value))
    ? String(value)
    : undefined
}

// ---- standard headers ----------------------------------------------------------------------------------------------

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

/** The revision that a message names in its metadata. Only messages of 2026-07-28 do. */
const versionIn = ({ params }: OutgoingMessage): unknown => {
  const meta = params?.["_meta"]
  return isObject(meta) ? meta[VERSION_KEY] : undefined
}

export const isModern = (message: OutgoingMessage): boolean => versionIn(message) !== undefined

/** The parameter that the header `Mcp-Name` repeats, by method. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"]
])

/** The standard headers of a request of 2026-07-28; older requests have none. */
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

/** Knows the custom headers of each listed tool. */
export class CustomHeaders {
  readonly #tools = new Map<string, ReadonlyArray<CustomHeader>>()

  /** Decodes a listed tool. A tool with a forbidden annotation must not be used (Schema Extension). */
  readonly decode = (raw: unknown, quote: Quote = quoted): Decoded<ToolDefinition> => {
    const decoded = decodeTool(raw, quote)
    if (!decoded.ok) return decoded
    const { inputSchema, name } = decoded.value
    const annotated = customHeadersOf(inputSchema, quote)
    this.#tools.delete(name)
    if (typeof annotated === "string") {
      return { ok: false, reason: `tool ${quote(name)}: it has an ${ANNOTATION} ${annotated}` }
    }
    // As many as one list can contain; the last ones stay.
    if (annotated.length > 0) putNewest(this.#tools, name, annotated, LIST_MAX_ITEMS)
    return decoded
  }

  /** The headers of a `tools/call`, if its tool has any. */
  headersFor(params: Readonly<Record<string, unknown>> | undefined): Record<string, string> | undefined {
    const name = params?.["name"]
    const annotated = typeof name === "string" ? this.#tools.get(name) : undefined
    return annotated === undefined ? undefined : headersOf(annotated, params?.["arguments"])
  }
}
