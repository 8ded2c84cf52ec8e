/** A text in pieces: what is suspicious in it is marked, and what cannot be seen is spelled out. Pure. */
import { seenParts } from "../../../../schemas/content/SpelledText.ts"

/** A stretch of a text that something is said about. */
export interface Mark {
  readonly from: number
  readonly to: number
  readonly words: string
}

export interface Stretch {
  readonly text: string
  /** What all marks say that cover it; empty for an ordinary stretch. */
  readonly words: ReadonlyArray<string>
}

/** Together, the stretches are the text. Marks may overlap. */
export const stretchesOf = (text: string, marks: ReadonlyArray<Mark>): ReadonlyArray<Stretch> => {
  const within = marks
    .map(({ from, to, words }) => ({ from: Math.max(0, from), to: Math.min(text.length, to), words }))
    .filter(({ from, to }) => from < to)
  const edges = [...new Set([0, text.length, ...within.flatMap(({ from, to }) => [from, to])])].toSorted(
    (a, b) => a - b
  )
  return edges.slice(1).map((to, place) => {
    const from = edges[place]!
    const covering = within.filter((mark) => mark.from <= from && mark.to >= to)
    return { text: text.slice(from, to), words: [...new Set(covering.map(({ words }) => words))] }
  })
}

export interface Glyph {
  readonly text: string
  /** The character's number, and its name if people know it by one. */
  readonly unseen?: { readonly code: string; readonly name: string | undefined }
}

const NAMES: Readonly<Record<string, string>> = {
  "U+00A0": "no-break space",
  "U+00AD": "soft hyphen",
  "U+034F": "grapheme joiner",
  "U+061C": "Arabic letter mark",
  "U+180E": "Mongolian vowel separator",
  "U+200B": "zero-width space",
  "U+200C": "zero-width non-joiner",
  "U+200D": "zero-width joiner",
  "U+200E": "left-to-right mark",
  "U+200F": "right-to-left mark",
  "U+2028": "line separator",
  "U+2029": "paragraph separator",
  "U+202A": "left-to-right embedding",
  "U+202B": "right-to-left embedding",
  "U+202C": "end of direction",
  "U+202D": "left-to-right override",
  "U+202E": "right-to-left override",
  "U+2060": "word joiner",
  "U+2066": "left-to-right isolate",
  "U+2067": "right-to-left isolate",
  "U+2068": "first strong isolate",
  "U+2069": "end of isolate",
  "U+FEFF": "zero-width no-break space",
  "U+001B": "escape",
  "U+000D": "carriage return"
}

/** A tag character carries a letter that only a model reads. */
const tagOf = (code: string): string | undefined => {
  const point = Number.parseInt(code.slice(2), 16)
  return point > 0xe0020 && point < 0xe007f ? `tag “${String.fromCharCode(point - 0xe0000)}”` : undefined
}

const unseenOf = (code: string) => ({ code, name: NAMES[code] ?? tagOf(code) })

export const glyphsOf = (text: string): ReadonlyArray<Glyph> =>
  seenParts(text).map((part) =>
    part.unseen === undefined ? { text: part.text } : { text: part.text, unseen: unseenOf(part.unseen) }
  )

/** In JSON that was spelled out before: an escape after an even number of backslashes. */
const ESCAPE = /(?<=(?<!\\)(?:\\\\){0,64})\\u\{([0-9a-f]{1,6})\}/gi

/** The same for JSON in which what cannot be seen is written `\u{200b}`. */
export const glyphsOfJson = (json: string): ReadonlyArray<Glyph> => {
  const glyphs: Array<Glyph> = []
  let from = 0
  for (const { 0: escape, 1: digits = "", index } of json.matchAll(ESCAPE)) {
    if (index > from) glyphs.push(...glyphsOf(json.slice(from, index)))
    glyphs.push({ text: escape, unseen: unseenOf(`U+${digits.toUpperCase().padStart(4, "0")}`) })
    from = index + escape.length
  }
  return [...glyphs, ...glyphsOf(json.slice(from))]
}
