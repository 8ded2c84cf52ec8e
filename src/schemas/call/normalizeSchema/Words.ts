/** Sentences for what a provider has no keyword for, and how they are added to a description. */
import { SCHEMA_TEXT_MAX_CHARS } from "../../defaults/Definitions.ts"
import type { Dialect, Keyword } from "./Dialects.ts"
import { BOUND_NAMES, type Bound, type Schema } from "./Schema.ts"
import { sketch } from "./Sketch.ts"
import { cut, listed, note } from "./Text.ts"

const BOUND_WORDS: Readonly<Record<Bound, string>> = {
  minimum: "Minimum",
  exclusiveMinimum: "More than",
  maximum: "Maximum",
  exclusiveMaximum: "Less than",
  multipleOf: "Multiple of",
  minLength: "Minimum length",
  maxLength: "Maximum length",
  minItems: "Minimum number of items",
  maxItems: "Maximum number of items",
  minProperties: "Minimum number of properties",
  maxProperties: "Maximum number of properties"
}

/** The format, if this provider knows it for the node's type. */
export const formatOf = ({ format, types = [] }: Schema, { formats }: Dialect): string | undefined => {
  const type = (["string", "number", "integer"] as const).find((name) => types.includes(name))
  return format !== undefined && type !== undefined && formats[type].has(format) ? format : undefined
}

export const lost = (schema: Schema, dialect: Dialect): ReadonlyArray<string> => {
  const {
    additional,
    bounds = {},
    default: preset,
    examples,
    format,
    items,
    pattern,
    prefixItems,
    uniqueItems
  } = schema
  const sentences: Array<string> = []
  const say = (keyword: Keyword, sentence: () => string) => {
    if (!dialect.keywords.has(keyword)) sentences.push(note(sentence()))
  }
  if (format !== undefined && formatOf(schema, dialect) === undefined) sentences.push(`Format: ${format}`)
  if (pattern !== undefined) say("pattern", () => `Matches: ${pattern}`)
  for (const name of BOUND_NAMES) {
    if (bounds[name] !== undefined) say(name, () => `${BOUND_WORDS[name]}: ${bounds[name]}`)
  }
  if (uniqueItems) say("uniqueItems", () => "No item twice")
  if (prefixItems !== undefined) {
    const further = items === undefined ? [] : [`then ${sketch(items)}`]
    say("prefixItems", () => `Items in order: ${[...prefixItems.map((item) => sketch(item)), ...further].join(", ")}`)
    if (items !== undefined && dialect.keywords.has("prefixItems"))
      sentences.push(note(`Further items: ${sketch(items)}`))
  }
  if (additional) say("additional", () => `Other properties: ${sketch(additional)}`)
  if (preset !== undefined && preset !== null) say("default", () => `Default: ${JSON.stringify(preset)}`)
  if (examples !== undefined) say("examples", () => `Examples: ${listed(examples)}`)
  return sentences
}

/** A description and the sentences after it, which get at least half of the space. */
export const described = (
  description: string | undefined,
  sentences: ReadonlyArray<string>,
  maxChars: number = SCHEMA_TEXT_MAX_CHARS
): string | undefined => {
  const said = description ?? ""
  const more = [...new Set(sentences)].filter((sentence) => !said.includes(sentence)).join("\n")
  if (more === "" || said === "") return said === more ? undefined : cut(said + more, maxChars)
  const room = Math.max(Math.floor(maxChars / 2), maxChars - more.length - 1)
  return cut(`${cut(said, room)}\n${more}`, maxChars)
}
