/**
 * Merges two schemas that both apply: `allOf`, and a `$ref` with siblings. Where they contradict each other, so that no value
 * would be left, the first one counts. What cannot be merged becomes a sentence.
 */
import { SCHEMA_TEXT_MAX_CHARS } from "../../defaults/Definitions.ts"
import type { Json } from "../../data/Json.ts"
import { BOUND_NAMES, distinctNotes, withNotes, type Bound, type Schema, type TypeName } from "./Schema.ts"
import { alternatives } from "./Sketch.ts"
import { cut, note } from "./Text.ts"

/** Merges all by halves, so that a list of thousands is not copied thousands of times. */
export const mergeAll = (schemas: ReadonlyArray<Schema>): Schema => {
  if (schemas.length <= 1) return schemas[0] ?? {}
  const half = schemas.length >> 1
  return merge(mergeAll(schemas.slice(0, half)), mergeAll(schemas.slice(half)))
}

export const merge = (a: Schema, b: Schema): Schema => {
  const notes: Array<string> = []
  if (a.pattern !== undefined && b.pattern !== undefined && a.pattern !== b.pattern) {
    notes.push(note(`Matches: ${b.pattern}`))
  }
  if (a.anyOf !== undefined && b.anyOf !== undefined) {
    notes.push(note(`Also one of: ${alternatives(b.anyOf)}`))
  }
  const merged: Schema = {
    types: both(a.types, b.types, commonTypes),
    title: a.title ?? b.title,
    description: both(a.description, b.description, joined),
    notes: both(a.notes, b.notes, distinctNotes),
    enum: both(a.enum, b.enum, commonChoices),
    default: a.default ?? b.default,
    examples: a.examples ?? b.examples,
    format: a.format ?? b.format,
    pattern: a.pattern ?? b.pattern,
    bounds: both(a.bounds, b.bounds, tightest),
    uniqueItems: a.uniqueItems ?? b.uniqueItems,
    prefixItems: prefixOf(a, b),
    items: both(a.items, b.items, merge),
    properties: both(a.properties, b.properties, mergeProperties),
    required: both(a.required, b.required, (some, more) => [...new Set([...some, ...more])]),
    additional: additionalOf(a, b),
    anyOf: a.anyOf ?? b.anyOf
  }
  return withNotes(merged, notes)
}

const both = <A>(a: A | undefined, b: A | undefined, join: (a: A, b: A) => A): A | undefined =>
  a === undefined ? b : b === undefined ? a : join(a, b)

const joined = (one: string, other: string) =>
  one.includes(other) ? one : cut(`${one}\n${other}`, SCHEMA_TEXT_MAX_CHARS)

const includes = (types: ReadonlyArray<TypeName>, type: TypeName): boolean =>
  types.includes(type) || (type === "integer" && types.includes("number"))

const intersection = (a: ReadonlyArray<TypeName>, b: ReadonlyArray<TypeName>): ReadonlyArray<TypeName> => [
  ...new Set([...a.filter((type) => includes(b, type)), ...b.filter((type) => includes(a, type))])
]

export const haveCommon = (a: ReadonlyArray<TypeName>, b: ReadonlyArray<TypeName>): boolean =>
  intersection(a, b).length > 0

export const commonTypes = (a: ReadonlyArray<TypeName>, b: ReadonlyArray<TypeName>): ReadonlyArray<TypeName> => {
  const common = intersection(a, b)
  return common.length === 0 ? a : common.filter((type) => type !== "integer" || !common.includes("number"))
}

const commonChoices = (a: ReadonlyArray<Json>, b: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const others = new Set(b.map((choice) => JSON.stringify(choice)))
  const common = a.filter((choice) => others.has(JSON.stringify(choice)))
  return common.length === 0 ? a : common
}

const LOWER: ReadonlySet<Bound> = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"])

const tightest = (a: NonNullable<Schema["bounds"]>, b: NonNullable<Schema["bounds"]>) => {
  const bounds: Partial<Record<Bound, number>> = {}
  for (const name of BOUND_NAMES) {
    const [one, other] = [a[name], b[name]]
    const bound =
      one === undefined || other === undefined || name === "multipleOf"
        ? (one ?? other)
        : LOWER.has(name)
          ? Math.max(one, other)
          : Math.min(one, other)
    if (bound !== undefined) bounds[name] = bound
  }
  return bounds
}

const prefixOf = (a: Schema, b: Schema): Schema["prefixItems"] => {
  if (a.prefixItems === undefined && b.prefixItems === undefined) return undefined
  const length = Math.max(a.prefixItems?.length ?? 0, b.prefixItems?.length ?? 0)
  const at = ({ items, prefixItems }: Schema, i: number) => prefixItems?.[i] ?? items
  return Array.from({ length }, (_, i) => both(at(a, i), at(b, i), merge) ?? {})
}

const mergeProperties = (a: ReadonlyMap<string, Schema>, b: ReadonlyMap<string, Schema>) => {
  const merged = new Map(a)
  for (const [name, property] of b) {
    const known = a.get(name)
    merged.set(name, known === undefined ? property : merge(known, property))
  }
  return merged
}

/**
 * Closed if one of the parts is closed, over the properties of both. Taken literally, two closed parts would allow nothing;
 * their author means the object that has both.
 */
const additionalOf = (a: Schema, b: Schema): Schema["additional"] =>
  a.additional === false || b.additional === false ? false : both(a.additional, b.additional, merge)
