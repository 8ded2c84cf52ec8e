/** Writes a settled schema as JSON for one provider; meaning without a keyword goes into the description. */
import type { Json, JsonObject } from "../../data/Json.ts"
import type { Dialect } from "./Dialects.ts"
import { fold, isObjectLike } from "./Fold.ts"
import { merge } from "./Merge.ts"
import {
  BOUND_NAMES,
  hasInside,
  isAnything,
  isNull,
  restrictions,
  withNotes,
  type Schema,
  type TypeName
} from "./Schema.ts"
import { either, isEmpty, relevant } from "./Settle.ts"
import { alternatives, sketch } from "./Sketch.ts"
import { listed, note } from "./Text.ts"
import { described, formatOf, lost } from "./Words.ts"

type Members = ReadonlyArray<readonly [string, Json | undefined]>

/** Leaves out `undefined` members. `fromEntries` makes own properties, whatever their names. */
const json = (members: Members): JsonObject => Object.fromEntries(members.filter(([, value]) => value !== undefined))

/** The order of alternatives that have one type each. */
const TYPE_ORDER: ReadonlyArray<TypeName> = ["string", "number", "integer", "boolean", "object", "array"]

/** The alternatives for a value of unknown type; a list of lists is not spelled out. */
const ONE_VALUE: ReadonlyArray<Schema> = (["string", "number", "boolean", "object"] as const).map((type) => ({
  types: [type]
}))
const WHATEVER: ReadonlyArray<Schema> = [
  ...ONE_VALUE,
  { types: ["array"], items: { anyOf: [...ONE_VALUE, { types: ["null"] }] } }
]

