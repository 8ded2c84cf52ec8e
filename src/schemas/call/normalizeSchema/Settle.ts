/**
 * Simplifies a schema in the normalizer's terms: every node gets its types, unions become as simple as possible, and keywords
 * that cannot apply are removed. The result is never stricter, except that nodes with properties or items become objects or
 * arrays even if they do not say so.
 */
import type { Json } from "../../data/Json.ts"
import { commonTypes, haveCommon, merge } from "./Merge.ts"
import {
  BOUND_NAMES,
  BOUNDS,
  hasInside,
  isAnything,
  isNull,
  nullable,
  restrictions,
  withNotes,
  type Bound,
  type Schema,
  type TypeName
} from "./Schema.ts"
import { note } from "./Text.ts"

const mapValues = <A, B>(map: ReadonlyMap<string, A>, convert: (value: A) => B): ReadonlyMap<string, B> =>
  new Map([...map].map(([name, value]) => [name, convert(value)]))

/** `within`: the types that the surrounding node allows a branch. */
export const settle = (schema: Schema, within?: ReadonlyArray<TypeName>): Schema => {
  const own = ownTypes(schema)
  const types = own === undefined ? within : within === undefined ? own : commonTypes(own, within)
  const { additional, anyOf, items, prefixItems, properties } = schema
  const inner: Schema = {
    ...schema,
    types,
    items: items && settle(items),
    prefixItems: prefixItems?.map((item) => settle(item)),
    properties: properties && mapValues(properties, (property) => settle(property)),
    additional: additional && settle(additional),
    anyOf: undefined
  }
  // Alternatives are pointless if one of them allows anything.
  const branches = anyOf === undefined || anyOf.some(isAnything) ? [] : anyOf
  const possible = branches.map((branch) => settle(branch, types)).filter((branch) => isPossible(branch, types))
  return relevant(typed(possible.length === 0 ? inner : plain(inner, possible)))
}

/** Whether a branch allows any value that the surrounding node allows. */
const isPossible = (branch: Schema, types: ReadonlyArray<TypeName> | undefined): boolean =>
  types === undefined || branch.types === undefined || haveCommon(branch.types, types)

// ---- types -------------------------------------------------------------------------------------------------------------

const typeOf = (value: Json): TypeName => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value as "string" | "boolean" | "object"
}

/** Every integer is a number. */
const fewest = (types: ReadonlyArray<TypeName>): ReadonlyArray<TypeName> =>
  types.includes("number") && types.includes("integer") ? types.filter((type) => type !== "integer") : types

const ownTypes = (schema: Schema): ReadonlyArray<TypeName> | undefined => {
  if (schema.enum !== undefined) return typed(schema).types
  if (schema.types !== undefined) return fewest(schema.types)
  return meansObject(schema) ? OBJECT : undefined
}

const OBJECT: ReadonlyArray<TypeName> = ["object"]

/** Properties next to alternatives that are objects, too. */
const meansObject = ({ anyOf, properties, required }: Schema): boolean =>
  anyOf !== undefined &&
  (properties !== undefined || required !== undefined) &&
  anyOf.every(({ types }) => types === undefined || types.includes("object"))

const hasBoundOf = (type: string, { bounds = {} }: Schema): boolean =>
  BOUND_NAMES.some((name) => bounds[name] !== undefined && BOUNDS[name] === type)

const typesFrom = (schema: Schema): ReadonlyArray<TypeName> | undefined => {
  const { additional, properties, required } = schema
  if (properties !== undefined || required !== undefined || additional !== undefined) return ["object"]
  if (schema.items !== undefined || schema.prefixItems !== undefined || schema.uniqueItems) return ["array"]
  if (schema.pattern !== undefined || schema.format !== undefined || hasBoundOf("string", schema)) return ["string"]
  if (hasBoundOf("number", schema)) return ["number"]
  if (hasBoundOf("array", schema)) return ["array"]
  return hasBoundOf("object", schema) ? ["object"] : undefined
}

/** Adds the types that are meant. Choices imply them; a type next to choices only removes those that do not fit. */
const typed = (schema: Schema): Schema => {
  const { anyOf, enum: choices, types } = schema
  if (choices === undefined) {
    return types === undefined && anyOf === undefined ? { ...schema, types: typesFrom(schema) } : schema
  }
  const covered = types === undefined ? choices : choices.filter((choice) => isOf(types, choice))
  const kept = covered.length === 0 ? choices : covered
  const own = [...new Set(kept.map(typeOf))]
  // With choices, alternatives could only distinguish between them.
  return { ...schema, enum: kept, types: fewest(own), anyOf: undefined }
}

const isOf = (types: ReadonlyArray<TypeName>, value: Json): boolean => {
  const type = typeOf(value)
  return types.includes(type) || (type === "integer" && types.includes("number"))
}

/** The schema says nothing at all. */
export const isEmpty = (schema: Schema): boolean =>
  isAnything(schema) && isSilent(schema) && schema.default === undefined && schema.examples === undefined

