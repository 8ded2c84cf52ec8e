/**
 * The form of a server's question on a terminal: reads fields from the schema, and values from typed lines. Pure. The host
 * has checked and cleaned the schema before.
 */
import * as Result from "effect/Result"
import { type FieldFormat, fieldFormat, isOfFormat } from "../../../schemas/content/FieldFormat.ts"
import type { ElicitationValue } from "../../../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../../../schemas/data/Json.ts"
import { clip } from "../../../schemas/content/Rendering.ts"
import { visible } from "../output.ts"

interface Choice {
  readonly value: string
  readonly title: string
}

type Kind =
  | { readonly type: "text"; readonly format: FieldFormat | undefined }
  | { readonly type: "number"; readonly whole: boolean }
  | { readonly type: "flag" }
  | { readonly type: "one"; readonly choices: ReadonlyArray<Choice> }
  | { readonly type: "many"; readonly choices: ReadonlyArray<Choice> }

export interface Field {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly required: boolean
  readonly preset: ElicitationValue | undefined
  readonly kind: Kind
  /** Minimum and maximum: of a number, of the length of a text, or of the number of choices. */
  readonly min: number | undefined
  readonly max: number | undefined
}

const SHOWN_MAX_CHARS = 200

const line = (value: unknown): string => (typeof value === "string" ? clip(visible(value), SHOWN_MAX_CHARS) : "")
const bound = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** `enum` with or without `enumNames`, or a list of `{ const, title }`. */
const choicesOf = (schema: unknown): ReadonlyArray<Choice> | undefined => {
  if (!isObject(schema)) return undefined
  const titled = schema["oneOf"] ?? schema["anyOf"]
  if (Array.isArray(titled)) {
    return titled.flatMap((item) => {
      const value = isObject(item) ? item["const"] : undefined
      return typeof value === "string" ? [{ value, title: line(item["title"]) || line(value) }] : []
    })
  }
  const names: ReadonlyArray<unknown> = Array.isArray(schema["enumNames"]) ? schema["enumNames"] : []
  return Array.isArray(schema["enum"])
    ? schema["enum"].flatMap((value, i) =>
        typeof value === "string" ? [{ value, title: line(names[i]) || line(value) }] : []
      )
    : undefined
}

const kindOf = (schema: Readonly<Record<string, unknown>>): Kind => {
  switch (schema["type"]) {
    case "boolean":
      return { type: "flag" }
    case "number":
    case "integer":
      return { type: "number", whole: schema["type"] === "integer" }
    case "array":
      return { type: "many", choices: choicesOf(schema["items"]) ?? [] }
    default: {
      const choices = choicesOf(schema)
      if (choices !== undefined) return { type: "one", choices }
      return { type: "text", format: fieldFormat(schema["format"]) }
    }
  }
}

const presetOf = (value: unknown): ElicitationValue | undefined =>
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "boolean" ||
  (Array.isArray(value) && value.every((item) => typeof item === "string"))
    ? value
    : undefined

export const fieldsOf = (schema: JsonObject): ReadonlyArray<Field> => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.entries(properties).map(([name, property]) => {
    const given = isObject(property) ? property : {}
    return {
      name,
      title: line(given["title"]) || line(name),
      description: line(given["description"]),
      required: required.includes(name),
      preset: presetOf(given["default"]),
      kind: kindOf(given),
      min: bound(given["minimum"] ?? given["minLength"] ?? given["minItems"]),
      max: bound(given["maximum"] ?? given["maxLength"] ?? given["maxItems"])
    }
  })
}

// ---- showing -------------------------------------------------------------------------------------------------------

/** A value, shown completely to the person who is about to send it. */
export const showValue = (value: ElicitationValue): string =>
  typeof value === "boolean" ? (value ? "yes" : "no") : visible(Array.isArray(value) ? value.join(", ") : String(value))

const between = ({ max, min }: Field, unit = ""): string =>
  min !== undefined && max !== undefined
    ? ` ${min} to ${max}${unit}`
    : min !== undefined
      ? ` at least ${min}${unit}`
      : max !== undefined
        ? ` at most ${max}${unit}`
        : ""

