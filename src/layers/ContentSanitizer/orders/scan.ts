/**
 * The pass over a text. What is written in Latin letters alone, which nearly every text is, takes a few additions a
 * character; from the first other letter on the automaton for other scripts runs beside that.
 */
import { featureId } from "./features.ts"
import { type Judge, markOf } from "./judge.ts"
import { DIGIT, IGNORED, LATIN_END, SPACE, START, STYLED, symbolOf, symbolOfStyled } from "./letters.ts"
import type { Sparse } from "./sparse.ts"
import type { Term } from "./terms.ts"
import { BETWEEN, type Found } from "./trie.ts"
import { ENDING, letterOf, makeWords, MULTIPLIER } from "./words.ts"

export const makeScan = (
  latin: ReadonlyArray<readonly [Term, Found]>,
  makeOther: () => Sparse,
  judge: Judge
): ((text: string) => void) => {
  const { addend, at, ending, factor, filter } = makeWords(latin.map(([term, found]) => [term, sayingOf([found])] as const))
  let other: Sparse | undefined
  let sayings: ReadonlyArray<Saying | undefined> = []
  let symbols: Uint16Array | undefined

  const scan = (text: string): void => {
    let hash = 0
    let next = text.length === 0 ? END_OF_TEXT : text.charCodeAt(0)
    if (next >= LATIN_END) return scanMixed(text, 0, 0)
    for (let index = 0; index < text.length; index++) {
      const code = next
      next = index + 1 < text.length ? text.charCodeAt(index + 1) : END_OF_TEXT
      if (next >= LATIN_END) return scanMixed(text, index, hash)
      hash = (Math.imul(hash, factor[code]!) + addend[code]!) | 0
      const looked = (hash + ending[next]!) | 0
      if (((filter[looked >>> 17]! >>> (looked & 31)) & 1) === 1) sayAll(at(looked, text, index), text, index)
    }
  }

  const scanMixed = (text: string, from: number, before: number): void => {
    if (other === undefined) {
      other = makeOther()
      sayings = other.found.map((found) => (found.length === 0 ? undefined : sayingOf(found)))
    }
    const { letter, space } = other
    const symbolsOf = (symbols ??= Uint16Array.from({ length: 0x10000 }, (_, code) => symbolOf(code)))
    let hash = before
    let beside = BETWEEN
    let fresh = true

    const endsAfter = (text: string, index: number) => {
      let next = index + 1
      while (next < text.length && symbolsOf[text.charCodeAt(next)] === IGNORED) next++
      return next === text.length || symbolsOf[text.charCodeAt(next)]! > DIGIT
    }

    const stepOther = (symbol: number, index: number) => {
      if (symbol === SPACE || symbol === START) {
        if (symbol === START) fresh = true
        const from = beside
        beside = space(from)
        if (beside === from) return
      } else {
        beside = letter(beside, symbol, fresh)
        fresh = false
      }
      const saying = sayings[beside]
      if (saying !== undefined) say(saying, text, index)
    }

    for (let index = from; index < text.length; index++) {
      let symbol = symbolsOf[text.charCodeAt(index)]!
      if (symbol === IGNORED) continue
      if (text.charCodeAt(index) === STYLED) symbol = symbolOfStyled(text.charCodeAt(++index))
      if (symbol <= DIGIT) {
        hash = (Math.imul(hash, MULTIPLIER) + letterOf(symbol)) | 0
        const looked = endsAfter(text, index) ? (hash + ENDING) | 0 : hash
        if (((filter[looked >>> 17]! >>> (looked & 31)) & 1) === 1) sayAll(at(looked, text, index), text, index)
        stepOther(SPACE, index)
      } else {
        hash = 0
        stepOther(symbol, index)
      }
    }
    stepOther(START, text.length)
  }

  const sayAll = (found: ReadonlyArray<Saying>, text: string, index: number) => {
    for (const saying of found) say(saying, text, index)
  }

  const say = ({ called, marks }: Saying, text: string, index: number) => {
    judge.hear(marks, index)
    if (called !== undefined && isCalled(text, index)) judge.hear(called, index)
  }

  return scan
}

/** Where the tables say that nothing goes on. */
const END_OF_TEXT = 0x20

/** What is to be told to the judge where a term ends, and what if somebody is called by it. */
interface Saying {
  readonly marks: Int32Array
  readonly called: Int32Array | undefined
}

const sayingOf = (found: ReadonlyArray<Found>): Saying => {
  const names = found.filter(({ feature }) => feature === MODEL || feature === BOT)
  return {
    called: names.length === 0 ? undefined : marksOf(names, () => VOCATIVE),
    marks: marksOf(found, ({ feature }) => feature)
  }
}

const marksOf = (found: ReadonlyArray<Found>, featureOf: (found: Found) => number): Int32Array =>
  Int32Array.from(
    found.flatMap((one) =>
      LANGUAGES.filter((language) => ((one.languages >> language) & 1) === 1).map((language) =>
        markOf(language, featureOf(one))
      )
    )
  )
const LANGUAGES = Array.from({ length: 31 }, (_, language) => language)

const [MODEL, BOT, VOCATIVE] = [featureId("model"), featureId("bot"), featureId("vocative")]

/** Whether a name stands alone before a colon, with a word or two: somebody is called. */
const isCalled = (text: string, index: number) => {
  let after = index + 1
  while (after < index + NAME_MAX && symbolOf(text.charCodeAt(after)) < SPACE) after++
  if (!CALLS.has(text.charCodeAt(after))) return false
  for (let before = index; before > index - NAME_MAX * 2; before--) {
    if (before < 0 || symbolOf(text.charCodeAt(before)) === START) return true
  }
  return false
}
const CALLS = new Set([0x3a, 0xff1a])
const NAME_MAX = 16
