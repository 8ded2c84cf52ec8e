/** Schemas that nobody would write, the same for the same seed: every keyword, often in the wrong place. */
import { generator } from "./random.ts"

const KEYWORDS = [
  ..."type properties items prefixItems additionalItems required enum const anyOf oneOf allOf not if then else".split(
    " "
  ),
  ..."$ref $dynamicRef $defs definitions $anchor $id additionalProperties patternProperties propertyNames".split(" "),
  ..."dependentRequired dependentSchemas minimum exclusiveMinimum maximum multipleOf minLength minItems maxItems".split(
    " "
  ),
  ..."pattern format title description default examples nullable uniqueItems contains deprecated".split(" ")
]
const NAMES = ["a", "b", "c", "filter[id]", "__proto__", "x".repeat(70), "", "type", "properties"]
const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"]
const REFERENCES = [
  ..."# #/$defs/a #/$defs/b #/definitions/a #/properties/a #x id #/$defs/__proto__ #/properties/a/items".split(" "),
  "https://example.com/schema.json"
]
const PATTERNS = ["^a", "(?!x)", "[", "\\p{L}", "^a+$", ""]
const FORMATS = ["uri", "date-time", "date", "int64", "float", "not a word", "uint"]
const TEXTS = ["A text", "", "X".repeat(2100), "of two\nlines"]
const STRINGS = ["", "a", "b", "x y", "é", "\ud800", "__proto__", "x".repeat(70)]
const NUMBERS = [0, 1, 2, -1, 2.5, 1e300]

export const randomSchema = (seed: number): unknown => {
  const { below, chance, pick } = generator(seed)
  const several = <A>(make: () => A, limit = 4): Array<A> => Array.from({ length: below(limit) }, make)
  const named = <A>(names: ReadonlyArray<string>, make: () => A) =>
    Object.fromEntries(several(() => [pick(names), make()] as const))

  const value = (depth: number): unknown => {
    const kind = below(depth > 0 ? 7 : 5)
    if (kind < 2) return pick(STRINGS)
    if (kind === 2) return pick(NUMBERS)
    if (kind === 3) return chance(0.5)
    if (kind === 4) return null
    return kind === 5
      ? several(() => value(depth - 1), 3)
      : named(["a", "$top", "type", "__proto__"], () => value(depth - 1))
  }

  const types = () => (chance(0.8) ? pick(TYPES) : several(() => pick(TYPES)))

  const keyword = (name: string, depth: number): unknown => {
    if (chance(0.05)) return value(2)
    switch (name) {
      case "type":
        return types()
      case "properties":
      case "patternProperties":
      case "dependentSchemas":
      case "$defs":
      case "definitions":
        return named(NAMES, () => schema(depth - 1))
      case "prefixItems":
      case "anyOf":
      case "oneOf":
      case "allOf":
        return several(() => schema(depth - 1))
      case "items":
        return chance(0.7) ? schema(depth - 1) : several(() => schema(depth - 1))
      case "required":
        return several(() => pick(NAMES))
      case "enum":
      case "examples":
        return several(() => value(1))
      case "const":
      case "default":
        return value(1)
      case "$ref":
      case "$dynamicRef":
        return pick(REFERENCES)
      case "$anchor":
        return "x"
      case "$id":
        return "id"
      case "dependentRequired":
        return { a: ["b"] }
      case "nullable":
      case "uniqueItems":
      case "deprecated":
        return true
      case "pattern":
        return pick(PATTERNS)
      case "format":
        return pick(FORMATS)
      case "title":
      case "description":
        return pick(TEXTS)
      case "minimum":
      case "exclusiveMinimum":
      case "maximum":
      case "multipleOf":
      case "minLength":
      case "minItems":
      case "maxItems":
        return pick([...NUMBERS, true, "1"])
      default:
        return schema(depth - 1)
    }
  }

  const schema = (depth: number): unknown => {
    if (depth < 0 || chance(0.03)) return value(1)
    if (chance(0.06)) return chance(0.5)
    const typed = chance(0.6) ? [["type", types()] as const] : []
    return Object.fromEntries([
      ...typed,
      ...several(() => pick(KEYWORDS), 6).map((name) => [name, keyword(name, depth)])
    ])
  }

  const root = schema(4)
  return chance(0.9) && typeof root === "object" && root !== null ? { type: "object", ...root } : root
}
