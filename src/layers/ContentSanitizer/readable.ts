/**
 * A text as its reader takes it, for finding orders in it: full-width and mathematical letters as the letters that they
 * are, without signs stacked on them, and with look-alikes from other alphabets within a word as its own.
 */
import { foldCodePoint } from "./fold.ts"

export const readable = (text: string): string => {
  if (!DISGUISED.test(text)) return text
  const plain = STYLED.test(text) ? text.normalize("NFKC").replace(STACKED, "").replaceAll("İ", "i") : text
  return MIXED.test(plain) ? plain.replace(WORD, (word) => (MIXED.test(word) ? asLatin(word) : word)) : plain
}

/** Anything of what follows. */
const DISGUISED = /[\u0300-\u052f\u0130\u0958-\u095f\uff1a\uff21-\uff5a\ud835]/
/** Letters with a style, marks that stand by themselves, the full-width colon. */
const STYLED = /[\u0300-\u036f\u0130\u0958-\u095f\uff1a\uff21-\uff5a\u{1d400}-\u{1d7ff}]/u
/** What composing left over: no language needs them, but strokes through letters are made of them. */
const STACKED = /[\u0300-\u036f]/g
/** A Latin letter beside a Greek or Cyrillic one. */
const MIXED = /[A-Za-z][\u0370-\u052f]|[\u0370-\u052f][A-Za-z]/
const WORD = /[A-Za-z\u0370-\u052f]+/g

const asLatin = (word: string) =>
  Array.from(word, (char) => {
    const read = char < "\x80" ? char : foldCodePoint(char.codePointAt(0) ?? 0)
    return /^[a-z]$/i.test(read) ? read : char
  }).join("")
