/**
 * Reduces a JSON Schema of a server to what clients may safely check: types and members. A malformed schema can make the
 * client's compiler fail, and a pattern can run for ever. So nothing remains that has to be run or looked up, and every
 * keyword has a valid form. Every value that fits the schema also fits the reduced one.
 */
import { isObject, type Json, type JsonObject } from "../../schemas/data/Json.ts"

const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "array", "object"])
const WORDS = ["title", "description"] as const

const isPlain = (value: unknown) => value === null || ["string", "number", "boolean"].includes(typeof value)

/** Members with a value. */
const members = (given: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject

const typeOf = (given: unknown): Json | undefined => {
  if (TYPES.has(given)) return given as string
  if (!Array.isArray(given)) return undefined
  const types = [...new Set(given)]
  return types.length > 0 && types.every((type) => TYPES.has(type)) ? (types as Array<string>) : undefined
}

const choicesOf = (given: unknown): Json | undefined =>
  Array.isArray(given) && given.length > 0 && given.every(isPlain) ? ([...new Set(given)] as Array<Json>) : undefined

const namesOf = (given: unknown): Json | undefined =>
  Array.isArray(given) && given.every((name) => typeof name === "string") ? [...new Set<string>(given)] : undefined

const allOf = (given: unknown): ReadonlyArray<Json> | undefined =>
  Array.isArray(given) && given.length > 0 ? given.map(looseSchema) : undefined

/** A schema that is only a boolean becomes one that allows everything. */
export const looseSchema = (schema: unknown): JsonObject => {
  if (!isObject(schema)) return {}
  const { enum: choices, items, properties, required, type } = schema
  const words = WORDS.flatMap((word) => (typeof schema[word] === "string" ? [[word, schema[word]] as const] : []))
  return members({
    ...Object.fromEntries(words),
    // OpenAPI's `nullable` allows null, which `type` alone would forbid.
    type: schema["nullable"] === true ? undefined : typeOf(type),
    enum: schema["nullable"] === true ? undefined : choicesOf(choices),
    properties: isObject(properties)
      ? Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, looseSchema(property)]))
      : undefined,
    required: namesOf(required),
    items: isObject(items) ? looseSchema(items) : undefined,
    // With `oneOf`, more alternatives may match after the reduction, so it becomes `anyOf`.
    anyOf: allOf(schema["anyOf"]) ?? allOf(schema["oneOf"]),
    allOf: allOf(schema["allOf"])
  })
}
