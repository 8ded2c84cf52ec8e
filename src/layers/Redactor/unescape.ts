/**
 * Views of a text with its escapes undone, in whatever mixture they stand, and long words that were broken into lines put
 * together. Only around escapes that could be part of a known value: most escapes in most texts are of line breaks and
 * quotes. Linear.
 */
import { SECRET_PART_MAX_CHARS } from "../../schemas/defaults/Secrets.ts"
import { type Escape, escapesIn, unusualEscapesIn } from "./escapes.ts"
import { type View, viewOf } from "./view.ts"

export interface Unescape {
  /** Makes it known that these characters stand in what is looked for: escapes of them are undone from now on. */
  readonly expect: (text: string) => void
  /** The parts of a text that have such escapes, with what is around them, escapes undone once. */
  readonly viewsOf: (text: string) => ReadonlyArray<View>
}

/** In every known value or in a form of it. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_"
/** An escape of one of these may hide another. */
const BEGINNERS = "&%\\"
/** As far as a piece of a value can reach, in hex, of characters of three bytes. Even: a backslash may stand before another. */
const AROUND = 6 * SECRET_PART_MAX_CHARS

const HIDDEN_ENTITY = /#?\w{2,8};/y

const hidesEntity = (text: string, { end }: Escape): boolean => {
  HIDDEN_ENTITY.lastIndex = end
  return HIDDEN_ENTITY.test(text)
}

/**
 * The part with all of its escapes undone, whatever they are; and, where there are several kinds, once with those of each
 * kind alone: what looks like an escape of another kind may be characters of a value.
 */
const viewsOfPart = (text: string, from: number, to: number): ReadonlyArray<View> => {
  const part = text.slice(from, to)
  const escapes = escapesIn(part)
  const kinds = new Set(escapes.map(({ kind }) => kind))
  kinds.delete("")
  const alone = [...(kinds.size < 2 ? [] : kinds)].map((only) =>
    escapes.filter(({ kind }) => kind === only || kind === "")
  )
  return [escapes, ...alone].map((undone) => viewOf(part, undone, from))
}

export const make = (): Unescape => {
  const expected = new Set(ALPHABET)

  const expect = (text: string) => {
    for (const [char] of text.matchAll(/[^A-Za-z0-9]/g)) expected.add(char)
  }

  const isRelevant = (text: string, escape: Escape): boolean => {
    const char = escape.text
    if (char === "" || expected.has(char[0]!)) return true
    return BEGINNERS.includes(char) && (char !== "&" || hidesEntity(text, escape))
  }

  const viewsOf = (text: string): ReadonlyArray<View> => {
    const views: Array<View> = []
    let [from, to] = [-1, -1]
    const close = () => views.push(...viewsOfPart(text, from, to))
    for (const escape of unusualEscapesIn(text)) {
      if (!isRelevant(text, escape)) continue
      const start = escape.start - AROUND
      if (from === -1 || start > to) {
        if (from !== -1) close()
        from = Math.max(start, 0)
      }
      to = Math.min(text.length, escape.end + AROUND)
    }
    if (from !== -1) close()
    return views
  }

  return { expect, viewsOf }
}
