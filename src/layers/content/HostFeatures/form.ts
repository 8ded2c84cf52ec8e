/**
 * Reads the form of a server: the flat subset of JSON Schema for elicitation (2025-11-25, Elicitation › Requested Schema),
 * field by field into a schema of our own. Unknown keywords are left out, above all `pattern`: a foreign regular expression
 * can block whoever evaluates it. The server checks its own patterns.
 */
import * as Effect from "effect/Effect"
import { PARAMETER_DESCRIPTION_MAX_CHARS } from "../../../schemas/defaults/Definitions.ts"
import {
  ELICITATION_MAX_CHOICES,
  ELICITATION_MAX_FIELDS,
  ELICITATION_VALUE_MAX_CHARS
} from "../../../schemas/defaults/HostRequests.ts"
import { LABEL_MAX_CHARS, QUOTED_NAME_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { fieldFormat } from "../../../schemas/content/FieldFormat.ts"
import type { ElicitationValue, HostRefusal } from "../../../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../../../schemas/data/Json.ts"
import { problemOf, type Kind } from "./fieldValue.ts"
import { invalid } from "./refusal.ts"
import type { Words } from "./requestText.ts"

export interface Field {
  readonly name: string
  readonly required: boolean
  readonly kind: Kind
  readonly default: ElicitationValue | undefined
}

export interface Form {
  readonly fields: ReadonlyArray<Field>
  /** The fields, for asking the person. */
  readonly schema: JsonObject
}

type Raw = Readonly<Record<string, unknown>>

/**
 * What the remaining fields may contain: counted before anything is read, because a message can hold tens of thousands of fields.
 */
interface Left {
  choices: number
}

export const readForm = Effect.fnUntraced(function* (
  schema: unknown,
  words: Words
): Effect.fn.Return<Form, HostRefusal> {
  if (!isObject(schema) || (schema["type"] ?? "object") !== "object") {
    return yield* invalid("requestedSchema is not the schema of an object")
  }
  const properties = schema["properties"] ?? {}
  if (!isObject(properties)) return yield* invalid("the properties of requestedSchema are not an object")
  const entries = Object.entries(properties)
  if (entries.length > ELICITATION_MAX_FIELDS) {
    return yield* invalid(`requestedSchema has more than ${ELICITATION_MAX_FIELDS} fields`)
  }
  const listed = Array.isArray(schema["required"]) ? schema["required"] : []
  const required = new Set(listed.slice(0, ELICITATION_MAX_FIELDS))

  const left: Left = { choices: ELICITATION_MAX_CHOICES }

  // Each field in its own step, because its texts may be long.
  const read = yield* Effect.forEach(entries, ([name, property]) =>
    Effect.andThen(Effect.yieldNow, readField(name, property, required, words, left))
  )
  return {
    fields: read.map(({ field }) => field),
    schema: {
      type: "object",
      properties: Object.fromEntries(read.map(({ field, shown }) => [field.name, shown])),
      required: read.flatMap(({ field }) => (field.required ? [field.name] : []))
    }
  }
})

const readField = Effect.fnUntraced(function* (
  name: string,
  property: unknown,
  required: ReadonlySet<unknown>,
  words: Words,
  left: Left
) {
  // The answer contains the name, so it must be shown unchanged or not at all.
  if (name === "" || !words.isExact(name, ELICITATION_VALUE_MAX_CHARS)) {
    return yield* invalid("requestedSchema has a field whose name cannot be shown")
  }
  const called = `the field ${JSON.stringify(words.line(name, QUOTED_NAME_MAX_CHARS))} of requestedSchema`
  const raw = isObject(property) ? withoutNull(property) : undefined
  const read = raw === undefined ? undefined : readKind(raw, words, left)
  if (raw === undefined || read === undefined) {
    return yield* invalid(`${called} is neither a string, a number, a boolean nor a choice`)
  }
  if (typeof read === "string") return yield* invalid(`${called} ${read}`)
  const { kind, shown } = read
  const preset = readDefault(raw["default"], kind, words)
  const field: Field = { name, required: required.has(name), kind, default: preset }
  return {
    field,
    shown: {
      ...shown,
      ...text("title", raw["title"], (title) => words.line(title, LABEL_MAX_CHARS)),
      ...text("description", raw["description"], (given) => words.prose(given, PARAMETER_DESCRIPTION_MAX_CHARS)),
      ...(preset === undefined ? undefined : { default: preset })
    }
  }
})

/** `string | null`, as generators write optional fields, is an optional string. */
const withoutNull = (property: Raw): Raw => {
  const { anyOf, type, ...rest } = property
  if (Array.isArray(type)) {
    const types = type.filter((name) => name !== "null")
    return types.length === 1 ? { ...property, type: types[0] } : property
  }
  const others = Array.isArray(anyOf) ? anyOf.filter((member) => !isObject(member) || member["type"] !== "null") : []
  const [only] = others
  return type === undefined && others.length === 1 && isObject(only) && !("const" in only)
    ? { ...only, ...rest }
    : property
}

interface ReadKind {
  readonly kind: Kind
  readonly shown: JsonObject
}

/** The kind, what is wrong with it, or `undefined` for a kind that forms do not have. */
const readKind = (raw: Raw, words: Words, left: Left): ReadKind | string | undefined => {
  const type = raw["type"]
  if (type === "boolean") return { kind: { type }, shown: { type } }
  if (type === "number" || type === "integer") {
    const range = { ...number("minimum", raw, words), ...number("maximum", raw, words) }
    return { kind: { type, ...range }, shown: { type, ...range } }
  }
  if (type === "array") {
    const items = raw["items"]
    const choices = isObject(items) ? readChoices(items, "anyOf", words, left) : undefined
    if (choices === undefined || typeof choices === "string") return choices
    const size = { ...count("minItems", raw, words), ...count("maxItems", raw, words) }
    return {
      kind: { type, choices: choices.values, ...size },
      shown: { type, items: choices.shown, ...size }
    }
  }
  const choices = readChoices(raw, "oneOf", words, left)
  if (typeof choices === "string") return choices
  if (choices !== undefined) return { kind: { type: "string", choices: choices.values }, shown: choices.shown }
  if (type !== "string") return undefined
  const format = fieldFormat(raw["format"])
  const limits = {
    ...count("minLength", raw, words),
    ...count("maxLength", raw, words),
    ...(format === undefined ? undefined : { format })
  }
  return { kind: { type, ...limits }, shown: { type, ...limits } }
}

interface Choices {
  readonly values: ReadonlySet<string>
  readonly shown: JsonObject
}

/** `enum`, with or without `enumNames`, or the titled form: `oneOf` for one choice, `anyOf` for several. */
const readChoices = (
  raw: Raw,
  titledKey: "oneOf" | "anyOf",
  words: Words,
  left: Left
): Choices | string | undefined => {
  if ((raw["type"] ?? "string") !== "string") return undefined
  const titled = raw["oneOf"] ?? raw["anyOf"]
  const plain = raw["enum"]
  if (!Array.isArray(titled) && !Array.isArray(plain)) return undefined
  const list: ReadonlyArray<unknown> = Array.isArray(titled) ? titled : (plain as ReadonlyArray<unknown>)
  if (list.length === 0) return "has nothing to choose from"
  left.choices -= list.length
  if (left.choices < 0) return `has one choice too many: a form may have ${ELICITATION_MAX_CHOICES}`
  const values = Array.isArray(titled) ? list.map((item) => (isObject(item) ? item["const"] : undefined)) : list
  if (!values.every((value) => typeof value === "string")) return "has a choice that is not a string"
  if (!values.every((value) => words.isExact(value, ELICITATION_VALUE_MAX_CHARS))) {
    return "has a choice that cannot be shown as it is"
  }
  const title = (given: unknown, value: string) =>
    typeof given === "string" ? words.line(given, LABEL_MAX_CHARS) || value : value
  const names = Array.isArray(raw["enumNames"]) ? raw["enumNames"] : undefined
  const shown: JsonObject = Array.isArray(titled)
    ? {
        type: "string",
        [titledKey]: values.map((value, i) => ({ const: value, title: title((list[i] as Raw)["title"], value) }))
      }
    : {
        type: "string",
        enum: values,
        ...(names === undefined ? undefined : { enumNames: values.map((value, i) => title(names[i], value)) })
      }
  return { values: new Set(values), shown }
}

/** Kept only if it is a valid answer and can be shown: nothing unseen is sent in the person's name. */
const readDefault = (given: unknown, kind: Kind, words: Words): ElicitationValue | undefined => {
  const value: unknown = Array.isArray(given) ? [...new Set<unknown>(given)] : given
  if (problemOf(value, kind) !== undefined) return undefined
  if (typeof value === "boolean" || kind.choices !== undefined) return value as ElicitationValue
  return words.isExact(String(value), PARAMETER_DESCRIPTION_MAX_CHARS) ? (value as ElicitationValue) : undefined
}

const text = (key: string, value: unknown, clean: (value: string) => string): JsonObject | undefined =>
  typeof value === "string" && value.trim() !== "" ? { [key]: clean(value) } : undefined

const number = <K extends string>(key: K, raw: Raw, words: Words): { readonly [_ in K]?: number } | undefined => {
  const value = raw[key]
  return typeof value === "number" && Number.isFinite(value) && words.isExact(String(value), NUMBER_MAX_CHARS)
    ? ({ [key]: value } as { [_ in K]: number })
    : undefined
}
/** The longest number: -1.7976931348623157e+308. */
const NUMBER_MAX_CHARS = 32

const count = <K extends string>(key: K, raw: Raw, words: Words): { readonly [_ in K]?: number } | undefined => {
  const value = raw[key]
  return Number.isSafeInteger(value) && Number(value) >= 0 ? number(key, raw, words) : undefined
}
