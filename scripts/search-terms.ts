/**
 * Writes the tables that the detector of injected instructions starts with, from its lexicons: the terms that every text is searched for,
 * spelled out, and the kinds of characters. Making them takes longer than all else that a start does with texts. With `--check` it only
 * says whether they are up to date.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import {
  isOther,
  KIND_SIGNS,
  RANGES,
  SPACE,
  symbolOf
} from "../src/layers/content/ContentSanitizer/injection/letters.ts"
import { EVERY, LATIN } from "../src/layers/content/ContentSanitizer/injection/lexicons.ts"
import { HINTS } from "../src/layers/content/ContentSanitizer/injection/rules.ts"
import { classOf, FEWEST, TERM_MAX, TERM_SIGNS } from "../src/layers/content/ContentSanitizer/injection/searched.ts"
import { BETWEEN, SKIPPED } from "../src/layers/content/ContentSanitizer/injection/automaton.ts"
import { expanded, type Term, termsOf } from "../src/layers/content/ContentSanitizer/injection/terms.ts"

const TABLES = new URL("../src/layers/content/ContentSanitizer/injection/tables/", import.meta.url)

/** Other letters are not read in a text in Latin letters. */
const kindOf = (unit: number): number => {
  const symbol = symbolOf(unit)
  return isOther(symbol) ? SPACE : symbol
}

const HINTED = new Set<string>(HINTS.flatMap(({ all }) => all))

/** The beginning of a term, as it is searched for: white space is one sign, and what has no width is left out. */
const spelled = (body: string, onward: boolean): string => {
  const classes = [BETWEEN]
  for (let index = 0; index < body.length && classes.length < TERM_MAX; index++) {
    const read = classOf(kindOf(body.charCodeAt(index)))
    if (read !== SKIPPED && (read !== BETWEEN || classes.at(-1) !== BETWEEN)) classes.push(read)
  }
  if (!onward && classes.length < TERM_MAX && classes.at(-1) !== BETWEEN) classes.push(BETWEEN)
  return classes.map((read) => TERM_SIGNS[read]).join("")
}

const conditionOf = ({ atStart, check }: Term): string => check ?? (atStart ? "start" : "")

const shared = (one: string, other: string): number => {
  let size = 0
  while (size < one.length && one[size] === other[size]) size++
  return size
}

/** In order, each as how many signs it shares with the one before, and the rest. */
const packed = (terms: Iterable<string>): string => {
  let before = ""
  return [...terms]
    .toSorted()
    .map((term) => {
      const size = shared(term, before)
      before = term
      return `${String.fromCharCode(FEWEST + size)}${term.slice(size)}`
    })
    .join("")
}

/** The terms of one language that mean the same under the same condition, by these three. */
export const searchedTerms = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const lines = new Map<string, Set<string>>()
  for (const lexicon of [...LATIN, EVERY]) {
    for (const [feature, list] of Object.entries(lexicon.terms)) {
      if (!HINTED.has(feature)) continue
      for (const term of termsOf(lexicon, list)) {
        const line = [lexicon === EVERY ? "" : lexicon.name, feature, conditionOf(term)].join("|")
        if (!lines.has(line)) lines.set(line, new Set())
        for (const body of expanded(term.body)) lines.get(line)!.add(spelled(body, term.onward))
      }
    }
  }
  return lines
}

const searched = (): string => [...searchedTerms()].map(([line, terms]) => `${line}|${packed(terms)}\n`).join("")

const kinds = (): string =>
  RANGES.map(([first, last]) => {
    const units = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    return `${units.map((unit) => KIND_SIGNS[kindOf(unit)]).join("")}\n`
  }).join("")

const MADE = "Made by scripts/search-terms.ts from the lexicons: npm run terms."

/** The files by name. */
export const tables: Readonly<Record<string, () => string>> = {
  "searched.ts": () => `/**
 * ${MADE}
 *
 * The terms that every text is searched for: in each line a language (none: all of them), a feature, a condition, and its terms in order.
 * A term is written as the number of signs that it shares with the one before it, from \`0\` (none) to \`;\` (eleven), and its other
 * signs: a letter, \`_\` for what is between words, \`.\` for anything else.
 */
export const SEARCHED = \`
${searched()}\`
`,
  "kinds.ts": () => `/**
 * ${MADE}
 *
 * The kinds of the units of \`RANGES\` in letters.ts, a line for each range.
 */
export const KINDS_OF_RANGES = \`
${kinds()}\`
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, textOf] of Object.entries(tables)) {
    const [place, text] = [new URL(name, TABLES), textOf()]
    if (!process.argv.includes("--check")) writeFileSync(place, text)
    else if (!existsSync(place) || readFileSync(place, "utf8") !== text) {
      console.error(`${basename(place.pathname)} does not have what the lexicons say now: npm run terms`)
      process.exitCode = 1
    }
  }
}
