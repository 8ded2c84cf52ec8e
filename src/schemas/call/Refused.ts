/** Which model providers refuse an input schema as it is, by the rules that `normalizeSchema` rewrites it for. Pure. */
import { isObject, type JsonObject } from "../data/Json.ts"
import { DIALECTS, type Provider } from "./normalizeSchema/Dialects.ts"

export type { Provider }

const ROOT_ALTERNATIVES = ["anyOf", "oneOf", "allOf"]
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"]
/** Deeper ones are refused by all of them. */
const DEPTH_MAX = 32

interface Seen {
  depth: number
  reference: boolean
  /** An array without `items`. */
  bare: boolean
  readonly names: Array<string>
}

const members = (node: JsonObject): ReadonlyArray<unknown> => [
  ...["properties", "patternProperties", "$defs", "definitions"].flatMap((key) => {
    const inner = node[key]
    return isObject(inner) ? Object.values(inner) : []
  }),
  ...["anyOf", "oneOf", "allOf", "prefixItems", "items", "additionalProperties", "not"].flatMap((key) => {
    const inner = node[key]
    return Array.isArray(inner) ? inner : [inner]
  })
]

const look = (node: unknown, depth: number, seen: Seen): void => {
  if (!isObject(node) || depth > DEPTH_MAX) return
  const properties = node["properties"]
  const isContainer = isObject(node["items"]) || (isObject(properties) && Object.keys(properties).length > 0)
  const below = depth + (isContainer ? 1 : 0)
  seen.depth = Math.max(seen.depth, below)
  seen.reference ||= REFERENCES.some((key) => Object.hasOwn(node, key))
  seen.bare ||= node["type"] === "array" && node["items"] === undefined && node["prefixItems"] === undefined
  if (isObject(properties)) seen.names.push(...Object.keys(properties))
  for (const inner of members(node as JsonObject)) look(inner, below, seen)
}

/** The providers that refuse the schema, of those whose models most agents use. */
export const refusing = (schema: JsonObject): ReadonlyArray<Provider> => {
  const seen: Seen = { depth: 0, reference: false, bare: false, names: [] }
  look(schema, 0, seen)
  const hasAlternatives = ROOT_ALTERNATIVES.some((key) => Object.hasOwn(schema, key))
  const isNoObject = schema["type"] !== "object"
  return (["openai", "anthropic", "gemini"] as const).filter((provider) => {
    const { maxLevels, names } = DIALECTS[provider]
    return (
      hasAlternatives ||
      isNoObject ||
      seen.depth > maxLevels ||
      (names !== undefined && seen.names.some((name) => !names.test(name))) ||
      (provider === "openai" && seen.bare) ||
      (provider === "gemini" && (seen.reference || seen.bare))
    )
  })
}
