/**
 * The pass over a text. In Latin letters, which nearly every text has alone, it goes from anchor to anchor: terms without
 * which nothing can be reported. Around an anchor it looks for all terms, and where they add up to something it goes back
 * once more to weigh what stands around that. So a character is read three times at most.
 * Text with letters of other scripts is read once, and all of it.
 */
import { featureId } from "./features.ts"
import { type Judge, markOf } from "./judge.ts"
import { IGNORED, isOther, KINDS, OTHER, SPACE, START, STYLED, symbolOf, symbolOfStyled } from "./letters.ts"
import { ANCHORS, REPORT_REACH, RULE_REACH } from "./rules.ts"
import type { Sparse } from "./sparse.ts"
import type { Term } from "./terms.ts"
import { BETWEEN, type Found } from "./trie.ts"
import { ADDEND, ENDING, endsAfter, FACTOR, isBetween, makeWords, mayBe, wordStart } from "./words.ts"

export const makeScan = (
  latin: ReadonlyArray<readonly [Term, Found]>,
  makeOther: () => Sparse,
  judge: Judge
): ((text: string) => void) => {
  const { anchors, at, filter } = makeWords(
    latin.map(([term, found]) => [term, sayingOf([found])] as const),
    ({ isAnchor }) => isAnchor
  )
  let other: Sparse | undefined
  let sayings: ReadonlyArray<Saying | undefined> = []
  const symbols = new Uint16Array(0x10000)

  const scan = (text: string): void => {
    if (OTHER.test(text)) return readMixed(text)
    let index = 0
    for (;;) {
      const anchor = nextAnchor(text, index)
      if (anchor === -1) return
      index = readAround(text, anchor, index)
    }
  }

  const nextAnchor = (text: string, from: number): number => {
    let hash = 0
    let next = KINDS[text.charCodeAt(from)]!
    for (let index = from; index < text.length; index++) {
      const kind = next
      next = index + 1 < text.length ? KINDS[text.charCodeAt(index + 1)]! : SPACE
      hash = (Math.imul(hash, FACTOR[kind]!) + ADDEND[kind]!) | 0
      const looked = (hash + ENDING[next]!) | 0
      if (mayBe(anchors, looked) && at(looked, text, index).some(({ isAnchor }) => isAnchor)) return index
    }
    return -1
  }

  /** Tells up to where was read. */
  const readAround = (text: string, anchor: number, from: number): number => {
    const heard = read(text, Math.max(from, anchor - RULE_REACH), anchor + RULE_REACH, false)
    if (judge.alarm() === undefined) return heard
    return read(text, Math.max(from, heard - REPORT_REACH), heard, true)
  }

  /** Reads on while there are anchors, and either up to the first alarm, or weighing around every alarm. */
  const read = (text: string, from: number, to: number, weighs: boolean): number => {
    judge.listen(weighs)
    let until = to
    let hash = 0
    for (let index = wordStart(text, from); index < text.length; index++) {
      const kind = KINDS[text.charCodeAt(index)]!
      if (index > until && isBetween(kind)) return index
      hash = (Math.imul(hash, FACTOR[kind]!) + ADDEND[kind]!) | 0
      const looked = (hash + ENDING[index + 1 < text.length ? KINDS[text.charCodeAt(index + 1)]! : SPACE]!) | 0
      if (!mayBe(filter, looked)) continue
      for (const saying of at(looked, text, index)) {
        say(saying, text, index)
        if (saying.isAnchor) until = Math.max(until, index + RULE_REACH)
      }
      const alarm = judge.alarm()
      if (alarm === undefined) continue
      if (!weighs) return index
      until = Math.max(until, alarm + REPORT_REACH)
    }
    return text.length
  }

  const readMixed = (text: string): void => {
    if (other === undefined) {
      other = makeOther()
      sayings = other.found.map((found) => (found.length === 0 ? undefined : sayingOf(found)))
      for (let code = 0; code < symbols.length; code++) symbols[code] = symbolOf(code)
    }
    const { letter, space } = other
    let hash = 0
    let beside = BETWEEN
    let fresh = true
    judge.listen(true)

    const stepLatin = (kind: number, index: number) => {
      hash = (Math.imul(hash, FACTOR[kind]!) + ADDEND[kind]!) | 0
      if (isBetween(kind)) return
      const looked = endsAfter(text, index) ? (hash + ENDING[SPACE]!) | 0 : hash
      if (mayBe(filter, looked)) for (const saying of at(looked, text, index)) say(saying, text, index)
    }
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
      if (saying !== undefined) say(saying, text, index)
    }

    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      const symbol = code === STYLED ? symbolOfStyled(text.charCodeAt(++index)) : symbols[code]!
      if (symbol === IGNORED) continue
      stepLatin(isOther(symbol) ? SPACE : symbol, index)
      stepOther(symbol === START || isOther(symbol) ? symbol : SPACE, index)
    }
    stepOther(START, text.length)
  }

  const say = ({ called, marks }: Saying, text: string, index: number) => {
    judge.hear(marks, index)
    if (called !== undefined && isCalled(text, index)) judge.hear(called, index)
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
const isCalled = (text: string, index: number) => {
  let after = index + 1
  while (after < index + NAME_MAX && KINDS[text.charCodeAt(after)]! < SPACE) after++
  if (!CALLS.has(text.charCodeAt(after))) return false
  for (let before = index; before > index - NAME_MAX * 2; before--) {
    if (before < 0 || KINDS[text.charCodeAt(before)] === START) return true
  }
  return false
}
const CALLS = new Set([0x3a, 0xff1a])
const NAME_MAX = 16
