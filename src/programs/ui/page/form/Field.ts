/**
 * What a form shows for a JSON Schema: one field for each value. The schema is read as for model providers: references are
 * replaced, `allOf` is merged, and nesting ends. Pure.
 */
import type { Json } from "../../../../schemas/data/Json.ts"
import { memoOf } from "../../../../schemas/data/Memo.ts"
import { merge } from "../../../../schemas/call/normalizeSchema/Merge.ts"
import { read } from "../../../../schemas/call/normalizeSchema/Read.ts"
import { isNull, type Bound, type Schema, type TypeName } from "../../../../schemas/call/normalizeSchema/Schema.ts"
import { settle } from "../../../../schemas/call/normalizeSchema/Settle.ts"
import { sketch } from "../../../../schemas/call/normalizeSchema/Sketch.ts"

/** What is said about a value, whatever its type. Every text is the server's own, cleaned. */
export interface Said {
  readonly title: string | undefined
  readonly about: string | undefined
  /** What the schema requires beyond what a field can show. */
  readonly notes: ReadonlyArray<string>
  /** In a few words. */
  readonly type: string
  /** What the server takes when the value is left out. */
  readonly default: Json | undefined
  readonly isNullable: boolean
  readonly bounds: Readonly<Partial<Record<Bound, number>>>
}

export interface Member {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

export type Field = Said &
  (
    | {
        readonly kind: "text"
        readonly format: string | undefined
        readonly pattern: string | undefined
        readonly examples: ReadonlyArray<Json>
      }
    | { readonly kind: "number"; readonly isInteger: boolean }
    | { readonly kind: "flag" }
    /** One of some values. */
    | { readonly kind: "choice"; readonly choices: ReadonlyArray<Json> }
    /** A list of some of these values. */
    | { readonly kind: "choices"; readonly choices: ReadonlyArray<Json> }
    /** `others`: the schema of members with other names, or `false` if there may be none. */
    | { readonly kind: "object"; readonly members: ReadonlyArray<Member>; readonly others: Schema | false }
    /** `first`: the schemas of the first items; `items`: of the rest, or `false` if there are no more. */
    | {
        readonly kind: "list"
        readonly first: ReadonlyArray<Schema>
        readonly items: Schema | false
        readonly isUnique: boolean
      }
    | { readonly kind: "options"; readonly options: ReadonlyArray<Schema> }
    /** A value that has no form: JSON by hand. */
    | { readonly kind: "json" }
  )

export type FieldOf<Kind extends Field["kind"]> = Extract<Field, { readonly kind: Kind }>

/** The schema of a tool's arguments, ready for `fieldOf`. */
export const schemaOf = memoOf((parameters: object): Schema => settle(read(parameters)))

/** A list of checkboxes is of use up to here. */
const CHECKBOXES_MAX = 24

const said = (schema: Schema): Said => ({
  title: schema.title,
  about: schema.description,
  notes: schema.notes ?? [],
  type: sketch(schema),
  default: schema.default,
  isNullable: schema.types?.includes("null") === true || schema.anyOf?.some(isNull) === true,
  bounds: schema.bounds ?? {}
})

const withType = (schema: Schema, type: TypeName): Schema => settle({ ...schema, types: [type], default: undefined })

/** Each alternative with what is said beside all of them. */
const alternativesOf = (schema: Schema): ReadonlyArray<Schema> => {
  const { anyOf = [], default: _, description: __, notes: ___, title: ____, types, ...shared } = schema
  const isObject = types?.length === 1 && types[0] === "object"
  return anyOf
    .filter((branch) => !isNull(branch))
    .map((branch) => settle(merge(branch, isObject ? { ...shared, types } : shared)))
}

const objectOf = (schema: Schema): Field => {
  const { additional, properties = new Map<string, Schema>(), required = [] } = schema
  const missing = required.filter((name) => !properties.has(name))
  const others = additional ?? {}
  if (properties.size === 0 && missing.length === 0 && additional === undefined)
    return { ...said(schema), kind: "json" }
  const members = [
    ...[...properties].map(([name, member]) => ({ name, schema: member, isRequired: required.includes(name) })),
    ...missing.map((name) => ({ name, schema: others === false ? {} : others, isRequired: true }))
  ]
  return {
    ...said(schema),
    kind: "object",
    members: members.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired)),
    others
  }
}

const listOf = (schema: Schema): Field => {
  const { bounds, items, prefixItems = [], uniqueItems } = schema
  const isFull = prefixItems.length > 0 && bounds?.maxItems !== undefined && bounds.maxItems <= prefixItems.length
  const choices = prefixItems.length === 0 ? items?.enum : undefined
  if (choices !== undefined && choices.length <= CHECKBOXES_MAX) return { ...said(schema), kind: "choices", choices }
  return {
    ...said(schema),
    kind: "list",
    first: prefixItems,
    items: isFull ? false : (items ?? {}),
    isUnique: uniqueItems === true
  }
}

const made = (schema: Schema): Field => {
  const about = said(schema)
  const types = (schema.types ?? []).filter((type) => type !== "null")
  if (schema.enum !== undefined) {
    return { ...about, kind: "choice", choices: schema.enum.filter((choice) => choice !== null || types.length === 0) }
  }
  if (schema.anyOf !== undefined) {
    const options = alternativesOf(schema)
    return options.length === 0 ? { ...about, kind: "json" } : { ...about, kind: "options", options }
  }
  const [type, ...more] = types
  if (more.length > 0) {
    return { ...about, kind: "options", options: types.map((one) => withType({ ...schema, notes: [] }, one)) }
  }
  switch (type) {
    case "string":
      return {
        ...about,
        kind: "text",
        format: schema.format,
        pattern: schema.pattern,
        examples: schema.examples ?? []
      }
    case "number":
    case "integer":
      return { ...about, kind: "number", isInteger: type === "integer" }
    case "boolean":
      return { ...about, kind: "flag" }
    case "object":
      return objectOf(schema)
    case "array":
      return listOf(schema)
    default:
      return { ...about, kind: "json" }
  }
}

/** The field of one value; those of the values in it are made when they are shown. */
export const fieldOf: (schema: Schema) => Field = memoOf(made)

/** Arguments are an object, also without a single argument. */
export const rootFieldOf = memoOf((parameters: object): Field => {
  const field = fieldOf(schemaOf(parameters))
  const isEmpty = field.kind === "json" && schemaOf(parameters).types?.includes("object") === true
  return isEmpty ? { ...field, kind: "object", members: [], others: schemaOf(parameters).additional ?? {} } : field
})

/** What distinguishes an alternative: its title, its constant members, or its type. */
export const labelOf = (schema: Schema): string => {
  if (schema.title !== undefined) return schema.title
  const constants = [...(schema.properties ?? [])].flatMap(([name, { enum: choices }]) =>
    choices?.length === 1 ? [`${name}: ${String(choices[0])}`] : []
  )
  return constants.length > 0 ? constants.join(", ") : sketch(schema, LABEL_MAX_CHARS)
}
const LABEL_MAX_CHARS = 60
