/**
 * An input schema as a model may see it: every text cleaned, descriptions limited, no references to the outside, an object at
 * the root. A schema that is fine already is passed on unchanged.
 */
import { PARAMETER_DESCRIPTION_MAX_CHARS, SCHEMA_MAX_DEPTH } from "../../../schemas/defaults/Definitions.ts"
import { SECRET_MASK_MIN_CHARS } from "../../../schemas/defaults/Secrets.ts"
import { isObject, type Json, type JsonObject } from "../../../schemas/data/Json.ts"
import { inProse } from "../../../schemas/content/ServerText.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"

export interface CleanedSchema {
  readonly schema: JsonObject
  /** Parameters that were removed: the server would not know their cleaned names. */
  readonly leftOut: number
}

/** Keywords whose values are prose. */
const PROSE = new Set(["description", "title", "$comment", "markdownDescription"])
/** Keywords whose values are schemas by name. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])
/** Keywords whose values are data, in which keys are not keywords. */
const VALUES = new Set(["enum", "const", "default", "examples", "example"])
const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"])

/** Converts each item; returns the same list when none changes. */
const items = (list: ReadonlyArray<Json>, convert: (item: Json) => Json): ReadonlyArray<Json> => {
  const converted = list.map(convert)
  return converted.some((item, i) => item !== list[i]) ? converted : list
}

export const cleanInputSchema = (
  root: JsonObject,
  { clean, describe }: Pick<ContentSanitizer["Service"], "clean" | "describe">
): CleanedSchema => {
  let leftOut = 0
  const textOf = (text: string) => clean(text).text
  const isClean = (text: string) => textOf(text) === text
  /** Digits may be a known secret. */
  const isNumber = (number: number) => String(number).length < SECRET_MASK_MIN_CHARS || isClean(String(number))

  /** Converts each member, and leaves out those that become `undefined`; returns the same object when nothing changes. */
  const members = (node: JsonObject, convert: (key: string, value: Json) => Json | undefined): JsonObject => {
    const kept: Array<readonly [string, Json]> = []
    let changed = false
    for (const [key, value] of Object.entries(node) as ReadonlyArray<[string, Json]>) {
      const next = isClean(key) ? convert(key, value) : undefined
      changed ||= next !== value
      if (next !== undefined) kept.push([key, next])
    }
    // `fromEntries` makes own properties, also for a parameter called __proto__.
    return changed ? Object.fromEntries(kept) : node
  }

  const value = (node: Json): Json => {
    if (typeof node === "string") return textOf(node)
    if (typeof node === "number") return isNumber(node) ? node : textOf(String(node))
    if (Array.isArray(node)) return items(node, value)
    return isObject(node) ? members(node as JsonObject, (_, child) => value(child)) : node
  }

  const schema = (node: Json, depth: number): Json => {
    if (typeof node === "string" || typeof node === "number") return value(node)
    if (Array.isArray(node)) return items(node, (item) => schema(item, depth + 1))
    if (!isObject(node)) return node
    return depth > SCHEMA_MAX_DEPTH ? {} : members(node as JsonObject, (key, child) => keyword(key, child, depth + 1))
  }

  const keyword = (key: string, node: Json, depth: number): Json | undefined => {
    if (typeof node === "string" && REFERENCES.has(key)) return node.startsWith("#") && isClean(node) ? node : undefined
    if (typeof node === "string" && PROSE.has(key)) return inProse(node, describe, PARAMETER_DESCRIPTION_MAX_CHARS)
    if (isObject(node) && NAMED.has(key)) return named(key, node as JsonObject, depth)
    if (key === "required") return Array.isArray(node) ? requiredOf(node) : undefined
    if (key === "enum" && Array.isArray(node)) return choices(node)
    if (typeof node === "number" && !VALUES.has(key)) return isNumber(node) ? node : undefined
    return VALUES.has(key) ? value(node) : schema(node, depth)
  }

  const named = (keyword: string, node: JsonObject, depth: number): JsonObject => {
    const kept = members(node, (_, child) =>
      isObject(child) || typeof child === "boolean" ? schema(child as Json, depth + 1) : {}
    )
    if (keyword === "properties") leftOut += Object.keys(node).length - Object.keys(kept).length
    return kept
  }

  /** Merges choices that have become equal: some providers refuse duplicates. */
  const choices = (list: ReadonlyArray<Json>): ReadonlyArray<Json> => {
    const cleaned = items(list, value)
    return cleaned === list ? list : [...new Set(cleaned)]
  }

  const requiredOf = (names: ReadonlyArray<Json>): ReadonlyArray<Json> =>
    names.every((name) => typeof name === "string" && isClean(name))
      ? names
      : names.filter((name) => typeof name === "string" && isClean(name))

  const cleaned = schema(root, 0) as JsonObject
  const properties = isObject(cleaned["properties"]) ? (cleaned["properties"] as JsonObject) : {}
  return {
    schema:
      cleaned["type"] === "object" && cleaned["properties"] === properties
        ? cleaned
        : { ...cleaned, type: "object", properties },
    leftOut
  }
}
