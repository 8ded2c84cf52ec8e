/** The value that a draft stands for, and what is wrong with it, each problem with the place of its field. Pure. */
import { isOfFormat, fieldFormat } from "../../../../schemas/content/FieldFormat.ts"
import { canonical, type Json } from "../../../../schemas/data/Json.ts"
import type { Draft, DraftOf } from "./Draft.ts"
import { itemSchema } from "./Draft.ts"
import { fieldOf, type Field, type FieldOf } from "./Field.ts"
import { brokenBounds, formatWords } from "./limits.ts"

export interface Problem {
  /** A JSON pointer to the field. */
  readonly place: string
  /** What to do about it. */
  readonly words: string
}

/** `undefined`: nothing is sent for this field. */
export interface Entered {
  readonly value: Json | undefined
  readonly problems: ReadonlyArray<Problem>
}

export const placeIn = (place: string, step: string | number): string =>
  `${place}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`

const NOTHING: Entered = { value: undefined, problems: [] }
const just = (value: Json): Entered => ({ value, problems: [] })
const wrong = (place: string, words: string, value?: Json): Entered => ({ value, problems: [{ place, words }] })
const must = (place: string, value: Json, rules: ReadonlyArray<string>): Entered => ({
  value,
  problems: rules.map((rule) => ({ place, words: `This must be ${rule}.` }))
})

interface At {
  readonly place: string
  readonly isRequired: boolean
}

export const entered = (field: Field, draft: Draft, { isRequired, place }: At): Entered => {
  switch (draft.kind) {
    case "unset":
      return nothing(field, { isRequired, place })
    case "raw":
      return raw(draft.text, { isRequired, place })
    case "text":
      if (draft.text === "") return nothing(field, { isRequired, place })
      return field.kind === "number" ? numberOf(field, draft.text, place) : textOf(field, draft.text, place)
    case "flag":
      return just(draft.on)
    case "choice": {
      const chosen = field.kind === "choice" ? field.choices[draft.index] : undefined
      return chosen === undefined ? nothing(field, { isRequired, place }, "Choose one of these.") : just(chosen)
    }
    case "choices":
      return choicesOf(field, draft, place)
    case "object":
      return field.kind === "object" ? objectOf(field, draft, place) : NOTHING
    case "list":
      return field.kind === "list" ? listOf(field, draft, place) : NOTHING
    case "option": {
      const option = field.kind === "options" ? field.options[draft.index] : undefined
      return option === undefined ? NOTHING : entered(fieldOf(option), draft.draft, { isRequired: true, place })
    }
  }
}

const nothing = (field: Field, { isRequired, place }: At, words = "Fill this in."): Entered => {
  if (!isRequired) return NOTHING
  return field.isNullable ? just(null) : wrong(place, words)
}

const raw = (text: string, { isRequired, place }: At): Entered => {
  if (text.trim() === "") return isRequired ? wrong(place, "Enter a value as JSON.") : NOTHING
  try {
    return just(JSON.parse(text) as Json)
  } catch (error) {
    const detail = error instanceof Error ? error.message : "it cannot be read"
    return wrong(place, `This is not JSON: ${detail}.`)
  }
}

// ---- single values -----------------------------------------------------------------------------------------------------

const textOf = (field: Field, text: string, place: string): Entered => {
  if (field.kind !== "text") return just(text)
  const length = Array.from(text).length
  const rules = brokenBounds(field.bounds, {
    minLength: (limit) => length >= limit,
    maxLength: (limit) => length <= limit
  })
  const format = fieldFormat(field.format)
  const isOf = format === undefined || isOfFormat(text, format)
  return must(place, text, isOf ? rules : [...rules, formatWords(format)])
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

const numberOf = (field: FieldOf<"number">, text: string, place: string): Entered => {
  const trimmed = text.trim()
  const number = Number(trimmed)
  if (!NUMBER.test(trimmed) || !Number.isFinite(number)) return wrong(place, "This must be a number.")
  if (field.isInteger && !Number.isInteger(number)) return wrong(place, "This must be a whole number.", number)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    return wrong(place, "This number is too large to be exact.", number)
  }
  return must(
    place,
    number,
    brokenBounds(field.bounds, {
      minimum: (limit) => number >= limit,
      exclusiveMinimum: (limit) => number > limit,
      maximum: (limit) => number <= limit,
      exclusiveMaximum: (limit) => number < limit,
      // 0.3 is a multiple of 0.1 for people.
      multipleOf: (step) => step <= 0 || Math.abs(number / step - Math.round(number / step)) < 1e-9
    })
  )
}

// ---- values with others in them ----------------------------------------------------------------------------------------

const choicesOf = (field: Field, { indexes }: DraftOf<"choices">, place: string): Entered => {
  if (field.kind !== "choices") return NOTHING
  const values = indexes.toSorted((one, other) => one - other).flatMap((index) => field.choices[index] ?? [])
  return must(place, values, lengthRules(field, values.length))
}

const lengthRules = ({ bounds }: Field, length: number): ReadonlyArray<string> =>
  brokenBounds(bounds, { minItems: (limit) => length >= limit, maxItems: (limit) => length <= limit }).map(
    (rule) => `a list of ${rule}`
  )

const objectOf = (field: FieldOf<"object">, draft: DraftOf<"object">, place: string): Entered => {
  const problems: Array<Problem> = []
  const values: Array<readonly [string, Json]> = []
  const add = (name: string, { problems: found, value }: Entered) => {
    problems.push(...found)
    if (value !== undefined) values.push([name, value])
  }
  for (const { isRequired, name, schema } of field.members) {
    const member = draft.members.get(name) ?? { kind: "unset" }
    add(name, entered(fieldOf(schema), member, { isRequired, place: placeIn(place, name) }))
  }
  const known = new Set(field.members.map(({ name }) => name))
  const otherField = fieldOf(field.others === false ? {} : field.others)
  for (const { draft: other, key, name } of draft.others) {
    const otherPlace = placeIn(place, `+${key}`)
    if (name === "") problems.push({ place: otherPlace, words: "Name it." })
    else if (known.has(name)) problems.push({ place: otherPlace, words: "There is one with this name already." })
    else if (field.others === false) problems.push({ place: otherPlace, words: "The schema allows no other members." })
    known.add(name)
    add(name, entered(otherField, other, { isRequired: true, place: otherPlace }))
  }
  const rules = brokenBounds(field.bounds, {
    minProperties: (limit) => values.length >= limit,
    maxProperties: (limit) => values.length <= limit
  })
  // Unlike assignment, this makes an own property even of `__proto__`.
  const own = must(
    place,
    Object.fromEntries(values),
    rules.map((rule) => `an object with ${rule}`)
  )
  return { value: own.value, problems: [...own.problems, ...problems] }
}

const listOf = (field: FieldOf<"list">, { items }: DraftOf<"list">, place: string): Entered => {
  const each = items.map(({ draft }, index) => {
    const schema = itemSchema(field, index) ?? {}
    return entered(fieldOf(schema), draft, { isRequired: true, place: placeIn(place, index) })
  })
  const values = each.flatMap(({ value }) => (value === undefined ? [] : [value]))
  const isTwice = field.isUnique && new Set(values.map(canonical)).size < values.length
  const rules = [...lengthRules(field, items.length), ...(isTwice ? ["a list with no item twice"] : [])]
  const own = must(place, values, rules)
  return { value: values, problems: [...own.problems, ...each.flatMap(({ problems }) => problems)] }
}
