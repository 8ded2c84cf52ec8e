/**
 * Converts the input schema of a tool to what a model provider accepts. Providers refuse a whole request because of one
 * unknown keyword. So the result uses only keywords that the provider accepts; other meaning goes into descriptions, and no
 * tool is lost. See docs/schemas.md.
 *
 * Pure and total: for every JSON value it returns an object schema of at most `SCHEMA_MAX_BYTES`, in linear time. Its output
 * passes through it unchanged. Nothing is fetched.
 */
import { SCHEMA_MAX_BYTES, SCHEMA_SHORT_TEXT_CHARS } from "../defaults/Definitions.ts"
import type { Json, JsonObject } from "../data/Json.ts"
import { DIALECTS, type Dialect, type Provider } from "./normalizeSchema/Dialects.ts"
import { fold } from "./normalizeSchema/Fold.ts"
import { read } from "./normalizeSchema/Read.ts"
import { withNotes, type Schema } from "./normalizeSchema/Schema.ts"
import { relevant, settle } from "./normalizeSchema/Settle.ts"
import { described } from "./normalizeSchema/Words.ts"
import { write } from "./normalizeSchema/Write.ts"

export type { Provider }

/**
 * The input schema of a tool as `provider` accepts it. Meaning without a keyword goes into descriptions. Never throws: for
 * every value it returns an object schema.
 */
export const normalizeSchema = (schema: unknown, provider: Provider): JsonObject => {
  const root = asObject(settle(read(schema)))
  const dialect = DIALECTS[provider]
  for (const maxLevels of levels(dialect)) {
    const written = write(root, { ...dialect, maxLevels })
    if (fits(written)) return written
  }
  return shortened(write(root, { ...dialect, maxLevels: 1 }, SCHEMA_SHORT_TEXT_CHARS))
}

/** Arguments are an object, whatever else the schema says: no alternatives, no null, no other type. */
const asObject = (schema: Schema): Schema => {
  const isObject = schema.types === undefined || schema.types.includes("object")
  const { enum: _, ...root } = isObject ? fold(schema) : unusable(schema)
  return relevant({ ...root, types: ["object"] })
}

const unusable = ({ description, notes = [], title }: Schema): Schema =>
  withNotes({ title, description, notes }, ["The description of the parameters is unusable"])

/** All levels first, then fewer: a schema that is too large loses detail. */
const levels = ({ maxLevels }: Dialect): ReadonlyArray<number> => [
  maxLevels,
  ...[8, 6, 4, 3, 2, 1].filter((level) => level < maxLevels)
]

const sizeOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value))

const fits = (schema: JsonObject): boolean => sizeOf(schema) <= SCHEMA_MAX_BYTES

/** The properties that fit, required ones first. */
const shortened = (schema: JsonObject): JsonObject => {
  if (fits(schema)) return schema
  const properties = Object.entries((schema["properties"] ?? {}) as JsonObject) as ReadonlyArray<[string, Json]>
  const required = new Set((schema["required"] ?? []) as ReadonlyArray<string>)
  const inOrder = [
    ...properties.filter(([name]) => required.has(name)),
    ...properties.filter(([name]) => !required.has(name))
  ]
  let room = SCHEMA_MAX_BYTES - ROOM_FOR_THE_REST
  const kept = new Set(
    inOrder.flatMap(([name, property]) => {
      // The name counts twice, because it may also be in `required`.
      room -= 2 * sizeOf(name) + sizeOf(property) + 4
      return room < 0 ? [] : [name]
    })
  )
  const left = properties.length - kept.size
  const needed = [...required].filter((name) => kept.has(name))
  const description = described(schema["description"] as string | undefined, [
    `Parameters left out because there are too many: ${left}`
  ])
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(properties.filter(([name]) => kept.has(name))),
    ...(needed.length === 0 ? {} : { required: needed })
  }
}

const ROOM_FOR_THE_REST = 8 * 1024
