/** Takes the boundary off a text that was wrapped for a model: a person is shown what is in it. */

const OPENING = /<<<EXTERNAL_UNTRUSTED_CONTENT id="([0-9a-f]+)">>>\n/
const HEADER_END = "\n---\n"

/** The text without the boundary that stands around it for a model, and without what introduces it there. */
export const unbounded = (text: string): string => {
  const opening = OPENING.exec(text)
  if (opening === null) return text
  const header = text.indexOf(HEADER_END, opening.index)
  const end = text.lastIndexOf(`\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${opening[1]}">>>`)
  const begin = header + HEADER_END.length
  return header === -1 || end < begin ? text : `${text.slice(0, opening.index)}${text.slice(begin, end)}`
}
