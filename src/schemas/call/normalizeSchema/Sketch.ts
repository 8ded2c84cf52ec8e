/**
 * Describes a schema in a few words, like a TypeScript type: for what a provider has no keyword for, and for what is nested
 * too deep.
 */
import { SCHEMA_NOTE_MAX_CHARS } from "../../defaults/Definitions.ts"
import type { Json } from "../../data/Json.ts"
import type { Schema, TypeName } from "./Schema.ts"
import { cut, oneLine } from "./Text.ts"

const MAX_DEPTH = 3
const MAX_MEMBERS = 24
const MAX_CHOICES = 12
const VALUE_MAX_CHARS = 60
const PLAIN_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/

export const sketch = (schema: Schema, maxChars: number = SCHEMA_NOTE_MAX_CHARS - 60): string =>
  cut(oneLine(type(schema, MAX_DEPTH)), maxChars)

export const alternatives = (branches: ReadonlyArray<Schema>): string =>
  [...new Set(branches.map((branch) => sketch(branch)))].join(" | ")

/** `name`, or `"its name"` where the plain form could be misread. */
export const sketchName = (name: string): string =>
  PLAIN_NAME.test(name) && name.length <= VALUE_MAX_CHARS ? name : JSON.stringify(cut(name, VALUE_MAX_CHARS))

const type = (schema: Schema, depth: number): string => {
  if (schema.enum !== undefined) return union(schema.enum.map(value), MAX_CHOICES)
  const own = schema.types ?? implied(schema)
  const types = own === undefined ? [] : own.map((name) => typed(name, schema, depth))
  if (schema.anyOf === undefined) return types.length === 0 ? "any" : union(types, MAX_CHOICES)
  const alternatives =
    depth === 0
      ? "…"
      : union(
          schema.anyOf.map((branch) => type(branch, depth - 1)),
          MAX_CHOICES
        )
  const base = own?.length === 1 && (own[0] === "object" ? hasMembers(schema) : schema.items !== undefined)
  return base ? `${types[0]} & (${alternatives})` : alternatives
}

const value = (json: Json): string => {
  const text = JSON.stringify(json)
  return text.length <= VALUE_MAX_CHARS ? text : `${text.slice(0, VALUE_MAX_CHARS - 1)}…`
}

const union = (parts: ReadonlyArray<string>, max: number): string => {
  const distinct = [...new Set(parts)]
  return distinct.length <= max ? distinct.join(" | ") : `${distinct.slice(0, max).join(" | ")} | …`
}

const hasMembers = ({ additional, properties, required }: Schema): boolean =>
  (properties?.size ?? 0) > 0 || (required?.length ?? 0) > 0 || additional !== undefined

const implied = (schema: Schema): ReadonlyArray<TypeName> | undefined =>
  hasMembers(schema) ? ["object"] : schema.items !== undefined ? ["array"] : undefined

const typed = (name: TypeName, schema: Schema, depth: number): string => {
  if (name === "object") return members(schema, depth)
  if (name !== "array") return name
  if (depth === 0) return "array"
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map((item) => type(item, depth - 1)).join(", ")}]`
  return schema.items === undefined ? "array" : `array<${type(schema.items, depth - 1)}>`
}

const members = (schema: Schema, depth: number): string => {
  if (!hasMembers(schema)) return "object"
  const { additional, properties = NO_PROPERTIES } = schema
  const required = new Set(schema.required)
  if (depth === 0) return properties.size === 0 ? "object" : `{${names([...properties.keys()])}}`
  const shown: Array<string> = []
  for (const [name, property] of properties) {
    if (shown.length === MAX_MEMBERS) break
    shown.push(`${sketchName(name)}${required.has(name) ? "" : "?"}: ${type(property, depth - 1)}`)
  }
  for (const name of required) if (!properties.has(name)) shown.push(`${sketchName(name)}: any`)
  if (properties.size > MAX_MEMBERS) shown.push("…")
  if (additional !== undefined && additional !== false) shown.push(`[name]: ${type(additional, depth - 1)}`)
  return `{${shown.join(", ")}}`
}

const NO_PROPERTIES: ReadonlyMap<string, Schema> = new Map()

/** A list of names. */
export const names = (all: ReadonlyArray<string>): string =>
  all.slice(0, MAX_MEMBERS).map(sketchName).join(", ") + (all.length > MAX_MEMBERS ? ", …" : "")
