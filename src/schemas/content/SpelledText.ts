/**
 * A stranger's text with everything in it to be seen: what draws nothing, turns the direction of writing or moves a cursor
 * stands there as its number. For people who decide whether they trust it; a model is given cleaned text instead.
 */

/** Controls, direction marks, tags, variation selectors, blanks that are no space, halves of characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

/** Marks of our own that a text could forge. */
const OURS = /⟨|\[-|-\]|\{\+|\+\}/g

const SPACES_MAX = 8
const BREAKS_MAX = 3

const numbered = (char: string): string =>
  char === "\n" ? char : `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`

/** Line breaks stay; long runs of nothing, behind which something may be hidden, are counted. */
export const spelled = (text: string): string =>
  text
    .replace(OURS, (mark) => `\\${mark}`)
    .replace(UNSEEN, numbered)
    .replace(/ {2,4096}/g, (run) => (run.length > SPACES_MAX ? ` ⟨${run.length} spaces⟩ ` : run))
    .replace(/\n{2,4096}/g, (run) => (run.length > BREAKS_MAX ? `\n⟨${run.length} line breaks⟩\n` : run))

/** On one line. */
export const spelledName = (text: string): string => spelled(text).replaceAll("\n", "⟨U+000A⟩")

/** A document on its way to a terminal: valid JSON, with everything unseen as an escape. */
export const spelledJson = (document: unknown): string =>
  JSON.stringify(document, null, 2).replace(UNSEEN, (char) =>
    char === "\n"
      ? char
      : Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
  )
