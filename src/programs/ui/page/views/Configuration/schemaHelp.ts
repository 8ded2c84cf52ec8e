/** What the JSON Schema of the configuration says about a place in it: what belongs there, in words, and the keys that could be added. */
import type { KeyPath } from "../../../../../schemas/config/KeyPath.ts"

interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface KeyHelp {
  readonly name: string
  readonly type: string
  readonly about: string
}

export interface Help {
  /** Whether the schema knows the place. */
  readonly isKnown: boolean
  readonly about: string
  readonly type: string
  /** The only values, as they are written. */
  readonly allowed: ReadonlyArray<string>
  /** What counts without the key, as it is written. */
  readonly fallback: string | undefined
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): ReadonlyArray<JsonSchema> => (Array.isArray(value) ? value.filter(isSchema) : [])

const own = (value: unknown, key: string): JsonSchema | undefined => {
  const found: unknown = isSchema(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return isSchema(found) ? found : undefined
}

/** Definitions do not name themselves; a schema that does ends here all the same. */
const REFERENCES_MAX = 8

const resolved = (root: JsonSchema, schema: JsonSchema, left = REFERENCES_MAX): JsonSchema => {
  const name = /^#\/definitions\/(.+)$/.exec(String(schema["$ref"] ?? ""))?.[1]
  const target = name === undefined ? undefined : own(root["definitions"], name)
  if (target === undefined || left === 0) return schema
  const { $ref: _, ...beside } = schema
  return { ...resolved(root, target, left - 1), ...beside }
}

/** A schema and what it may be instead, each resolved. */
const alternatives = (root: JsonSchema, schema: JsonSchema): ReadonlyArray<JsonSchema> => {
  const one = resolved(root, schema)
  return [
    one,
    ...["anyOf", "oneOf", "allOf"].flatMap((word) => listOf(one[word]).flatMap((each) => alternatives(root, each)))
  ]
}

const childOf = (root: JsonSchema, schema: JsonSchema, key: string | number): JsonSchema | undefined => {
  for (const each of alternatives(root, schema)) {
    const child =
      typeof key === "number" ? own(each, "items") : (own(each["properties"], key) ?? own(each, "additionalProperties"))
    if (child !== undefined) return child
  }
  return undefined
}

const schemaAt = (root: JsonSchema, path: KeyPath): JsonSchema | undefined => {
  let schema: JsonSchema | undefined = root
  for (const key of path) {
    schema = schema && childOf(root, schema, key)
    if (schema === undefined) return undefined
  }
  return schema
}

const typesOf = (root: JsonSchema, schema: JsonSchema): ReadonlyArray<string> => [
  ...new Set(
    alternatives(root, schema).flatMap((each) => {
      const { items, type } = each
      if (type === "array" && isSchema(items)) return [`list of ${typesOf(root, items).join(" or ") || "values"}`]
      return Array.isArray(type) ? type.map(String) : typeof type === "string" ? [type] : []
    })
  )
]

const allowedOf = (root: JsonSchema, schema: JsonSchema): ReadonlyArray<string> => {
  const all = alternatives(root, schema)
  const values = all.flatMap((each) => [
    ...(Array.isArray(each["enum"]) ? each["enum"] : []),
    ...("const" in each ? [each["const"]] : [])
  ])
  return [...new Set(values.map((value) => JSON.stringify(value)))]
}

const boundsOf = (schema: JsonSchema): string => {
  const { exclusiveMinimum, maximum, minimum } = schema
  return [
    typeof minimum === "number" ? `at least ${minimum}` : undefined,
    typeof exclusiveMinimum === "number" ? `more than ${exclusiveMinimum}` : undefined,
    typeof maximum === "number" ? `at most ${maximum}` : undefined
  ]
    .filter((each) => each !== undefined)
    .join(", ")
}

const typeWords = (root: JsonSchema, schema: JsonSchema): string => {
  const types = typesOf(root, schema).join(" or ")
  const bounds = boundsOf(resolved(root, schema))
  return bounds === "" ? types : `${types}, ${bounds}`
}

const aboutOf = (root: JsonSchema, schema: JsonSchema): string => {
  const { description } = resolved(root, schema)
  return typeof description === "string" ? description : ""
}

const UNKNOWN: Help = { isKnown: false, about: "", type: "", allowed: [], fallback: undefined }

export const helpAt = (schema: unknown, path: KeyPath): Help => {
  const found = isSchema(schema) ? schemaAt(schema, path) : undefined
  if (!isSchema(schema) || found === undefined) return UNKNOWN
  const fallback: unknown = resolved(schema, found)["default"]
  return {
    isKnown: true,
    about: aboutOf(schema, found),
    type: typeWords(schema, found),
    allowed: allowedOf(schema, found),
    fallback: fallback === undefined ? undefined : JSON.stringify(fallback)
  }
}

/** Another name for a key, a key of another program, and one that is refused, are understood but not offered. */
const isOffered = (root: JsonSchema, schema: JsonSchema): boolean => {
  const { description, not } = resolved(root, schema)
  const isAlias = typeof description === "string" && description.startsWith("see `")
  return not === undefined && !isAlias && typesOf(root, schema).length > 0
}

/** The keys that an object can have and does not have yet. */
export const keysAt = (schema: unknown, path: KeyPath, present: ReadonlyArray<string>): ReadonlyArray<KeyHelp> => {
  const found = isSchema(schema) ? schemaAt(schema, path) : undefined
  if (!isSchema(schema) || found === undefined) return []
  const keys = new Map<string, KeyHelp>()
  for (const { properties } of alternatives(schema, found)) {
    for (const [name, child] of Object.entries(isSchema(properties) ? properties : {})) {
      if (present.includes(name) || keys.has(name) || !isSchema(child) || !isOffered(schema, child)) continue
      keys.set(name, { name, type: typeWords(schema, child), about: aboutOf(schema, child) })
    }
  }
  return [...keys.values()]
}