const expected = (field: Field): string => {
  switch (field.kind.type) {
    case "flag":
      return "yes or no"
    case "number":
      return `${field.kind.whole ? "whole number" : "number"}${between(field)}`
    case "one":
      return "one of these"
    case "many":
      return `some of these, separated by commas${between(field)}`
    case "text":
      return `${field.kind.format ?? "text"}${between(field, " characters")}`
  }
}

/**
 * What the server wants to know, one row each: title, kind and what an empty line means; the description; the choices. All of
 * it comes from the server, so the caller shows it behind the bar.
 */
export const questionOf = (field: Field): ReadonlyArray<string> => {
  const { description, kind, preset, required, title } = field
  const choices = kind.type === "one" || kind.type === "many" ? kind.choices : []
  const needed = preset === undefined && required ? ", required" : ""
  const empty = preset === undefined ? "" : ` [${line(showValue(preset))}]`
  return [
    `${title} (${expected(field)}${needed})${empty}`,
    ...(description === "" ? [] : [description]),
    ...choices.map((choice, i) => {
      const value = choice.title === choice.value ? "" : ` (${line(choice.value)})`
      return `${i + 1}. ${choice.title}${value}`
    })
  ]
}

// ---- reading -------------------------------------------------------------------------------------------------------

const outside = (amount: number, { max, min }: Field): boolean =>
  (min !== undefined && amount < min) || (max !== undefined && amount > max)

/** Finds a choice by its number, value or title. */
const choose = (choices: ReadonlyArray<Choice>, typed: string): string | undefined => {
  const exact = choices.find(({ title, value }) => value === typed || title === typed)
  const byNumber = /^\d{1,6}$/.test(typed) ? choices[Number(typed) - 1] : undefined
  const wanted = typed.toLowerCase()
  const alike = choices.find(({ title, value }) => value.toLowerCase() === wanted || title.toLowerCase() === wanted)
  return (exact ?? byNumber ?? alike)?.value
}

const EXAMPLES: Readonly<Record<FieldFormat, string>> = {
  email: "ada@example.org",
  uri: "https://example.org/",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z"
}

const readText = (
  field: Field,
  format: FieldFormat | undefined,
  text: string
): Result.Result<ElicitationValue, string> => {
  if (outside(Array.from(text).length, field)) return Result.fail(`must have${between(field, " characters")}`)
  return format === undefined || isOfFormat(text, format)
    ? Result.succeed(text)
    : Result.fail(`must have the form ${format}, such as ${EXAMPLES[format]}`)
}

const readNumber = (field: Field, whole: boolean, text: string): Result.Result<ElicitationValue, string> => {
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) && (!whole || Number.isInteger(number)) && !outside(number, field)
    ? Result.succeed(number)
    : Result.fail(`must be a ${expected(field)}`)
}

const readMany = (
  field: Field,
  choices: ReadonlyArray<Choice>,
  text: string
): Result.Result<ElicitationValue, string> => {
  const picked: Array<string> = []
  for (const typed of text.split(",").map((part) => part.trim())) {
    const value = typed === "" ? undefined : choose(choices, typed)
    if (value === undefined) return Result.fail("must be some of the choices: type their numbers, separated by commas")
    if (!picked.includes(value)) picked.push(value)
  }
  return outside(picked.length, field) ? Result.fail(`must be${between(field)} of the choices`) : Result.succeed(picked)
}

/** A typed line as a value of the field, or what it should have been, in words of ours. The line is not empty. */
export const readLine = (field: Field, text: string): Result.Result<ElicitationValue, string> => {
  switch (field.kind.type) {
    case "flag":
      if (/^(?:y|yes|true|on)$/i.test(text)) return Result.succeed(true)
      if (/^(?:n|no|false|off)$/i.test(text)) return Result.succeed(false)
      return Result.fail("must be yes or no")
    case "number":
      return readNumber(field, field.kind.whole, text)
    case "one": {
      const value = choose(field.kind.choices, text)
      return value === undefined ? Result.fail("must be one of the choices: type its number") : Result.succeed(value)
    }
    case "many":
      return readMany(field, field.kind.choices, text)
    case "text":
      return readText(field, field.kind.format, text)
  }
}
