/** What a schema requires of a value, in words for the person who fills in a form. */
import type { Bound } from "../../../../schemas/call/normalizeSchema/Schema.ts"
import type { Field } from "./Field.ts"

const WORDS: Readonly<Record<Bound, (limit: number) => string>> = {
  minimum: (limit) => `at least ${limit}`,
  exclusiveMinimum: (limit) => `more than ${limit}`,
  maximum: (limit) => `at most ${limit}`,
  exclusiveMaximum: (limit) => `less than ${limit}`,
  multipleOf: (limit) => `a multiple of ${limit}`,
  minLength: (limit) => `at least ${counted(limit, "character")}`,
  maxLength: (limit) => `at most ${counted(limit, "character")}`,
  minItems: (limit) => `at least ${counted(limit, "item")}`,
  maxItems: (limit) => `at most ${counted(limit, "item")}`,
  minProperties: (limit) => `at least ${counted(limit, "member")}`,
  maxProperties: (limit) => `at most ${counted(limit, "member")}`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const FORMATS: Readonly<Record<string, string>> = {
  email: "an email address",
  uri: "an address such as https://example.org/",
  date: "a date such as 2026-01-31",
  "date-time": "a time such as 2026-01-31T12:00:00Z"
}

export const formatWords = (format: string): string =>
  Object.hasOwn(FORMATS, format) ? FORMATS[format]! : `format: ${format}`

/** The bounds that the value breaks, each with what it must be. */
export const brokenBounds = (
  bounds: Field["bounds"],
  holds: Readonly<Partial<Record<Bound, (limit: number) => boolean>>>
): ReadonlyArray<string> =>
  (Object.keys(holds) as ReadonlyArray<Bound>).flatMap((bound) => {
    const limit = bounds[bound]
    return limit === undefined || holds[bound]!(limit) ? [] : [WORDS[bound](limit)]
  })

/** A pattern is shown and never run: one that the server made could run for ever. */
export const limitsOf = (field: Field): ReadonlyArray<string> => [
  ...(Object.keys(WORDS) as ReadonlyArray<Bound>).flatMap((bound) => {
    const limit = field.bounds[bound]
    return limit === undefined ? [] : [WORDS[bound](limit)]
  }),
  ...(field.kind === "text" && field.format !== undefined ? [formatWords(field.format)] : []),
  ...(field.kind === "text" && field.pattern !== undefined ? [`must match ${field.pattern}`] : []),
  ...(field.kind === "list" && field.isUnique ? ["no item twice"] : [])
]