export const write = (root: Schema, dialect: Dialect, maxChars?: number): JsonObject => {
  const has = (keyword: "title" | "default" | "examples" | "prefixItems" | "additional") =>
    dialect.keywords.has(keyword)

  /** `level`: the number of objects and arrays around the node. */
  const node = (schema: Schema, level: number): JsonObject => {
    if (!dialect.isOpenApi) return mixed(schema, level)
    return isEmpty(schema) ? whatever(level) : plain(schema, level)
  }

  /** Cached, because it is long and occurs often. */
  const known = new Map<boolean, JsonObject>()
  const whatever = (level: number): JsonObject => {
    const isDeep = level >= dialect.maxLevels
    const written = known.get(isDeep) ?? plain({}, level)
    known.set(isDeep, written)
    return written
  }

  // ---- any JSON Schema -------------------------------------------------------------------------------------------------

  const mixed = (given: Schema, level: number): JsonObject => {
    const schema = within(given, level)
    const { anyOf, types = [] } = schema
    const object = types.includes("object") ? objectMembers(schema, level) : NOTHING
    return json([
      ["type", types.length < 2 ? types[0] : types],
      ["title", has("title") ? schema.title : undefined],
      ["description", text(schema, object.notes)],
      ["enum", schema.enum],
      ["default", has("default") ? schema.default : undefined],
      ["examples", has("examples") ? schema.examples : undefined],
      ...values(schema),
      ...(types.includes("array") ? arrayMembers(schema, level) : []),
      ...object.members,
      ["anyOf", anyOf?.map((branch) => node(branch, level))]
    ])
  }

  const text = (schema: Schema, more: ReadonlyArray<string> = []) =>
    described(schema.description, [...(schema.notes ?? []), ...lost(schema, dialect), ...more], maxChars)

  const values = (schema: Schema): Members => [
    ["format", formatOf(schema, dialect)],
    ...(["pattern", "uniqueItems"] as const).map(
      (keyword) => [keyword, dialect.keywords.has(keyword) ? schema[keyword] : undefined] as const
    ),
    ...BOUND_NAMES.map((name) => [name, dialect.keywords.has(name) ? schema.bounds?.[name] : undefined] as const)
  ]

  // ---- objects and arrays ----------------------------------------------------------------------------------------------

  /** The schema, or where it is too deep, its description in words. */
  const within = (schema: Schema, level: number): Schema => {
    const { additional, items, prefixItems, properties, required: _, ...rest } = schema
    if (level < dialect.maxLevels) return schema
    const inside = [...(properties?.values() ?? []), ...(prefixItems ?? []), ...(additional ? [additional] : [])]
    const isFlat = inside.length === 0 && (items === undefined || !hasContainers(items))
    return isFlat ? schema : withNotes(rest, [note(`Nested deeper than shown: ${sketch(schema)}`)])
  }

  const objectMembers = (schema: Schema, level: number): { members: Members; notes: ReadonlyArray<string> } => {
    const { additional, required = [] } = schema
    const all = new Map(schema.properties)
    // A required property must be listed, even if only its name is known.
    for (const name of required) if (!all.has(name)) all.set(name, {})
    const isUsable = (name: string) => dialect.names?.test(name) !== false
    const unusable = new Map([...all].filter(([name]) => !isUsable(name)))
    const shown = [...all].filter(([name]) => isUsable(name))
    const needed = required.filter(isUsable)
    const isOpen = additional === undefined || !has("additional") || (additional === false && unusable.size > 0)
    const members: Members = [
      // Some providers refuse an object without `properties`, others an empty `required`.
      [
        "properties",
        shown.length === 0 && dialect.isOpenApi && level > 0
          ? undefined
          : json(shown.map(([name, property]) => [name, node(property, level + 1)]))
      ],
      ["required", needed.length === 0 ? undefined : needed],
      ["additionalProperties", isOpen ? undefined : additional && node(additional, level + 1)]
    ]
    return { members, notes: unusable.size === 0 ? [] : [leftOut(unusable, required)] }
  }

  const arrayMembers = ({ bounds, items, prefixItems }: Schema, level: number): Members => {
    if (prefixItems === undefined) return [["items", node(items ?? {}, level + 1)]]
    if (has("prefixItems")) {
      // Older readers apply `items` to each item, newer ones to the rest: so neither form is used.
      return [
        ["prefixItems", prefixItems.map((item) => node(item, level + 1))],
        ["items", {}]
      ]
    }
    // If unknown items may follow the tuple, no schema applies to all items.
    const isKnown = items !== undefined || (bounds?.maxItems ?? Infinity) <= prefixItems.length
    const each = isKnown ? either([...prefixItems, ...(items === undefined ? [] : [items])]) : {}
    return [["items", node(each, level + 1)]]
  }

  // ---- OpenAPI: one type per node, alternatives without siblings -------------------------------------------------------

  const plain = (schema: Schema, level: number): JsonObject => {
    const isNullable = isAnything(schema) || includesNull(schema)
    const { alternatives, base } = split(schema, level)
    if (alternatives.length === 1) return one(alternatives[0]!, level, isNullable, base)
    const written = alternatives.map((alternative) => one(alternative, level, false, {}))
    const distinct = [...new Map(written.map((alternative) => [JSON.stringify(alternative), alternative])).values()]
      // Sorted, so that the order does not depend on how bare types were grouped.
      .toSorted((a, b) => rank(a) - rank(b) || Number(isBare(a)) - Number(isBare(b)))
    const [first, ...others] = distinct
    // There is no other place for the description of the whole.
    const description = described(
      text(base),
      [first!["description"]].filter((part) => typeof part === "string"),
      maxChars
    )
    const { description: _, nullable: __, type, ...rest } = first!
    const opening = json([
      ["type", type],
      ["description", description],
      ["nullable", isNullable || undefined],
      ...Object.entries(rest)
    ])
    return others.length === 0 ? opening : { anyOf: [opening, ...others] }
  }

  const one = (given: Schema, level: number, isNullable: boolean, base: Schema): JsonObject => {
    const schema = within(given, level)
    const [type] = schema.types ?? []
    const choices = schema.enum?.filter((choice) => choice !== null)
    const areWords = choices?.every((choice) => typeof choice === "string" && choice !== "")
    const object = type === "object" ? objectMembers(schema, level) : NOTHING
    const told = choices === undefined || areWords ? [] : [note(`One of: ${listed(choices)}`)]
    const own = text({ ...schema, description: schema.description ?? schema.title }, [...told, ...object.notes])
    return json([
      ["type", type],
      ["description", described(text(base), own === undefined ? [] : [own], maxChars)],
      ["nullable", isNullable || undefined],
      ["enum", areWords ? choices : undefined],
      ...values(schema),
      ...(type === "array" ? arrayMembers(schema, level) : []),
      ...object.members
    ])
  }

  /** A schema as alternatives of one type each, and what applies to all of them. */
  const split = (schema: Schema, level: number): { alternatives: ReadonlyArray<Schema>; base: Schema } => {
    const { anyOf, ...own } = schema
    if (anyOf === undefined) return byType(schema, level)
    if (hasInside(own)) {
      return byType(isObjectLike(own) && anyOf.some(isObjectLike) ? fold(schema) : inWords(own, anyOf), level)
    }
    const { default: preset, description, examples, notes, title, types: _, ...rest } = own
    // Without its contents, so that repeating it for each alternative costs little.
    const branches = restrictions(rest).length === 0 ? anyOf : anyOf.map((branch) => relevant(merge(branch, rest)))
    const all = notNull(branches).flatMap((branch) => {
      const parts = split(branch, level)
      return parts.alternatives.map((part) => merge(part, parts.base))
    })
    return { alternatives: all, base: { default: preset, description: description ?? title, examples, notes } }
  }

  const byType = (schema: Schema, level: number): { alternatives: ReadonlyArray<Schema>; base: Schema } => {
    const types = schema.types?.filter((type) => type !== "null")
    const { description, notes, title } = schema
    if (types === undefined) {
      const alternatives = level < dialect.maxLevels ? WHATEVER : ONE_VALUE
      return { alternatives, base: { description: description ?? title, notes } }
    }
    if (types.length === 1) return { alternatives: [{ ...schema, types }], base: {} }
    if (types.length === 0) {
      return { alternatives: [{ types: ["string"], notes: ["Always null"] }], base: { description } }
    }
    const { default: preset, description: _, examples, notes: __, title: ___, ...rest } = schema
    return {
      alternatives: types.map((type) => relevant({ ...rest, types: [type], enum: choicesOf(schema, type) })),
      base: { default: preset, description: description ?? title, examples, notes }
    }
  }

  return node(root, 0)
}

