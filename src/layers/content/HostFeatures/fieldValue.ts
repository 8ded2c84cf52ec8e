/** Checks a value against a field of a form; linear for every value. */
import { type FieldFormat, isOfFormat } from "../../../schemas/content/FieldFormat.ts"

export interface Kind {
  readonly type: "string" | "number" | "integer" | "boolean" | "array"
  /** The only allowed values, for a string or a list. */
  readonly choices?: ReadonlySet<string>
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: FieldFormat
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** What is wrong, in words that do not repeat the value. */
export const problemOf = (value: unknown, kind: Kind): string | undefined => {
  switch (kind.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "it is not true or false"
    case "integer":
    case "number":
      return problemOfNumber(value, kind)
    case "array":
      return problemOfList(value, kind)
    case "string":
      return problemOfString(value, kind)
  }
}

const problemOfNumber = (value: unknown, { maximum, minimum, type }: Kind) => {
  if (typeof value !== "number" || !Number.isFinite(value)) return "it is not a number"
  if (type === "integer" && !Number.isInteger(value)) return "it is not a whole number"
  if (minimum !== undefined && value < minimum) return `it is less than ${minimum}`
  if (maximum !== undefined && value > maximum) return `it is more than ${maximum}`
  return undefined
}

const problemOfList = (value: unknown, { choices, maxItems, minItems }: Kind) => {
  if (!Array.isArray(value)) return "it is not a list"
  if (minItems !== undefined && value.length < minItems) return `it has less than ${minItems} items`
  if (maxItems !== undefined && value.length > maxItems) return `it has more than ${maxItems} items`
  return value.every((item) => typeof item === "string" && choices?.has(item) !== false)
    ? undefined
    : "it has an item that is not among the choices"
}

const problemOfString = (value: unknown, { choices, format, maxLength, minLength }: Kind) => {
  if (typeof value !== "string") return "it is not a text"
  if (choices !== undefined) return choices.has(value) ? undefined : "it is not among the choices"
  if (minLength !== undefined && lengthOf(value) < minLength) return `it has less than ${minLength} characters`
  if (maxLength !== undefined && lengthOf(value) > maxLength) return `it has more than ${maxLength} characters`
  return format === undefined || isOfFormat(value, format) ? undefined : `it does not have the form ${format}`
}

/** As JSON Schema counts: code points, not UTF-16 units. */
const lengthOf = (text: string) => {
  let length = 0
  for (const _ of text) length++
  return length
}
