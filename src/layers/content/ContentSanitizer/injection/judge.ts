/**
 * Puts together what was found in a stretch of text, term by term, in the order of the text: which rules hold, and whether it
 * is enough in one place to be reported. Work for a term is bounded by the number of rules.
 */
import { type Feature, FEATURES, featureId } from "./features.ts"
import {
  enoughFor,
  EVERYDAY_MAX,
  type Evidence,
  EVIDENCE,
  GROUPS,
  ORDER,
  REACH,
  REPORT_REACH,
  REPORTED,
  type Rule
} from "./rules.ts"

export interface Judge {
  /** Forgets what was heard. */
  readonly begin: () => void
  /** A term, in the order of the text. */
  readonly hear: (feature: number, at: number) => void
}

export interface Bench {
  readonly rules: ReadonlyArray<Rule>
  /** How many characters of English it takes to say as much as a character of the language does. */
  readonly density: number
  /** Whether a sentence, or only a clause, ends between two places. */
  readonly ends: (from: number, to: number, clause: boolean) => boolean
  /** Called when it is enough, with what the heaviest is reported as. What made it enough is forgotten then. */
  readonly onEnough: (detail: string) => void
}

/** Before every text. */
const NEVER = -100_000
/** How long before a rule a word is that it must not follow. */
const SHORTLY = 24

interface CompiledRule {
  readonly all: Int32Array
  readonly within: number
  readonly yields: number
  readonly inOrder: boolean
  readonly unless: number
  readonly across: boolean
  readonly clause: boolean
}

const compile = ({ across, all, clause, inOrder, unless, within, yields }: Rule, density: number): CompiledRule => ({
  across: across === true,
  clause: clause === true,
  all: Int32Array.from(all, featureId),
  inOrder: inOrder === true,
  unless: unless === undefined ? -1 : featureId(unless),
  within: within / density,
  yields: featureId(yields)
})

const EVIDENCE_OF: ReadonlyArray<Evidence | undefined> = FEATURES.map((feature: Feature) => EVIDENCE[feature])
const WEIGHTS = Int32Array.from(EVIDENCE_OF, (evidence) => evidence?.weight ?? 0)
/** A last place that stays empty. */
const NO_GROUP = GROUPS
const GROUP_OF = Int32Array.from(EVIDENCE_OF, (evidence) => evidence?.group ?? NO_GROUP)
const REPORT = featureId("report")

export const makeJudge = ({ density, ends, onEnough, rules }: Bench): Judge => {
  const compiled = rules.map((rule) => compile(rule, density))
  /** By feature, the rules that may hold when it was heard. */
  const rulesOf: ReadonlyArray<ReadonlyArray<CompiledRule>> = FEATURES.map((_, feature) =>
    compiled.filter(({ all, inOrder }) => (inOrder ? all.at(-1) === feature : all.includes(feature)))
  )
  const [reach, reportReach, shortly] = [REACH / density, REPORT_REACH / density, SHORTLY / density]
  /** Where a feature was last heard, and something directed. */
  const last = new Int32Array(FEATURES.length)
  let alarmed = NEVER
  /** Where it was last enough: what else is heard there says the same once more. */
  let reported = NEVER
  const groups = new Int32Array(GROUPS + 1)
  /** What has a weight and was heard, each once. */
  const weighty = new Int32Array(FEATURES.length)
  let heard = 0

  const begin = () => {
    last.fill(NEVER)
    heard = 0
    alarmed = reported = NEVER
  }

  const hear = (feature: number, at: number): void => {
    const hasWeight = WEIGHTS[feature] !== 0
    if (hasWeight && at === reported) return
    if (hasWeight && last[feature] === NEVER) weighty[heard++] = feature
    last[feature] = at
    const rules = rulesOf[feature]!
    for (let index = 0; index < rules.length; index++) if (holds(rules[index]!, at)) hear(rules[index]!.yields, at)
    if (!hasWeight || at === reported) return
    if (EVIDENCE_OF[feature]!.directed === true) alarmed = at
    if (alarmed >= at - reach) weigh(at)
  }

  const holds = ({ across, all, clause, inOrder, unless, within }: CompiledRule, at: number): boolean => {
    const from = at - within
    let first = at
    let before = NEVER
    for (let index = 0; index < all.length; index++) {
      const place = last[all[index]!]!
      if (place < from || (inOrder && place < before)) return false
      before = place
      if (place < first) first = place
    }
    if (unless !== -1 && last[unless]! > first - shortly) return false
    return across || !ends(first, at, clause)
  }

  const weigh = (at: number): void => {
    let weight = 0
    let everyday = 0
    let heaviest = 0
    let first = 0
    groups.fill(0)
    for (let index = 0; index < heard; index++) {
      const feature = weighty[index]!
      if (last[feature]! < at - reach) continue
      const [group, own] = [GROUP_OF[feature]!, WEIGHTS[feature]!]
      if (own === 1 && group === NO_GROUP) everyday++
      else if (group === NO_GROUP) weight += own
      else if (own > groups[group]!) {
        weight += own - groups[group]!
        groups[group] = own
      }
      if (own < heaviest || (own === heaviest && feature > first)) continue
      heaviest = own
      first = feature
    }
    const needed = enoughFor(heaviest) + (last[REPORT]! < at - reportReach ? 0 : REPORTED)
    if (weight + Math.min(everyday, EVERYDAY_MAX) < needed) return
    while (heard > 0) last[weighty[--heard]!] = NEVER
    alarmed = NEVER
    reported = at
    onEnough(EVIDENCE_OF[first]?.detail ?? ORDER)
  }

  return { begin, hear }
}
