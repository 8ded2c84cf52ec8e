/**
 * The formats of text fields in a server's form, and whether a text has one. The terminal and the host use the same check, so
 * that the host accepts what the terminal accepted.
 */

const FIELD_FORMATS = ["email", "uri", "date", "date-time"] as const

export type FieldFormat = (typeof FIELD_FORMATS)[number]

const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/

/** `Date.parse` reads February 31st as March 3rd. */
const isDay = (text: string) => {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const CHECKS: Readonly<Record<FieldFormat, (text: string) => boolean>> = {
  email: (text) => {
    const at = text.lastIndexOf("@")
    return at > 0 && at < text.length - 1 && !/[\s\p{Cc}]/u.test(text)
  },
  uri: (text) => URL.canParse(text),
  date: (text) => DATE.test(text) && isDay(text),
  "date-time": (text) => DATE_TIME.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
}

/** The format with this name; an unknown name restricts nothing. */
export const fieldFormat = (name: unknown): FieldFormat | undefined => FIELD_FORMATS.find((known) => known === name)

/** Enough to detect typing errors: the server makes the real check. */
export const isOfFormat = (text: string, format: FieldFormat): boolean => CHECKS[format](text)
