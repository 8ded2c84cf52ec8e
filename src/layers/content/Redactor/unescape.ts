/**
 * Makes views of a text with its escapes undone, in any mixture, and with long words joined that were broken into lines. Only
 * around escapes that could be part of a known value: most escapes in texts are of line breaks and quotes. Linear.
 */
import { SECRET_PART_MAX_CHARS } from "../../../schemas/defaults/Secrets.ts"
import {
  BACKSLASH,
  ENTITY,
  Escape,
  LINE_BREAK,
  NO_CHARACTER,
  PERCENT,
  readEscapes,
  readLineBreak,
  readUnusual
} from "./escapeKinds.ts"
import { Columns, type View, viewOf } from "./decodedView.ts"

export interface Unescape {
  /** Registers the characters of a searched text: their escapes are undone from now on. */
  readonly expect: (text: string) => void
  /** The parts of a text with such escapes and their surroundings, with escapes undone once. */
  readonly viewsOf: (text: string) => ReadonlyArray<View>
}

/** Occurs in every known value or one of its forms. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_"
const AMPERSAND = "&".charCodeAt(0)
/** An escape of one of these may hide another. */
const BEGINNERS: ReadonlySet<number> = new Set([..."&%\\"].map((char) => char.charCodeAt(0)))
/** How far a piece of a value can reach, in hex, with characters of three bytes. Even, because a backslash may precede another. */
const AROUND = 6 * SECRET_PART_MAX_CHARS

const HIDDEN_ENTITY = /#?\w{2,8};/y

const hidesEntity = (text: string, end: number): boolean => {
  HIDDEN_ENTITY.lastIndex = end
  return HIDDEN_ENTITY.test(text)
}

const KINDS = [BACKSLASH, PERCENT, ENTITY, LINE_BREAK] as const
const ALL = BACKSLASH | PERCENT | ENTITY | LINE_BREAK

export const make = (): Unescape => {
  const expected = new Uint8Array(0x1_0000)
  const found = new Columns()
  const [unusual, broken, read] = [new Escape(), new Escape(), new Escape()]

  const expect = (text: string) => {
    for (let index = 0; index < text.length; index++) expected[text.charCodeAt(index)] = 1
  }
  expect(ALPHABET)

  const isRelevant = (text: string, { code, end }: Escape): boolean => {
    if (code === NO_CHARACTER) return true
    // Of a pair the first half is enough.
    if (expected[code > 0xffff ? 0xd7c0 + (code >> 10) : code] === 1) return true
    return BEGINNERS.has(code) && (code !== AMPERSAND || hidesEntity(text, end))
  }

  /**
   * The part with all escapes undone; and, if there are several kinds, once for each kind alone, because an apparent escape
   * of another kind may belong to the value.
   */
  const addViews = (views: Array<View>, text: string, from: number, to: number) => {
    const part = text.slice(from, to)
    readEscapes(part, read, found)
    let kinds = 0
    for (let index = 0; index < found.size; index++) kinds |= found.kinds[index]!
    views.push(viewOf(part, found, ALL, from))
    if ((kinds & (kinds - 1)) === 0) return
    for (const kind of KINDS) if ((kinds & kind) !== 0) views.push(viewOf(part, found, kind, from))
  }

  const viewsOf = (text: string): ReadonlyArray<View> => {
    const views: Array<View> = []
    let [from, to] = [-1, -1]
    let hasUnusual = readUnusual(text, 0, unusual)
    let hasBroken = readLineBreak(text, 0, broken)
    while (hasUnusual || hasBroken) {
      const isBroken = !hasUnusual || (hasBroken && broken.start < unusual.start)
      const escape = isBroken ? broken : unusual
      if (isRelevant(text, escape)) {
        const start = escape.start - AROUND
        if (from === -1 || start > to) {
          if (from !== -1) addViews(views, text, from, to)
          from = Math.max(start, 0)
        }
        to = Math.max(to, Math.min(text.length, escape.end + AROUND))
      }
      if (isBroken) hasBroken = readLineBreak(text, escape.end, broken)
      else hasUnusual = readUnusual(text, escape.end, unusual)
    }
    if (from !== -1) addViews(views, text, from, to)
    return views
  }

  return { expect, viewsOf }
}
