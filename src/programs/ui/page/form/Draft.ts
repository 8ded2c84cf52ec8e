/** What a person has entered so far, in the shape of the fields; a value as JSON becomes a draft, and so does nothing at all. Pure. */
import { canonical, isObject, type Json } from "../../../../schemas/data/Json.ts"
import type { Schema } from "../../../../schemas/call/normalizeSchema/Schema.ts"
import { fieldOf, type Field, type FieldOf } from "./Field.ts"

/** An item of a list keeps its key while others come and go, so that the focus stays. */
export interface Item {
  readonly key: number
  readonly draft: Draft
}
/** A member that the schema does not name. */
export interface Other extends Item {
  readonly name: string
}

export type Draft =
  | { readonly kind: "unset" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "flag"; readonly on: boolean }
  /** -1: nothing is chosen yet. */
  | { readonly kind: "choice"; readonly index: number }
  | { readonly kind: "choices"; readonly indexes: ReadonlyArray<number> }
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Draft>; readonly others: ReadonlyArray<Other> }
  | { readonly kind: "list"; readonly items: ReadonlyArray<Item> }
  | { readonly kind: "option"; readonly index: number; readonly draft: Draft }
  /** JSON by hand. */
  | { readonly kind: "raw"; readonly text: string }

export type DraftOf<Kind extends Draft["kind"]> = Extract<Draft, { readonly kind: Kind }>

export const UNSET: Draft = { kind: "unset" }

export const rawOf = (value: Json | undefined): Draft => ({
  kind: "raw",
  text: value === undefined ? "" : JSON.stringify(value, null, 2)
})

/** More are added by hand. */
const FIRST_ITEMS_MAX = 8

/** The schema of the item at `index`; `undefined` when a list may have none there. */
export const itemSchema = ({ first, items }: FieldOf<"list">, index: number): Schema | undefined =>
  first[index] ?? (items === false ? undefined : items)

export const nextKey = (items: ReadonlyArray<Item>): number => Math.max(-1, ...items.map(({ key }) => key)) + 1

/** What stands there before anything is entered. What may be left out is left out. */
export const emptyDraft = (field: Field, isRequired: boolean): Draft => {
  if (!isRequired) return UNSET
  return field.default === undefined ? blankDraft(field) : draftOf(field, field.default)
}

/** A value to fill in. */
export const blankDraft = (field: Field): Draft => {
  switch (field.kind) {
    case "text":
    case "number":
      return { kind: "text", text: "" }
    case "flag":
      return { kind: "flag", on: false }
    case "choice":
      return { kind: "choice", index: field.choices.length === 1 ? 0 : -1 }
    case "choices":
      return { kind: "choices", indexes: [] }
    case "object":
      return {
        kind: "object",
        members: new Map(
          field.members.map(({ isRequired, name, schema }) => [name, emptyDraft(fieldOf(schema), isRequired)])
        ),
        others: []
      }
    case "list": {
      const count = Math.min(FIRST_ITEMS_MAX, Math.max(field.first.length, field.bounds.minItems ?? 0))
      const items = Array.from({ length: count }, (_, index) => itemSchema(field, index))
      return {
        kind: "list",
        items: items.flatMap((schema, key) =>
          schema === undefined ? [] : [{ key, draft: emptyDraft(fieldOf(schema), true) }]
        )
      }
    }
    case "options":
      return { kind: "option", index: 0, draft: emptyDraft(fieldOf(field.options[0]!), true) }
    case "json":
      return rawOf(undefined)
  }
}

// ---- from a value ----------------------------------------------------------------------------------------------------

const indexIn = (choices: ReadonlyArray<Json>, value: Json): number => {
  const text = canonical(value)
  return choices.findIndex((choice) => canonical(choice) === text)
}

/** The draft that stands for a value. What the field cannot show becomes JSON by hand, so that nothing is lost. */
export const draftOf = (field: Field, value: Json): Draft => fitting(field, value) ?? rawOf(value)

const fitting = (field: Field, value: Json): Draft | undefined => {
  switch (field.kind) {
    case "text":
      // An empty text in the form means that nothing was entered.
      return typeof value === "string" && value !== "" ? { kind: "text", text: value } : undefined
    case "number":
      return typeof value === "number" ? { kind: "text", text: String(value) } : undefined
    case "flag":
      return typeof value === "boolean" ? { kind: "flag", on: value } : undefined
    case "choice": {
      const index = indexIn(field.choices, value)
      return index < 0 ? undefined : { kind: "choice", index }
    }
    case "choices": {
      if (!Array.isArray(value)) return undefined
      const indexes = value.map((item: Json) => indexIn(field.choices, item))
      const isInOrder = indexes.every((index, place) => index >= 0 && index > (indexes[place - 1] ?? -1))
      return isInOrder ? { kind: "choices", indexes } : undefined
    }
    case "object":
      return isObject(value) ? objectDraft(field, value as Readonly<Record<string, Json>>) : undefined
    case "list":
      return Array.isArray(value) ? listDraft(field, value) : undefined
    case "options":
      return optionDraft(field, value)
    case "json":
      return undefined
  }
}

const objectDraft = (field: FieldOf<"object">, value: Readonly<Record<string, Json>>): Draft => {
  const named = new Set(field.members.map(({ name }) => name))
  const others = Object.entries(value).filter(([name]) => !named.has(name))
  const otherField = fieldOf(field.others === false ? {} : field.others)
  return {
    kind: "object",
    members: new Map(
      field.members.map(({ name, schema }) => {
        const given = Object.hasOwn(value, name) ? value[name] : undefined
        return [name, given === undefined ? UNSET : draftOf(fieldOf(schema), given)]
      })
    ),
    others: others.map(([name, given], key) => ({ key, name, draft: draftOf(otherField, given) }))
  }
}

const listDraft = (field: FieldOf<"list">, value: ReadonlyArray<Json>): Draft | undefined => {
  const schemas = value.map((_, index) => itemSchema(field, index))
  if (schemas.includes(undefined)) return undefined
  return {
    kind: "list",
    items: value.map((item, key) => ({ key, draft: draftOf(fieldOf(schemas[key]!), item) }))
  }
}

/** The first alternative that shows the value without JSON by hand. */
const optionDraft = ({ options }: FieldOf<"options">, value: Json): Draft | undefined => {
  for (const [index, option] of options.entries()) {
    const draft = fitting(fieldOf(option), value)
    if (draft !== undefined && !holdsRaw(draft) && namesAll(fieldOf(option), value))
      return { kind: "option", index, draft }
  }
  return undefined
}

const holdsRaw = (draft: Draft): boolean => {
  switch (draft.kind) {
    case "raw":
      return true
    case "object":
      return [...draft.members.values(), ...draft.others.map((other) => other.draft)].some(holdsRaw)
    case "list":
      return draft.items.some((item) => holdsRaw(item.draft))
    case "option":
      return holdsRaw(draft.draft)
    default:
      return false
  }
}

const namesAll = (field: Field, value: Json): boolean =>
  field.kind !== "object" ||
  (isObject(value) &&
    field.members.every(({ isRequired, name }) => !isRequired || Object.hasOwn(value, name)) &&
    Object.keys(value).every((name) => field.members.some((member) => member.name === name)))
