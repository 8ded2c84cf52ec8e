/**
 * The pass over a text. In Latin letters, which nearly every text has alone, it looks from anchor to anchor: terms without
 * which nothing can be reported. Around an anchor it listens to all terms, and where they add up to something it goes back
 * once more to weigh what stands around that. So what may be a term is looked at three times at most.
 * Text with letters of other scripts is read unit by unit, and all of it is weighed.
 */
import { featureId } from "./features.ts"
import { type Judge, markOf } from "./judge.ts"
import { IGNORED, isOther, OTHER, SPACE, START, STYLED, symbolOf, symbolOfStyled } from "./letters.ts"
import { isBetween, isLetter, kindAt, type Page, pageOf } from "./page.ts"
import { ANCHORS, REPORT_REACH, RULE_REACH } from "./rules.ts"
import type { Sparse } from "./sparse.ts"
import type { Term } from "./terms.ts"
import { BETWEEN, type Found } from "./trie.ts"
import { ADDEND, ENDING, FACTOR, type Hits, makeWords } from "./words.ts"

export const makeScan = (
  latin: ReadonlyArray<readonly [Term, Found]>,
  makeOther: () => Sparse,
  judge: Judge
): ((text: string) => void) => {
  const { at, hits, mayAnchor, mayStand } = makeWords(
    latin.map(([term, found]) => [term, sayingOf([found])] as const),
    ({ isAnchor }) => isAnchor
  )
  let other: Sparse | undefined
  let sayings: ReadonlyArray<Saying | undefined> = []
  const symbols = new Uint16Array(0x10000)

  const scan = (text: string): void => {
    const page = pageOf(text)
    judge.begin(page)
    if (OTHER.test(text)) return readMixed(page)
    const found = hits(page)
    for (let from = 0; from < found.size; ) from = readAround(page, found, nextAnchor(page, found, from), from)
  }

  const nextAnchor = (page: Page, { hashes, places, size }: Hits, from: number): number => {
    for (let hit = from; hit < size; hit++) {
      if (!mayAnchor(hashes[hit]!)) continue
      for (const saying of at(hashes[hit]!, page, places[hit]!)) if (saying.isAnchor) return hit
    }
    return size
  }

  /** Tells up to which hit was read. */
  const readAround = (page: Page, hits: Hits, anchor: number, from: number): number => {
    if (anchor === hits.size) return anchor
    const place = hits.places[anchor]!
    const heard = read(page, hits, back(hits, anchor, from, RULE_REACH), place + RULE_REACH, false)
    const alarm = judge.alarm()
    return alarm === undefined ? heard : read(page, hits, back(hits, heard, from, REPORT_REACH), alarm, true)
  }

  /** The first hit that is not further before another one. */
  const back = ({ places, size }: Hits, hit: number, from: number, reach: number) => {
    let first = Math.min(hit, size - 1)
    const place = places[first]! - reach
    while (first > from && places[first - 1]! >= place) first--
    return first
  }

  /** Reads on while there are anchors, and either up to the first alarm, or weighing around every alarm. */
  const read = (page: Page, { hashes, places, size }: Hits, from: number, to: number, weighs: boolean): number => {
    judge.listen(weighs)
    let until = to
    for (let hit = from; hit < size; hit++) {
      const place = places[hit]!
      if (place > until) return hit
      for (const saying of at(hashes[hit]!, page, place)) {
        say(saying, page, place)
        if (saying.isAnchor) until = Math.max(until, place + RULE_REACH)
      }
      const alarm = judge.alarm()
      if (alarm === undefined) continue
      if (!weighs) return hit
      until = Math.max(until, alarm + REPORT_REACH)
    }
    return size
  }

  const readMixed = (page: Page): void => {
    if (other === undefined) {
      other = makeOther()
      sayings = other.found.map((found) => (found.length === 0 ? undefined : sayingOf(found)))
      for (let code = 0; code < symbols.length; code++) symbols[code] = symbolOf(code)
    }
    const { letter, space } = other
    const { size, units } = page
    let hash = 0
    let beside = BETWEEN
    let fresh = true
    judge.listen(true)

    const stepOther = (symbol: number, index: number) => {
      if (isOther(symbol)) {
        beside = letter(beside, symbol, fresh)
        fresh = false
      } else {
        if (symbol === START) fresh = true
        const from = beside
        beside = space(from)
        if (beside === from) return
      }
      const saying = sayings[beside]
      if (saying !== undefined) say(saying, page, index)
    }

    for (let index = 0; index < size; index++) {
      let unit = units[index]!
      // A letter in another style is two units; it is read as the letter that it stands for.
      if (unit === STYLED) units[index] = unit = symbolOfStyled(units[++index]!) + 0x60
      const symbol = symbols[unit]!
      if (symbol === IGNORED) continue
      stepOther(symbol === START || isOther(symbol) ? symbol : SPACE, index)
      hash = (Math.imul(hash, FACTOR[unit]!) + ADDEND[unit]!) | 0
      if (isBetween(symbol) || isOther(symbol)) continue
      const looked = (hash + ENDING[units[index + 1]!]!) | 0
      if (mayStand(looked)) for (const saying of at(looked, page, index)) say(saying, page, index)
    }
    stepOther(START, size)
  }

  const say = ({ called, marks }: Saying, page: Page, index: number) => {
    judge.hear(marks, index)
    if (called !== undefined && isCalled(page, index)) judge.hear(called, index)
  }

  return scan
}

/** What is to be told to the judge where a term ends, and what if somebody is called by it. */
interface Saying {
  readonly marks: Int32Array
  readonly called: Int32Array | undefined
  readonly isAnchor: boolean
}

const sayingOf = (found: ReadonlyArray<Found>): Saying => {
  const names = found.filter(({ feature }) => feature === MODEL || feature === BOT)
  return {
    called: names.length === 0 ? undefined : marksOf(names, () => VOCATIVE),
    isAnchor: found.some(({ feature }) => ANCHOR_IDS.has(feature)),
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

const ANCHOR_IDS = new Set(ANCHORS.map(featureId))
const [MODEL, BOT, VOCATIVE] = [featureId("model"), featureId("bot"), featureId("vocative")]

/** Whether a name stands alone before a colon, with a word or two: somebody is called. */
const isCalled = (page: Page, index: number) => {
  let after = index + 1
  while (after < index + NAME_MAX && isLetter(page, after)) after++
  if (after >= page.size || !CALLS.has(page.units[after]!)) return false
  for (let before = index; before > index - NAME_MAX * 2; before--) if (kindAt(page, before) === START) return true
  return false
}
const CALLS = new Set([0x3a, 0xff1a])
const NAME_MAX = 16
