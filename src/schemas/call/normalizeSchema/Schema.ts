/**
 * A schema inside the normalizer: one spelling of every keyword, references replaced, values checked. Other keywords become
 * sentences in `notes`. An empty schema allows anything.
 */
import type { Json } from "../../data/Json.ts"

export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null"

/** Keywords with one number as value, and the type that they apply to. */
export const BOUNDS = {
  minimum: "number",
  exclusiveMinimum: "number",
  maximum: "number",
  exclusiveMaximum: "number",
  multipleOf: "number",
  minLength: "string",
  maxLength: "string",
  minItems: "array",
  maxItems: "array",
  minProperties: "object",
  maxProperties: "object"
} as const

export type Bound = keyof typeof BOUNDS
export const BOUND_NAMES = Object.keys(BOUNDS) as ReadonlyArray<Bound>

export interface Schema {
  readonly types?: ReadonlyArray<TypeName> | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly notes?: ReadonlyArray<string> | undefined
  /** Also holds `const`, as the only choice. */
  readonly enum?: ReadonlyArray<Json> | undefined
  readonly default?: Json | undefined
  readonly examples?: ReadonlyArray<Json> | undefined
  readonly format?: string | undefined
  readonly pattern?: string | undefined
  readonly bounds?: Readonly<Partial<Record<Bound, number>>> | undefined
  readonly uniqueItems?: true | undefined
  readonly prefixItems?: ReadonlyArray<Schema> | undefined
  readonly items?: Schema | undefined
  readonly properties?: ReadonlyMap<string, Schema> | undefined
  /** May contain names that are not in `properties`. */
  readonly required?: ReadonlyArray<string> | undefined
  /** Properties in addition to the named ones: none, or with this schema; any when absent. */
  readonly additional?: false | Schema | undefined
  readonly anyOf?: ReadonlyArray<Schema> | undefined
}

export const ANYTHING: Schema = {}

/** Keywords that describe without restricting. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "notes", "default", "examples"])

/** The keywords that restrict a value. */
export const restrictions = (schema: Schema): ReadonlyArray<string> =>
  Object.keys(schema).filter((key) => !ANNOTATIONS.has(key) && schema[key as keyof Schema] !== undefined)

export const isAnything = (schema: Schema): boolean => restrictions(schema).length === 0

export const isNull = ({ types }: Schema): boolean => types?.length === 1 && types[0] === "null"

/** Whether it contains schemas, apart from alternatives. */
export const hasInside = ({ additional, items, prefixItems, properties, required }: Schema): boolean =>
  [additional, items, prefixItems, properties, required].some((part) => part !== undefined)

/** Nobody reads more sentences than this. */
const MAX_NOTES = 12

export const distinctNotes = (some: ReadonlyArray<string>, more: ReadonlyArray<string>): ReadonlyArray<string> =>
  some.length >= MAX_NOTES ? some : [...new Set([...some, ...more])].slice(0, MAX_NOTES)

export const withNotes = (schema: Schema, notes: ReadonlyArray<string>): Schema =>
  notes.length === 0 ? schema : { ...schema, notes: distinctNotes(schema.notes ?? [], notes) }

const NULL: Schema = { types: ["null"] }

/** The same schema, also allowing null. */
export const nullable = (schema: Schema): Schema => {
  if (isAnything(schema)) return schema
  const { anyOf, enum: choices, types } = schema
  if (choices !== undefined) {
    return {
      ...schema,
      types: types === undefined || types.includes("null") ? types : [...types, "null"],
      enum: choices.includes(null) ? choices : [...choices, null]
    }
  }
  const orNull = types === undefined || types.includes("null") ? types : [...types, "null" as const]
  return { ...schema, types: orNull, anyOf: anyOf === undefined ? undefined : [...anyOf, NULL] }
}
