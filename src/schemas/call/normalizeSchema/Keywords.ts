/** Reads the keywords of one node that have plain values, in the spelling of any draft. Unusable values are left out. */
import { SCHEMA_ENUM_MAX_VALUES, SCHEMA_TEXT_MAX_CHARS, SCHEMA_VALUE_MAX_CHARS } from "../../defaults/Definitions.ts"
import { JSON_MAX_DEPTH } from "../../defaults/Wire.ts"
import { isObject, withinBounds, type Json } from "../../data/Json.ts"
import { isPortable } from "./Pattern.ts"
import { BOUND_NAMES, type Bound, type Schema, type TypeName } from "./Schema.ts"
import { cut, listed, note } from "./Text.ts"

export type Raw = Readonly<Record<string, unknown>>

/** The names for the seven types that generators and people use. */
const TYPE_WORDS: Readonly<Record<string, TypeName>> = {
  string: "string",
  str: "string",
  text: "string",
  number: "number",
  float: "number",
  double: "number",
  decimal: "number",
  integer: "integer",
  int: "integer",
  int32: "integer",
  int64: "integer",
  long: "integer",
  boolean: "boolean",
  bool: "boolean",
  object: "object",
  dict: "object",
  map: "object",
  array: "array",
  list: "array",
  null: "null",
  none: "null"
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== ""
    ? cut(value.slice(0, SCHEMA_TEXT_MAX_CHARS + 1).toWellFormed(), SCHEMA_TEXT_MAX_CHARS)
    : undefined

/** A value that is safe to show. */
const jsonOf = (value: unknown): Json | undefined =>
  value !== undefined &&
  withinBounds(value, JSON_MAX_DEPTH, SCHEMA_VALUE_MAX_CHARS) &&
  (JSON.stringify(value)?.length ?? Infinity) <= SCHEMA_VALUE_MAX_CHARS
    ? (value as Json)
    : undefined

const typesOf = ({ type }: Raw): ReadonlyArray<TypeName> | undefined => {
  const words = Array.isArray(type) ? type : type === undefined ? [] : [type]
  const types = words.map((word) => (typeof word === "string" ? wordOf(word) : undefined))
  // An unknown type, or a schema in its place, gives no usable restriction.
  if (types.length === 0 || types.includes(undefined)) return undefined
  return [...new Set(types as Array<TypeName>)]
}

const wordOf = (word: string): TypeName | undefined => {
  const known = word.toLowerCase()
  return Object.hasOwn(TYPE_WORDS, known) ? TYPE_WORDS[known] : undefined
}

/** The distinct choices, or a note about them when they are too many or too long to repeat. */
const choicesOf = (raw: Raw): Pick<Schema, "enum" | "notes"> => {
  const given = raw["const"] !== undefined ? [raw["const"]] : raw["enum"]
  if (!Array.isArray(given) || given.length === 0) return {}
  const first = given.slice(0, SCHEMA_ENUM_MAX_VALUES).map(jsonOf)
  const usable = first.filter((choice) => choice !== undefined)
  if (usable.length < given.length) return { notes: [note(`One of ${given.length}: ${listed(usable)}`)] }
  return { enum: [...new Map(usable.map((choice) => [JSON.stringify(choice), choice])).values()] }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const boundOf = (name: Bound, value: unknown): number | undefined => {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined
  if (name === "multipleOf") return value > 0 ? value : undefined
  return name.endsWith("imum") || isCount(value) ? value : undefined
}

const boundsOf = (raw: Raw): Schema["bounds"] => {
  const bounds: Partial<Record<Bound, number>> = {}
  for (const name of BOUND_NAMES) {
    const bound = boundOf(name, raw[name])
    if (bound !== undefined) bounds[name] = bound
  }
  // In draft 4 this is a flag next to the bound.
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"]
  ] as const) {
    if (raw[flag] !== true || bounds[limit] === undefined) continue
    bounds[flag] = bounds[limit]
    delete bounds[limit]
  }
  return Object.keys(bounds).length === 0 ? undefined : bounds
}

/** A few examples that fit. */
const examplesOf = ({ example, examples }: Raw): Schema["examples"] => {
  const given = Array.isArray(examples) ? examples : isObject(examples) || example === undefined ? [] : [example]
  const usable = given
    .slice(0, 8)
    .map(jsonOf)
    .filter((value) => value !== undefined)
  return usable.length === 0 ? undefined : usable
}

/** Notes about restrictions that only words can express. */
const notesOf = (raw: Raw): ReadonlyArray<string> => {
  const { contentEncoding, contentMediaType, deprecated, format, pattern } = raw
  const notes: Array<string> = []
  if (deprecated === true) notes.push("Deprecated")
  if (typeof pattern === "string" && pattern !== "" && !isPortable(pattern)) notes.push(note(`Matches: ${pattern}`))
  if (typeof format === "string" && format.trim() !== "" && !isWord(format)) notes.push(note(`Format: ${format}`))
  if (typeof contentEncoding === "string") notes.push(note(`Encoding: ${contentEncoding}`))
  if (typeof contentMediaType === "string") notes.push(note(`Media type: ${contentMediaType}`))
  return notes
}

const isWord = (format: string) => /^[a-z][a-z0-9-]{0,31}$/.test(format)

export const readKeywords = (raw: Raw): Schema => {
  const { format, pattern, title, uniqueItems } = raw
  const choices = choicesOf(raw)
  const notes = [...notesOf(raw), ...(choices.notes ?? [])]
  return {
    types: typesOf(raw),
    title: textOf(title),
    description: textOf(raw["description"]) ?? textOf(raw["markdownDescription"]),
    notes: notes.length === 0 ? undefined : notes,
    enum: choices.enum,
    default: jsonOf(raw["default"]),
    examples: examplesOf(raw),
    format: typeof format === "string" && isWord(format) ? format : undefined,
    pattern: typeof pattern === "string" && pattern !== "" && isPortable(pattern) ? pattern : undefined,
    bounds: boundsOf(raw),
    uniqueItems: uniqueItems === true ? true : undefined
  }
}
