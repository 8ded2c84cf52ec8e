/**
 * Puts together what was found in a text, term by term, in the order of the text: which rules hold, and whether it is
 * enough in one place to be reported. Work for a term is bounded by the number of languages and of rules.
 */
import type { Tally } from "../tally.ts"
import { type Feature, FEATURES, featureId } from "./features.ts"
import type { Page } from "./page.ts"
import { ENOUGH, type Evidence, EVIDENCE, GROUPS, ORDER, REACH, REPORT_REACH, REPORTED, type Rule, RULES } from "./rules.ts"
import type { Lexicon } from "./terms.ts"

export interface Judge {
  readonly begin: (page: Page) => void
  /** Forgets what was heard. What comes is weighed, or only heard. */
  readonly listen: (weighs: boolean) => void
  /** Marks made by `markOf`, in the order of the text. */
  readonly hear: (marks: Int32Array, at: number) => void
  /** Where there was last something that makes what stands around it worth weighing. */
  readonly alarm: () => number | undefined
  readonly end: (tally: Tally) => void
}

/** A feature in a language. */
export const markOf = (language: number, feature: number): number => (language << ROOM_BITS) | feature

/** Room for the features of a language. */
const ROOM_BITS = 7
const ROOM = 1 << ROOM_BITS
/** Before every text. */
const NEVER = -100_000
/** How long before a rule a word is that it must not follow. */
const SHORTLY = 24

const codes = (chars: string) => new Set(Array.from(chars, (char) => char.charCodeAt(0)))
const ENDS = codes("|{}=。！？।॥")
const ENDS_BEFORE_SPACE = codes(".!?")
const [LINE_FEED, QUOTE, COMMA, COLON] = [0x0a, 0x22, 0x2c, 0x3a]
const INDENT = codes(" \t*#/>")
const INDENT_MAX = 16
const SMALL = /\p{Ll}/u

interface CompiledRule {
  readonly all: ReadonlyArray<number>
  readonly within: number
  readonly yields: number
  readonly inOrder: boolean
  readonly unless: number
}

const compile = ({ all, inOrder = false, unless, within, yields }: Rule): CompiledRule => ({
  all: all.map(featureId),
  inOrder,
  unless: unless === undefined ? -1 : featureId(unless),
  within,
  yields: featureId(yields)
})

/** By feature, the rules that may hold when it was heard. */
const RULES_OF: ReadonlyArray<ReadonlyArray<CompiledRule>> = FEATURES.map((_, feature) =>
  RULES.map(compile).filter(({ all, inOrder }) => (inOrder ? all.at(-1) === feature : all.includes(feature)))
)

const EVIDENCE_OF: ReadonlyArray<Evidence | undefined> = FEATURES.map((feature: Feature) => EVIDENCE[feature])
const WEIGHTY = EVIDENCE_OF.flatMap((evidence, feature) => (evidence === undefined ? [] : [feature]))
const REPORT = featureId("report")
/** A last place that stays empty. */
const NO_GROUP = GROUPS

export const makeJudge = (lexicons: ReadonlyArray<Lexicon>): Judge => {
  const density = Float64Array.from(lexicons, (lexicon) => lexicon.density ?? 1)
  /** Where a mark was last heard. */
  const last = new Int32Array(lexicons.length * ROOM)
  /** Where there was last something directed, by language. */
  const alarmed = new Int32Array(lexicons.length)
  const groups = new Uint8Array(GROUPS + 1)
  const counts = new Map<string, number>()
  let page: Page = { size: 0, units: new Uint16Array(0) }
  let alarm: number | undefined
  let weighs = false

  const begin = (next: Page) => {
    page = next
    counts.clear()
  }

  const listen = (weighing: boolean) => {
    weighs = weighing
    alarm = undefined
    last.fill(NEVER)
    alarmed.fill(NEVER)
  }

  const hear = (marks: Int32Array, at: number): void => {
    for (let index = 0; index < marks.length; index++) think(marks[index]! >> ROOM_BITS, marks[index]! & (ROOM - 1), at)
  }

  const think = (language: number, feature: number, at: number): void => {
    const base = language << ROOM_BITS
    last[base + feature] = at
    ;(globalThis as any).__hear?.(lexicons[language]!.name, FEATURES[feature], at)
    for (const rule of RULES_OF[feature]!) if (holds(rule, base, language, at)) think(language, rule.yields, at)
    const evidence = EVIDENCE_OF[feature]
    if (evidence === undefined) return
    if (evidence.directed === true) alarm = alarmed[language] = at
    if (weighs && alarmed[language]! >= at - REACH / density[language]!) weigh(language, at)
  }

  const holds = ({ all, inOrder, unless, within }: CompiledRule, base: number, language: number, at: number) => {
    const from = at - within / density[language]!
    let first = at
    let before = NEVER
    for (const feature of all) {
      const place = last[base + feature]!
      if (place < from || (inOrder && place < before)) return false
      before = place
      if (place < first) first = place
    }
    if (unless !== -1 && last[base + unless]! > first - SHORTLY / density[language]!) return false
    return !endsSentence(first, at)
  }

  /** Whether a sentence, or what else stands alone, ends between two places; they are never far apart. */
  const endsSentence = (from: number, to: number) => {
    const { units } = page
    for (let index = from; index < to - 1; index++) {
      const code = units[index]!
      if (code > 0x7d && code < 0x964) continue
      if (ENDS.has(code)) return true
      const next = units[index + 1]!
      if (ENDS_BEFORE_SPACE.has(code) && next <= 0x20) return true
      if (code === LINE_FEED && !goesOn(index + 1)) return true
      if (code === QUOTE && (next === COMMA || next === COLON)) return true
    }
    return false
  }

  /** Lines are wrapped before a small letter, also in a comment; before anything else a new item begins. */
  const goesOn = (line: number) => {
    let index = line
    while (index < line + INDENT_MAX && INDENT.has(page.units[index]!)) index++
    return SMALL.test(String.fromCharCode(page.units[index]!))
  }

  const weigh = (language: number, at: number) => {
    const base = language << ROOM_BITS
    const reach = REACH / density[language]!
    let weight = 0
    groups.fill(0)
    let heaviest = 0
    let detail = ORDER
    for (const feature of WEIGHTY) {
      if (last[base + feature]! < at - reach) continue
      const evidence = EVIDENCE_OF[feature]!
      weight += Math.max(0, evidence.weight - groups[evidence.group ?? NO_GROUP]!)
      if (evidence.group !== undefined) groups[evidence.group] = Math.max(groups[evidence.group]!, evidence.weight)
      if (evidence.weight > heaviest) {
        heaviest = evidence.weight
        detail = evidence.detail ?? ORDER
      }
    }
    const enough = last[base + REPORT]! < at - REPORT_REACH / density[language]! ? ENOUGH : ENOUGH + REPORTED
    if (weight < enough) return
    ;(globalThis as any).__trace?.(lexicons[language]!.name, WEIGHTY.filter((f) => last[base + f]! >= at - reach).map((f) => `${FEATURES[f]}@${last[base + f]}`).join(" "), String.fromCharCode(...page.units.slice(Math.max(0, at - reach), at)))
    const name = `${detail} (${lexicons[language]!.name})`
    counts.set(name, (counts.get(name) ?? 0) + 1)
    for (const feature of WEIGHTY) last[base + feature] = NEVER
    alarmed[language] = NEVER
  }

  const end = (tally: Tally) => {
    for (const [detail, count] of counts) tally.add("pattern", detail, count)
  }

  return { alarm: () => alarm, begin, end, hear, listen }
}
