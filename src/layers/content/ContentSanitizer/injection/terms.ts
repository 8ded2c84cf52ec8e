/**
 * The notation of a lexicon. Terms are separated by commas or line breaks:
 *
 *   `ignore`         the word, in any case, with any accents
 *   `instruction*`   words that begin so; before another word, with one of the endings of the lexicon
 *   `do not tell`    words in a row, whatever white space and signs are between them
 *   `{do not|never} {tell|inform}`   every combination; an alternative may be empty
 *   `^to`            only at the beginning of a sentence, a line, a bracket or a quotation
 *   `!AI`            only in capitals
 *   `.env`           a name that begins with a dot: a hidden file, no member of something
 *
 * An `open` lexicon is for a script without spaces, or with prefixes and suffixes: a term may be inside a word, unless `_`
 * requires white space, or a letter of another script.
 */
import type { Feature } from "./features.ts"

export interface Lexicon {
  /** The name in a finding. */
  readonly name: string
  /** Letters that identify a text in another script than Latin: of two languages with the same script, those that only one has. */
  readonly script?: RegExp
  readonly open?: boolean
  /** Whether a verb follows its object. */
  readonly verbLast?: true
  /** How many characters of English correspond to one character of this language. */
  readonly density?: number
  /** Alternative spellings of letters: `ä ae`. */
  readonly spellings?: ReadonlyArray<string>
  /** What `*` stands for before another word. */
  readonly endings?: string
  readonly terms: Partial<Record<Feature, string>>
}

/** A further condition for the text: in capitals, or after a dot. */
export type Check = "capitals" | "dotted" | undefined

/** A term with its alternatives still in braces. */
export interface Term {
  readonly body: string
  readonly atStart: boolean
  readonly check: Check
  /** Whether it may continue, or begin, inside a word. */
  readonly onward: boolean
  readonly inside: boolean
}

export const termsOf = ({ endings = "", open = false, spellings = [] }: Lexicon, list: string): ReadonlyArray<Term> => {
  const ending = `{|${endings.replaceAll(" ", "|")}}`
  const terms: Array<Term> = []
  for (const line of list.split(SEPARATORS)) {
    const entry = line.trim()
    if (entry === "") continue
    for (const one of open ? [entry] : expanded(entry)) {
      const whole = open || !one.includes("* ") ? one.trim() : one.trim().replace(/\*(?= +\S)/g, ending)
      terms.push(termOf(whole, open))
      const other = respelled(whole, spellings)
      if (other !== whole) terms.push(termOf(other, open))
    }
  }
  return terms
}

const SEPARATORS = /[,\n]/

const respelled = (entry: string, spellings: ReadonlyArray<string>) =>
  spellings.reduce((spelled, pair) => spelled.replaceAll(pair.charAt(0), pair.slice(2)), entry)

const termOf = (entry: string, open: boolean): Term => {
  const atStart = entry.startsWith("^")
  const isName = entry.startsWith("!")
  const isDotted = entry.startsWith(".")
  const isOnward = entry.endsWith("*")
  return {
    atStart,
    body: entry.slice(atStart || isName || isDotted ? 1 : 0, isOnward ? -1 : undefined),
    check: isName ? "capitals" : isDotted ? "dotted" : undefined,
    inside: open,
    onward: open || isOnward
  }
}

/** Every combination of the alternatives of a term. */
export const expanded = (body: string): ReadonlyArray<string> => {
  if (!body.includes("{")) return [body]
  /** The current alternative so far, in every combination; and the results of the others. */
  let open: Array<string> = [""]
  const before: Array<{ readonly all: Array<string>; readonly others: Array<string> }> = []
  let from = 0
  for (let index = 0; index <= body.length; index++) {
    const char = body[index]
    if (char !== undefined && char !== "{" && char !== "}" && (char !== "|" || before.length === 0)) continue
    if (index > from) open = joined(open, [body.slice(from, index)])
    from = index + 1
    const outer = before.at(-1)
    if (char === "{") {
      before.push({ all: open, others: [] })
      open = [""]
    } else if (outer !== undefined && char !== undefined) {
      outer.others.push(...open)
      if (char === "}") before.pop()
      open = char === "}" ? joined(outer.all, outer.others) : [""]
    }
  }
  return open
}

const joined = (all: ReadonlyArray<string>, others: ReadonlyArray<string>): Array<string> => {
  const both: Array<string> = []
  for (const one of all) for (const other of others) both.push(one + other)
  return both
}

/** Whether a term is in Latin letters; other terms are searched only where such letters occur. */
export const isLatin = ({ body }: Term) => !/[\u0370-\u1dff\u1f00-\u1fff\u2e80-\udfff\uf900-\uffff]/.test(body)
