/**
 * Reads a stretch of text completely in one language: passes every term of its lexicon, in Latin and other letters, to the
 * judge in the order of the text.
 */
import { type Feature, featureId } from "./features.ts"
import { makeJudge } from "./judge.ts"
import { IGNORED, isOther, KINDS, OTHER, SPACE, START, symbolOf } from "./letters.ts"
import { kindAt, type Page, pageOf } from "./page.ts"
import { makePhrases } from "./phrases.ts"
import { RULES } from "./rules.ts"
import { sentenceEnds } from "./sentences.ts"
import { isLatin, type Lexicon, type Term, termsOf } from "./terms.ts"
import { makeWords } from "./termFinder.ts"
import { lazy } from "../../../../schemas/data/Memo.ts"

/** Receives the finding for a stretch of text. */
export type Reader = (text: string) => ReadonlyArray<string>

/** Terms for every language count in this one, too. */
export const makeReader = (lexicon: Lexicon, every: Lexicon): Reader => {
  const terms = [lexicon, every].flatMap(meaningsOf)
  const words = makeWords(terms.filter(([term]) => isLatin(term)))
  const others = terms.filter(([term]) => !isLatin(term))
  const hasOthers = others.length > 0
  const phrases = makePhrases(others)
  let page: Page = { size: 0, units: new Uint16Array(0) }
  let found: Array<string> | undefined
  const judge = makeJudge({
    density: lexicon.density ?? 1,
    ends: (from, to, clause) => sentenceEnds(page, from, to, clause),
    onEnough: (detail) => (found ??= []).push(detail),
    rules: RULES.filter(({ verbFirst }) => verbFirst !== true || lexicon.verbLast !== true)
  })

  const hear = (feature: number, index: number) => {
    judge.hear(feature, index)
    if ((feature === MODEL || feature === BOT) && isCalled(page, index)) judge.hear(VOCATIVE, index)
  }
  const hearWord = (feature: number, index: number) => {
    if (feature === USER && isClosed(page, index)) judge.hear(CLOSED, index)
    hear(feature, index)
  }
  const hearPhrases = (stream: Stream) => {
    const { hasLatin, places, size, symbols } = stream
    let read = 0
    for (let place = phrases.next(symbols, size, 0); place < size; place = phrases.next(symbols, size, place + 1)) {
      const phrase = phrases.at(symbols, size, place)
      if (phrase.length === 0) continue
      const index = places[place]!
      if (hasLatin) words.read(page, read, index, hearWord)
      read = index
      for (const { end, meaning } of phrase) {
        if (meaning === USER && endsSoon(stream, end)) judge.hear(CLOSED, index)
        hear(meaning, index)
      }
    }
    return hasLatin ? read : page.size
  }

  return (text) => {
    found = undefined
    page = pageOf(text)
    judge.begin()
    words.begin()
    const read = hasOthers && OTHER.test(text) ? hearPhrases(streamOf(page)) : 0
    words.read(page, read, page.size, hearWord)
    return found ?? NOTHING
  }
}

const NOTHING: ReadonlyArray<string> = []

const meaningsOf = (lexicon: Lexicon): ReadonlyArray<readonly [Term, number]> =>
  Object.entries(lexicon.terms).flatMap(([feature, list]) =>
    termsOf(lexicon, list).map((term): readonly [Term, number] => [term, featureId(feature as Feature)])
  )

// ---- other scripts -----------------------------------------------------------------------------------------------------

interface Stream {
  readonly symbols: Uint16Array
  readonly places: Int32Array
  readonly size: number
  /** Whether there is anything besides letters of other scripts. */
  readonly hasLatin: boolean
}

/** The letters of other scripts, with one symbol for everything between them, and their positions. */
const streamOf = ({ size: length, units }: Page): Stream => {
  const symbolsOf = symbolTable()
  const fits = length <= KEPT_UNITS
  const symbols = fits ? keptSymbols : new Uint16Array(length + 4)
  const places = fits ? keptPlaces : new Int32Array(length + 4)
  let size = 0
  let hasLatin = false
  places[size] = 0
  symbols[size++] = START
  for (let index = 0; index < length; index++) {
    const unit = units[index]!
    const known = symbolsOf[unit]!
    const symbol = known === UNKNOWN ? (symbolsOf[unit] = symbolOf(unit)) : known
    if (symbol === IGNORED) continue
    if (isOther(symbol)) {
      places[size] = index
      symbols[size++] = symbol
      continue
    }
    if (symbol < SPACE) hasLatin = true
    if (isOther(symbols[size - 1]!)) {
      places[size] = index
      symbols[size++] = symbol === START ? START : SPACE
    } else {
      // The term begins at the last of these positions.
      places[size - 1] = index
      if (symbol === START) symbols[size - 1] = START
    }
  }
  places[size] = length - 1
  if (isOther(symbols[size - 1]!)) symbols[size++] = START
  symbols[size] = symbols[size + 1] = 0
  return { hasLatin, places, size, symbols }
}
/** Nearly all stretches fit into these arrays. */
const KEPT_UNITS = 1 << 12
const keptSymbols = new Uint16Array(KEPT_UNITS + 4)
const keptPlaces = new Int32Array(KEPT_UNITS + 4)
const UNKNOWN = 0xffff
/** The symbol of each unit that was met so far. */
const symbolTable = lazy(() => new Uint16Array(KINDS.length).fill(UNKNOWN))

/** The same for other scripts, where a word may continue with an ending. */
const endsSoon = ({ size, symbols }: Stream, end: number): boolean => {
  let index = end - 1
  if (isOther(symbols[index]!)) index++
  const last = index + ENDING_MAX
  while (index < last && index < size && isOther(symbols[index]!)) index++
  return index >= size || symbols[index] === START
}
const ENDING_MAX = 2

// ---- the surroundings of a term ------------------------------------------------------------------------------------

const [USER, CLOSED] = [featureId("user"), featureId("closed")]

/** Whether a sentence ends after a term, or only refers to it: then the object of "do not tell" is missing. */
const isClosed = (page: Page, index: number): boolean => {
  const after = index + 1
  if (kindAt(page, after) === START || page.units[after] === COMMA) return true
  return POINTS.test(String.fromCharCode(...page.units.subarray(after, Math.min(page.size, after + POINTS_MAX))))
}
const COMMA = 0x2c
const POINTS =
  /^\s{1,3}(?:about (?:this|it|any)|of (?:this|it)|what you|that you|anything|why you|davon|hiervon|darüber|nichts|de (?:ceci|cela|esto|ello|isso|isto)|di (?:questo|ciò)|hiervan|hierover)(?!\p{L})/iu
const POINTS_MAX = 16

// ---- addressing ----------------------------------------------------------------------------------------------------

const [MODEL, BOT, VOCATIVE] = [featureId("model"), featureId("bot"), featureId("vocative")]

/** Whether somebody is addressed: a name at the beginning of a sentence, and a colon a few words later. */
const isCalled = (page: Page, index: number) => {
  let after = index + 1
  while (after < index + CALL_MAX && (kindAt(page, after) !== START || CLOSES.has(page.units[after]!))) after++
  if (after >= page.size || !CALLS.has(page.units[after]!)) return false
  for (let before = index; before > index - NAME_MAX; before--) if (kindAt(page, before) === START) return true
  return false
}
const CALLS = new Set([0x3a, 0xff1a])
/** `)`, `]` and a quotation mark after a name. */
const CLOSES = new Set([0x29, 0x5d, 0x22])
const NAME_MAX = 32
const CALL_MAX = 40