const NOTHING = { members: [], notes: [] }

/** Whether the result contains nested schemas. */
const hasContainers = (schema: Schema): boolean =>
  hasInside(schema) || (schema.types?.includes("array") ?? false) || (schema.anyOf?.some(hasContainers) ?? false)

const inWords = (schema: Schema, anyOf: ReadonlyArray<Schema>): Schema =>
  withNotes(schema, [note(`One of: ${alternatives(anyOf)}`)])

const rank = ({ type }: JsonObject): number => TYPE_ORDER.indexOf(type as TypeName)

const isBare = (written: JsonObject): boolean => Object.keys(written).length === 1

/** Null becomes a flag next to the others. */
const notNull = (branches: ReadonlyArray<Schema>): ReadonlyArray<Schema> =>
  branches.every(isNull) ? branches : branches.filter((branch) => !isNull(branch))

const includesNull = ({ anyOf, types }: Schema): boolean =>
  types?.includes("null") || anyOf?.some(includesNull) || false

const choicesOf = ({ enum: choices }: Schema, type: TypeName): Schema["enum"] =>
  choices?.filter((choice) => {
    if (choice === null || typeof choice !== "object") {
      return type === "integer" ? typeof choice === "number" : typeof choice === type
    }
    return type === (Array.isArray(choice) ? "array" : "object")
  })

const leftOut = (properties: ReadonlyMap<string, Schema>, required: ReadonlyArray<string>): string => {
  const shape = sketch({ types: ["object"], properties, required: required.filter((name) => properties.has(name)) })
  return note(`Parameters left out because of unusable names: ${properties.size}. They are still accepted: ${shape}`)
}
