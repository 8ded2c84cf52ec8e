/** Texts for descriptions: one short line, never cut inside a character. */
import { SCHEMA_NOTE_MAX_CHARS } from "../../defaults/Definitions.ts"
import type { Json } from "../../data/Json.ts"
import { inOneLine } from "../../data/Whitespace.ts"

export const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars
    ? text
    : `${text
        .slice(0, Math.max(0, maxChars - 1))
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`

export const oneLine = (text: string): string => inOneLine(text.toWellFormed()).trim()

/** A sentence of a description. */
export const note = (text: string): string => cut(oneLine(text), SCHEMA_NOTE_MAX_CHARS)

/** As many of the values as fit, as JSON, and the number of the others. */
export const listed = (values: ReadonlyArray<Json>, maxChars: number = SCHEMA_NOTE_MAX_CHARS - 60): string => {
  const shown: Array<string> = []
  let chars = 0
  for (const value of values) {
    const text = JSON.stringify(value)
    chars += text.length + 2
    if (chars > maxChars) break
    shown.push(text)
  }
  const left = values.length - shown.length
  return `${shown.join(", ")}${left === 0 ? "" : `${shown.length === 0 ? "" : ", "}… (${left} more)`}`
}
