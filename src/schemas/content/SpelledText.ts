/**
 * Makes everything in a foreign text visible: characters that are invisible, change the writing direction or move the cursor
 * are shown as their number. For people who decide whether to trust it; a model gets cleaned text instead.
 */

/** Controls, direction marks, tags, variation selectors, unusual blanks, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

/** Our own marks, which a text could forge. */
const OURS = /⟨|\[-|-\]|\{\+|\+\}/g

const SPACES_MAX = 8
const BREAKS_MAX = 3

const numbered = (char: string): string =>
  char === "\n" ? char : `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`

/** Keeps line breaks; long runs of blanks, which may hide something after them, are counted. */
export const spelled = (text: string): string =>
  text
    .replace(OURS, (mark) => `\\${mark}`)
    .replace(UNSEEN, numbered)
    .replace(/ {2,4096}/g, (run) => (run.length > SPACES_MAX ? ` ⟨${run.length} spaces⟩ ` : run))
    .replace(/\n{2,4096}/g, (run) => (run.length > BREAKS_MAX ? `\n⟨${run.length} line breaks⟩\n` : run))

/** On one line. */
export const spelledName = (text: string): string => spelled(text).replaceAll("\n", "⟨U+000A⟩")

/** A document for a terminal: valid JSON, with everything invisible escaped. */
export const spelledJson = (document: unknown): string =>
  JSON.stringify(document, null, 2).replace(UNSEEN, (char) =>
    char === "\n"
      ? char
      : Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
  )

/** A stretch of a text, or one character in it that cannot be seen. */
export interface SeenPart {
  readonly text: string
  /** `U+200B`; missing for what can be seen. */
  readonly unseen?: string
}

/** For a display that can set off what cannot be seen in another way than in the text itself. Line breaks and tabs stay. */
export const seenParts = (text: string): ReadonlyArray<SeenPart> => {
  const parts: Array<SeenPart> = []
  let from = 0
  for (const { 0: char, index } of text.matchAll(UNSEEN)) {
    if (char === "\n" || char === "\t") continue
    if (index > from) parts.push({ text: text.slice(from, index) })
    parts.push({ text: char, unseen: numbered(char).slice(1, -1) })
    from = index + char.length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}
