/**
 * The boundaries of a text that was wrapped for a model: removes them for a person, and keeps them when the text has to be
 * shortened.
 */

const OPENING = /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]+)">>>\n/
const HEADER_END = "\n---\n"

/** The text without its boundaries and the introduction for a model. */
export const unbounded = (text: string): string => {
  const opening = OPENING.exec(text)
  if (opening === null) return text
  const header = text.indexOf(HEADER_END, opening.index)
  const end = text.lastIndexOf(`\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${opening[1]}">>>`)
  const begin = header + HEADER_END.length
  return header === -1 || end < begin ? text : `${text.slice(0, opening.index)}${text.slice(begin, end)}`
}

const WRAPPED =
  /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]+)">>>\nSource: MCP Server\nServer: ([^\n]*)\n(?:Tool: ([^\n]*)\n)?/
const TAG_DIGITS = 4

/**
 * For a person at a terminal: one line before the server's text and one after it, both with a tag that the server could not know.
 */
export const ruled = (text: string): string => {
  const opening = WRAPPED.exec(text)
  if (opening === null) return text
  const [, id = "", server = "", tool] = opening
  const begin = text.indexOf(HEADER_END, opening.index) + HEADER_END.length
  const closing = `\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${id}">>>`
  const end = text.indexOf(closing, begin - 1)
  if (begin < HEADER_END.length || end === -1) return text
  const tag = id.slice(0, TAG_DIGITS)
  const from = tool === undefined ? server : `${server}/${tool}`
  const inside = text.slice(begin, Math.max(begin, end))
  const rest = ruled(text.slice(end + closing.length))
  return `${text.slice(0, opening.index)}── ${from} says ── ${tag}\n${inside}\n── end ── ${tag}${rest}`
}

const CUT = "\n[… cut: too long to be shown here …]"
const ROOM_MIN_CHARS = 1

/**
 * A wrapped text cut to `maxChars` characters with its closing boundary in place; a text that is not wrapped is cut at its
 * end. Cutting a wrapped text in any other way would lose the boundary.
 */
export const shortened = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text
  const id = OPENING.exec(text)?.[1]
  const closing = id === undefined ? "" : `\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${id}">>>`
  const end = closing === "" ? text.length : text.lastIndexOf(closing)
  const tail = end === -1 ? "" : text.slice(end, end + closing.length)
  const room = Math.max(ROOM_MIN_CHARS, maxChars - CUT.length - tail.length)
  // Do not split a character.
  return `${text.slice(0, Math.min(end === -1 ? text.length : end, room)).replace(/[\ud800-\udbff]$/, "")}${CUT}${tail}`
}

const OPENINGS = new RegExp(OPENING, "g")

/** The beginning of a text, with the closing boundary that it lost in a cut. */
export const closedAgain = (beginning: string): string => {
  const last = [...beginning.matchAll(OPENINGS)].at(-1)
  if (last === undefined) return beginning
  const closing = `\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${last[1]}">>>`
  return beginning.includes(closing, last.index) ? beginning : `${beginning}${closing}`
}

const OPENING_BEGINS = '<<<EXTERNAL_UNTRUSTED_CONTENT id="'
const OPENING_CHARS = 80

/** Where a text may be cut: before `end`, or before the wrapped text around it, if that begins after `from`. */
export const outsideOfWrapped = (text: string, from: number, end: number): number => {
  const at = text.lastIndexOf(OPENING_BEGINS, end)
  const opening = at <= from ? null : OPENING.exec(text.slice(at, at + OPENING_CHARS))
  if (opening?.index !== 0) return end
  const closing = `\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${opening[1]}">>>`
  const closes = text.indexOf(closing, at)
  return closes === -1 || closes + closing.length <= end ? end : at
}
