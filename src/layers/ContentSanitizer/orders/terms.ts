/**
 * How a lexicon is written down. Terms stand between commas or on lines of their own:
 *
 *   `ignore`         the word, in any case, with any accents
 *   `instruction*`   words that begin so
 *   `do not tell`    words in a row, whatever white space and signs are between them
 *   `{do not|never} {tell|inform}`   every combination; an alternative may be empty
 *   `^to`            only at the beginning of a sentence, a line, a bracket or a quotation
 *   `!AI`            only in capitals
 *   `.env`           a name that begins with a dot: a hidden file, no member of something
 *
 * A lexicon that is `open` has terms in a script without spaces, or whose words take syllables before and behind: a term
 * may stand inside of a word, unless `_` says that it ends there.
 */
import type { Feature } from "./features.ts"
import { FOREIGN, IGNORED, isOther, SPACE, START, symbolOf } from "./letters.ts"

export interface Lexicon {
  /** As it stands in a finding. Without a name the terms count in every language. */
  readonly name?: string
  readonly open?: boolean
  /** How many characters of English it takes to say as much as a character of this language does. */
  readonly density?: number
  /** Letters that are also written in another way: `ä ae`. */
  readonly spellings?: ReadonlyArray<string>
  readonly terms: Partial<Record<Feature, string>>
}

export interface Term {
  /** Symbols, letters of other scripts by their unit. */
  readonly symbols: ReadonlyArray<number>
  readonly atStart: boolean
  /** What else must be so in the text: in capitals, or behind a dot. */
  readonly check: Check
}

export type Check = "capitals" | "dotted" | undefined

export const termsOf = ({ open = false, spellings = [] }: Lexicon, list: string): ReadonlyArray<Term> =>
  entriesOf(list)
    .flatMap(expand)
    .flatMap((entry) => [...new Set([entry, respelled(entry, spellings)])])
    .map((entry) => termOf(entry, open))

const respelled = (entry: string, spellings: ReadonlyArray<string>) =>
  spellings.reduce((spelled, pair) => spelled.replaceAll(pair.charAt(0), pair.slice(2)), entry)

/** Commas inside of braces do not occur. */
const entriesOf = (list: string) =>
  list
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

/** The innermost braces first. */
const expand = (entry: string): ReadonlyArray<string> => {
  const braces = /\{([^{}]*)\}/.exec(entry)
  if (braces === null) return [entry]
  const before = entry.slice(0, braces.index)
  const after = entry.slice(braces.index + braces[0].length)
  return braces[1]!.split("|").flatMap((choice) => expand(before + choice + after))
}

const termOf = (entry: string, open: boolean): Term => {
  const [, marks = "", body = "", more = ""] = /^([*^!]*)(.*?)(\*?)$/.exec(entry.trim()) ?? []
  const atStart = marks.includes("^")
  const inside = marks.includes("*") || (open && !body.startsWith("_"))
  const onward = more === "*" || (open && !body.endsWith("_"))
  const symbols = symbolsOf(body.replace(/^[._]+|_+$/g, ""))
  return {
    atStart,
    check: marks.includes("!") ? "capitals" : body.startsWith(".") ? "dotted" : undefined,
    symbols: [...(atStart || inside ? [] : [SPACE]), ...symbols, ...(onward ? [] : [SPACE])]
  }
}

const symbolsOf = (body: string): ReadonlyArray<number> => {
  const symbols: Array<number> = []
  for (let index = 0; index < body.length; index++) {
    const symbol = symbolOf(body.charCodeAt(index))
    if (symbol === IGNORED) continue
    const read = symbol === START || symbol === FOREIGN ? SPACE : symbol
    if (read === SPACE && (symbols.length === 0 || symbols.at(-1) === SPACE)) continue
    symbols.push(read)
  }
  return symbols.at(-1) === SPACE ? symbols.slice(0, -1) : symbols
}

/** Whether a term is in Latin letters; the others are looked for only where such letters occur. */
export const isLatin = ({ symbols }: Term) => !symbols.some(isOther)
