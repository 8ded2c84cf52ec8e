/**
 * Combines the terms in a stretch of text, in order: which rules match, and whether one place has enough evidence for a
 * finding. The work per term is limited by the number of rules.
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
  /** Forgets earlier terms. */
  readonly begin: () => void
  /** Adds a term, in the order of the text. */
  readonly hear: (feature: number, at: number) => void
}

export interface Bench {
  readonly rules: ReadonlyArray<Rule>
  /** How many characters of English correspond to one character of the language. */
  readonly density: number
  /** Whether a sentence, or only a clause, ends between two positions. */
  readonly ends: (from: number, to: number, clause: boolean) => boolean
  /** Called when there is enough evidence, with the name of the heaviest rule. That evidence is then dropped. */
  readonly onEnough: (detail: string) => void
}

/** Before every text. */
const NEVER = -100_000
/** The distance within which a forbidden word before a rule counts. */
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
/** A last index that stays empty. */
const NO_GROUP = GROUPS
const GROUP_OF = Int32Array.from(EVIDENCE_OF, (evidence) => evidence?.group ?? NO_GROUP)
const REPORT = featureId("report")

export const makeJudge = ({ density, ends, onEnough, rules }: Bench): Judge => {
  const compiled = rules.map((rule) => compile(rule, density))
  /** By feature, the rules that it may complete. */
  const rulesOf: ReadonlyArray<ReadonlyArray<CompiledRule>> = FEATURES.map((_, feature) =>
    compiled.filter(({ all, inOrder }) => (inOrder ? all.at(-1) === feature : all.includes(feature)))
  )
  const [reach, reportReach, shortly] = [REACH / density, REPORT_REACH / density, SHORTLY / density]
  /** The last position of each feature, and of something directed at a model. */
  const last = new Int32Array(FEATURES.length)
  let alarmed = NEVER
  /** The last finding: more evidence at the same place belongs to it. */
  let reported = NEVER
  const groups = new Int32Array(GROUPS + 1)
  /** The rules with weight that matched, each once. */
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
