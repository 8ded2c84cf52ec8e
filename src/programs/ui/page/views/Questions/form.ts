/** The form of a server's question: what its schema asks for, and what was entered, as values. The gateway checks the values once more. */
import type { ElicitationValue } from "../../../../../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../../../../../schemas/data/Json.ts"

export interface Choice {
  readonly value: string
  readonly title: string
}

export type FieldKind =
  /** `input`: the type of the control. */
  | { readonly type: "text"; readonly input: "text" | "email" | "url" | "date" | "datetime-local" }
  | { readonly type: "number"; readonly isWhole: boolean }
  | { readonly type: "flag" }
  | { readonly type: "one" | "many"; readonly choices: ReadonlyArray<Choice> }

export interface Field {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly isRequired: boolean
  readonly preset: unknown
  readonly kind: FieldKind
  /** Of a number, of the length of a text, or of the number of choices. */
  readonly min: number | undefined
  readonly max: number | undefined
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const INPUTS: Readonly<Record<string, "email" | "url" | "date" | "datetime-local">> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime-local"
}

/** `enum` with or without `enumNames`, or a list of `{ const, title }`. */
const choicesOf = (schema: unknown): ReadonlyArray<Choice> | undefined => {
  if (!isObject(schema)) return undefined
  const titled = schema["oneOf"] ?? schema["anyOf"]
  if (Array.isArray(titled)) {
    return titled.flatMap((item: unknown) => {
      const value = isObject(item) ? item["const"] : undefined
      return typeof value === "string" ? [{ value, title: text(isObject(item) ? item["title"] : "") || value }] : []
    })
  }
  const names = list(schema["enumNames"])
  return Array.isArray(schema["enum"])
    ? schema["enum"].flatMap((value: unknown, place) =>
        typeof value === "string" ? [{ value, title: text(names[place]) || value }] : []
      )
    : undefined
}

const kindOf = (schema: JsonObject): FieldKind => {
  switch (schema["type"]) {
    case "boolean":
      return { type: "flag" }
    case "number":
    case "integer":
      return { type: "number", isWhole: schema["type"] === "integer" }
    case "array":
      return { type: "many", choices: choicesOf(schema["items"]) ?? [] }
    default: {
      const choices = choicesOf(schema)
      if (choices !== undefined) return { type: "one", choices }
      const format = text(schema["format"])
      return { type: "text", input: Object.hasOwn(INPUTS, format) ? INPUTS[format]! : "text" }
    }
  }
}

export const fieldsOf = (schema: JsonObject): ReadonlyArray<Field> => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = list(schema["required"])
  return Object.entries(properties).map(([name, property]) => {
    const given: JsonObject = isObject(property) ? property : {}
    return {
      name,
      title: text(given["title"]) || name,
      description: text(given["description"]),
      isRequired: required.includes(name),
      preset: given["default"],
      kind: kindOf(given),
      min: number(given["minimum"] ?? given["minLength"] ?? given["minItems"]),
      max: number(given["maximum"] ?? given["maxLength"] ?? given["maxItems"])
    }
  })
}

/** What was entered: texts by the name of the field, several for `many`, `on` for a flag. */
export type Entered = (name: string) => ReadonlyArray<string>

const instant = (entered: string): string => {
  const date = new Date(entered)
  return Number.isNaN(date.getTime()) ? entered : date.toISOString()
}

const valueOf = (field: Field, entered: ReadonlyArray<string>): ElicitationValue | null | undefined => {
  const [first = ""] = entered
  if (field.kind.type === "flag") return first === "on"
  if (field.kind.type === "many") return entered.length === 0 && !field.isRequired ? undefined : entered
  // An emptied field is not sent, not even its default.
  if (first === "") return field.preset === undefined ? undefined : null
  if (field.kind.type === "number") return Number(first)
  return field.kind.type === "text" && field.kind.input === "datetime-local" ? instant(first) : first
}

/** The content of the answer. */
export const contentOf = (
  fields: ReadonlyArray<Field>,
  entered: Entered
): Readonly<Record<string, ElicitationValue | null>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueOf(field, entered(field.name))
      return value === undefined ? [] : [[field.name, value] as const]
    })
  )