/** With alternatives of several types, the contents belong to the alternative that they fit. */
const withoutInside = (schema: Schema): Schema => ({
  ...schema,
  prefixItems: undefined,
  items: undefined,
  properties: undefined,
  required: undefined,
  additional: undefined
})

/** Removes keywords for other types than those of the node, and those that choices make useless. */
export const relevant = (schema: Schema): Schema => {
  const { enum: choices, types } = schema
  if (types === undefined) return withoutInside(schema)
  const has = (type: TypeName) => choices === undefined && types.includes(type)
  const isNumber = has("number") || has("integer")
  const bounds: Partial<Record<Bound, number>> = {}
  for (const name of BOUND_NAMES) {
    const bound = schema.bounds?.[name]
    const applies = BOUNDS[name] === "number" ? isNumber : has(BOUNDS[name])
    if (bound !== undefined && applies) bounds[name] = bound
  }
  return {
    ...schema,
    bounds: Object.keys(bounds).length === 0 ? undefined : bounds,
    pattern: has("string") ? schema.pattern : undefined,
    format: has("string") || isNumber ? schema.format : undefined,
    uniqueItems: has("array") ? schema.uniqueItems : undefined,
    prefixItems: has("array") ? schema.prefixItems : undefined,
    items: has("array") && schema.items && !isEmpty(schema.items) ? schema.items : undefined,
    properties: has("object") && schema.properties?.size ? schema.properties : undefined,
    required: has("object") ? schema.required : undefined,
    additional: has("object") ? schema.additional : undefined
  }
}

// ---- unions ------------------------------------------------------------------------------------------------------------

const only = (schema: Schema, ...keywords: ReadonlyArray<string>): boolean => {
  const present = restrictions(schema)
  return present.length === keywords.length && keywords.every((keyword) => present.includes(keyword))
}

const isSilent = ({ description, notes, title }: Schema): boolean =>
  title === undefined && description === undefined && notes === undefined

/** A union of settled schemas. */
export const either = (schemas: ReadonlyArray<Schema>): Schema =>
  schemas.length === 1 ? schemas[0]! : settle({ anyOf: schemas })

/** A union of settled branches in its simplest form. */
const plain = (base: Schema, given: ReadonlyArray<Schema>): Schema => {
  const flat = given.flatMap((branch) => (only(branch, "anyOf") && isSilent(branch) ? (branch.anyOf ?? []) : [branch]))
  if (flat.some(isAnything)) return base
  const isNullable = flat.some(isNull)
  const branches = joinTypes(joinChoices(distinct(flat.filter((branch) => !isNull(branch)))))
  const [first, ...others] = branches
  const alone = { ...base, types: undefined }
  if (first === undefined) return merge(alone, { types: ["null"] })
  if (others.length > 0) return { ...base, anyOf: isNullable ? [...branches, { types: ["null"] }] : branches }
  const one = isNullable ? nullable(first) : first
  const whole = merge(alone, {
    ...one,
    types: one.types && base.types ? commonTypes(one.types, base.types) : one.types
  })
  return hasInside(base) && hasInside(one) ? settle(whole) : whole
}

const distinct = (branches: ReadonlyArray<Schema>): ReadonlyArray<Schema> => {
  const known = new Map<string, Schema>()
  for (const branch of branches) {
    const key = JSON.stringify(branch, (_, value: unknown) => (value instanceof Map ? [...value] : value))
    if (!known.has(key)) known.set(key, branch)
  }
  return [...known.values()]
}

/** Merges branches that only have choices into one list of choices; their descriptions are kept with the values. */
const joinChoices = (branches: ReadonlyArray<Schema>): ReadonlyArray<Schema> => {
  const lists = branches.filter((branch) => only(branch, "enum", "types"))
  if (lists.length < 2) return branches
  const choices = lists.flatMap((branch) => branch.enum ?? [])
  const said = lists.flatMap(({ description, enum: own, notes, title }) => {
    const text = [title, description, ...(notes ?? [])].filter((part) => part !== undefined).join(": ")
    return text === "" ? [] : [note(`${(own ?? []).map((choice) => JSON.stringify(choice)).join(", ")}: ${text}`)]
  })
  const joined = typed({ enum: [...new Map(choices.map((choice) => [JSON.stringify(choice), choice])).values()] })
  return inPlaceOf(branches, lists, withNotes(joined, said))
}

/** Merges branches that only have types into one list of types. */
const joinTypes = (branches: ReadonlyArray<Schema>): ReadonlyArray<Schema> => {
  const bare = branches.filter((branch) => only(branch, "types") && isSilent(branch))
  if (bare.length < 2) return branches
  const types = [...new Set(bare.flatMap((branch) => branch.types ?? []))]
  return inPlaceOf(branches, bare, { types: fewest(types) })
}

/** Puts `joined` in the place of the first of `parts` and removes the others. */
const inPlaceOf = (all: ReadonlyArray<Schema>, parts: ReadonlyArray<Schema>, joined: Schema): ReadonlyArray<Schema> => {
  const gone = new Set(parts)
  return all.flatMap((branch) => (branch === parts[0] ? [joined] : gone.has(branch) ? [] : [branch]))
}
