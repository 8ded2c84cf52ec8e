/** The terms that every text is searched for: those in Latin letters with a meaning that `HINTS` names, spelled out in a table. */
import type { InTurns } from "../../../../schemas/data/InTurns.ts"
import { type Add, BETWEEN, OTHER_SIGN, SKIPPED } from "./automaton.ts"
import { type Feature, featureId } from "./features.ts"
import { DIGIT, IGNORED, START } from "./letters.ts"
import { isBetween, kindAt, type Page } from "./page.ts"
import { SEARCHED } from "./tables/searched.ts"

/** What it means that the first part of a term was found. */
export interface Mark {
  /** The index after the last language stands for all of them. */
  readonly language: number
  readonly feature: number
  /** The classes of the term after the searched part, see `restOf`. */
  readonly rest: number
  readonly check: Check | undefined
}
/** The condition at the end of a pattern. */
type Check = (page: Page, index: number) => boolean

/** How much of a term is searched for, and how much is compared after a match. A longer term counts as found. */
const FOUND_MAX = 9
export const TERM_MAX = 12

/** The class for the automaton of a unit of this kind. */
export const classOf = (kind: number): number => {
  if (isBetween(kind)) return BETWEEN
  if (kind === IGNORED) return SKIPPED
  return kind >= DIGIT ? OTHER_SIGN : kind
}

/** By class, its sign in the table; and by sign, the class. */
export const TERM_SIGNS = ".abcdefghijklmnopqrstuvwxyz_"
export const CLASSES = new Uint8Array(0x80)
for (let read = 0; read < TERM_SIGNS.length; read++) CLASSES[TERM_SIGNS.charCodeAt(read)] = read

/** `names` are those of the languages. */
export function* addSearched(names: ReadonlyArray<string>, add: Add<Mark>): InTurns<void> {
  for (const line of SEARCHED.trim().split("\n")) {
    yield
    const [name = "", feature, condition = "", terms = ""] = line.split("|")
    const language = name === "" ? names.length : names.indexOf(name)
    addTerms(terms, { check: undefined, feature: featureId(feature as Feature), language, rest: 0 }, condition, add)
  }
}

/** A term begins with how many signs it shares with the one before it: a character from this one, none, to `MOST`. */
export const FEWEST = 0x30
const MOST = FEWEST + TERM_MAX

const addTerms = (terms: string, whole: Mark, condition: string, add: Add<Mark>): void => {
  const classes = new Uint8Array(TERM_MAX)
  for (let at = 0; at < terms.length;) {
    const kept = terms.charCodeAt(at++) - FEWEST
    let size = kept
    // After the last one there is no sign, which is neither.
    for (let sign = terms.charCodeAt(at); sign < FEWEST || sign > MOST; sign = terms.charCodeAt(++at)) {
      classes[size++] = CLASSES[sign]!
    }
    const found = Math.min(size, FOUND_MAX)
    const isWhole = found === size && condition === ""
    add(
      classes,
      found,
      isWhole ? whole : { ...whole, check: checkOf(condition, found), rest: restOf(classes, found, size) },
      kept
    )
  }
}

/** The classes from one place to another as one number, the first one lowest; each takes as many bits as this, and none is 0. */
export const REST_BITS = 5
const restOf = (classes: Uint8Array, from: number, to: number): number => {
  let rest = 0
  for (let place = to - 1; place >= from; place--) rest = (rest << REST_BITS) | (classes[place]! + 1)
  return rest
}
/** The first of them. */
export const firstOf = (rest: number): number => (rest & ((1 << REST_BITS) - 1)) - 1

/** Examines the beginning of a term, if it is still in the piece. */
const checkOf = (condition: string, found: number): Check | undefined => {
  if (condition === "") return undefined
  return (page, index) => {
    const first = index - found + 2
    if (first < 1) return true
    if (condition === "capitals") return isCapital(page.units[first]!)
    if (condition === "dotted") return page.units[first - 1] === DOT
    return kindAt(page, first - 1) === START || isCapital(page.units[first]!)
  }
}
const isCapital = (unit: number) => unit >= 0x41 && unit <= 0x5a
const DOT = 0x2e
