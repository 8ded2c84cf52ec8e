/** A schema as lines that a person can read: names, types, what is required, and what each value means. Pure. */
import { fieldOf, labelOf, type Field } from "./Field.ts"
import type { Schema } from "../../../../schemas/call/normalizeSchema/Schema.ts"
import { limitsOf } from "./limits.ts"

export interface OutlineRow {
  readonly depth: number
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly about: string | undefined
  /** Limits, the default, and what else the schema says. */
  readonly notes: ReadonlyArray<string>
}

export interface Outline {
  readonly rows: ReadonlyArray<OutlineRow>
  /** There are more than are shown. */
  readonly isCut: boolean
}

const ROWS_MAX = 400

/** Short where the rows below say the rest. */
const typeOf = (field: Field): string => {
  const orNull = field.isNullable ? " or null" : ""
  switch (field.kind) {
    case "object":
      return `object${orNull}`
    case "list":
      return `list${orNull}`
    case "options":
      return `one of ${field.options.length}${orNull}`
    default:
      return field.type
  }
}

interface Inner {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

const insideOf = (field: Field): ReadonlyArray<Inner> => {
  switch (field.kind) {
    case "object": {
      const isOpen = field.others !== false && Object.keys(field.others).length > 0
      return [
        ...field.members,
        ...(isOpen ? [{ name: "any other name", schema: field.others as Schema, isRequired: false }] : [])
      ]
    }
    case "list":
      return [
        ...field.first.map((schema, index) => ({ name: `item ${index + 1}`, schema, isRequired: true })),
        ...(field.items === false || Object.keys(field.items).length === 0
          ? []
          : [{ name: "each item", schema: field.items, isRequired: false }])
      ]
    case "options":
      return field.options.map((schema) => ({ name: `either: ${labelOf(schema)}`, schema, isRequired: false }))
    default:
      return []
  }
}

export const outlineOf = (root: Field): Outline => {
  const rows: Array<OutlineRow> = []
  let isCut = false
  const add = (inside: ReadonlyArray<Inner>, depth: number): void => {
    for (const { isRequired, name, schema } of inside) {
      if (rows.length >= ROWS_MAX) {
        isCut = true
        return
      }
      const field = fieldOf(schema)
      rows.push({
        depth,
        name,
        type: typeOf(field),
        isRequired,
        about: field.about ?? field.title,
        notes: [
          ...limitsOf(field),
          ...(field.default === undefined ? [] : [`default: ${JSON.stringify(field.default)}`]),
          ...field.notes
        ]
      })
      add(insideOf(field), depth + 1)
    }
  }
  add(insideOf(root), 0)
  return { rows, isCut }
}
