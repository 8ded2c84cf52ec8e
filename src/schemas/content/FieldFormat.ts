/**
 * The formats that a text field of a server's form may have, and whether a text is of one. One check for the terminal and
 * for the host behind it: what the one takes, the other sends.
 */

const FIELD_FORMATS = ["email", "uri", "date", "date-time"] as const

export type FieldFormat = (typeof FIELD_FORMATS)[number]

const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/

/** `Date.parse` takes the 31st of February for the 3rd of March. */
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

/** The format of this name; a name that is not known says nothing about a text. */
export const fieldFormat = (name: unknown): FieldFormat | undefined => FIELD_FORMATS.find((known) => known === name)

/** Enough to tell a slip from an answer: the server decides what it takes. */
export const isOfFormat = (text: string, format: FieldFormat): boolean => CHECKS[format](text)
