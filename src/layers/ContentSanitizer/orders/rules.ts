/**
 * What terms near one another add up to, and how much it weighs. Distances are in characters of English, from the end of
 * the first term to the end of the last; no rule reaches over the end of a sentence.
 */
import type { Feature } from "./features.ts"

export interface Rule {
  readonly all: ReadonlyArray<Feature>
  readonly within: number
  readonly yields: Feature
  /** The terms stand in this order. */
  readonly inOrder?: true
  /** Not where this stands shortly before. */
  readonly unless?: Feature
}

const near = (within: number, yields: Feature, ...all: ReadonlyArray<Feature>): Rule => ({ all, within, yields })
const after = (within: number, yields: Feature, ...all: ReadonlyArray<Feature>): Rule => ({
  all,
  within,
  yields,
  inOrder: true
})

export const RULES: ReadonlyArray<Rule> = [
  after(26, "told", "got", "gave"),
  near(34, "given", "rules", "prior"),
  near(34, "given", "rules", "above"),
  near(45, "given", "rules", "told"),
  near(24, "own", "rules", "your"),
  near(70, "override", "drop", "given"),
  near(55, "override", "drop", "own"),
  near(80, "override", "drop", "told", "above"),
  near(60, "forget", "drop", "told"),
  near(60, "undone", "bypass", "given"),
  near(50, "undone", "bypass", "own"),
  near(60, "undone", "bypass", "told"),
  near(60, "lifted", "void", "given"),
  near(60, "lifted", "void", "own"),
  near(50, "lifted", "void", "safety"),
  near(40, "lifted", "drop", "safety"),
  near(40, "lifted", "drop", "secret"),
  near(40, "lifted", "bypass", "safety"),
  near(55, "offTask", "drop", "job", "your"),
  near(55, "offTask", "drop", "job", "user"),
  near(55, "offTask", "bypass", "job", "your"),
  near(55, "offTask", "void", "job", "your"),
  near(55, "offTask", "void", "job", "user"),

  near(60, "address", "model", "reads", "this"),
  near(50, "address", "bot", "reads", "this"),
  after(30, "summons", "call", "model"),
  after(26, "vocative", "call", "bot"),
  near(30, "duty", "model", "must"),
  near(24, "duty", "bot", "must"),
  after(36, "notBot", "you", "noLonger", "model"),
  after(36, "notBot", "you", "noLonger", "bot"),
  after(22, "noRules", "not", "safety"),
  after(22, "noRules", "not", "refuse"),

  after(28, "untold", "not", "tell"),
  near(50, "conceal", "untold", "user"),
  near(50, "unseen", "not", "show", "user"),
  after(24, "noAsk", "not", "ask"),
  near(34, "approved", "user", "agreed"),

  { ...near(60, "leak", "reveal", "secret", "your"), unless: "not" },
  { ...near(45, "spill", "reveal", "secret"), unless: "not" },
  { ...near(40, "spill", "reveal", "own"), unless: "not" },
  near(30, "start", "above", "talk"),
  near(60, "query", "verbatim", "told"),
  near(60, "query", "verbatim", "start"),
  near(60, "query", "verbatim", "secret", "your"),
  near(60, "query", "told", "start"),

  after(30, "toolCall", "before", "using"),
  near(24, "rig", "top", "marks"),
  after(30, "authority", "from", "power"),
  near(18, "maker", "your", "power"),
  near(30, "impostor", "iAm", "maker"),
  near(24, "impostor", "iAm", "your", "user")
]

/** What is reported when a text has as much as this in one place. */
export const ENOUGH = 6
/** The place. */
export const REACH = 350
/** Where a text reports about orders, more is needed. */
export const REPORTED = 4
export const REPORT_REACH = 500
/** The longest way of a rule. */
export const RULE_REACH = Math.max(...RULES.map(({ within }) => within))

/** Whatever is reported has one of these shortly before or behind it, and in most texts there are none. */
export const ANCHORS: ReadonlyArray<Feature> = [
  "drop",
  "rules",
  "secret",
  "verbatim",
  "talk",
  "model",
  "bot",
  "user",
  "obey",
  "using",
  "trigger",
  "yours",
  "role",
  "power"
]

export interface Evidence {
  readonly weight: number
  /** Only said to a model, or about what a model shall do behind somebody's back. Without one nothing is reported. */
  readonly directed?: true
  readonly detail?: string
  /** Of those that say the same in other ways, only the weightiest counts. */
  readonly group?: number
}

export const GROUPS = 3
const [RETRACTED, ASKED, KEPT] = [0, 1, 2]

const OVERRIDE = "instruction override"
const ROLE = "new role for the reader"
const PROMPT = "system prompt"
const HIDDEN = "kept from the user"

export const EVIDENCE: Partial<Record<Feature, Evidence>> = {
  override: { weight: 6, directed: true, detail: OVERRIDE, group: RETRACTED },
  undone: { weight: 3, directed: true, detail: OVERRIDE, group: RETRACTED },
  forget: { weight: 4, directed: true, detail: OVERRIDE, group: RETRACTED },
  lifted: { weight: 3, detail: OVERRIDE, group: RETRACTED },
  offTask: { weight: 4, directed: true, detail: OVERRIDE },
  precedence: { weight: 2, detail: OVERRIDE },

  leak: { weight: 6, directed: true, detail: PROMPT, group: ASKED },
  spill: { weight: 3, detail: PROMPT, group: ASKED },
  query: { weight: 4, directed: true, detail: PROMPT, group: ASKED },

  notBot: { weight: 6, directed: true, detail: ROLE },
  role: { weight: 2, directed: true, detail: ROLE },
  noRules: { weight: 3, detail: ROLE },
  mode: { weight: 2, detail: ROLE },

  conceal: { weight: 4, directed: true, detail: HIDDEN, group: KEPT },
  hush: { weight: 2, detail: HIDDEN },
  unseen: { weight: 2, directed: true, detail: HIDDEN, group: KEPT },
  untold: { weight: 1, detail: HIDDEN, group: KEPT },
  noAsk: { weight: 2, detail: HIDDEN },
  approved: { weight: 2, directed: true },

  address: { weight: 4, directed: true },
  summons: { weight: 4, directed: true },
  vocative: { weight: 2, directed: true },
  yours: { weight: 3, directed: true },
  impostor: { weight: 4, directed: true },
  maker: { weight: 1 },
  duty: { weight: 1 },
  authority: { weight: 2 },
  obey: { weight: 2, directed: true },
  toolCall: { weight: 2, directed: true },
  trigger: { weight: 2, directed: true },
  path: { weight: 2 },
  slot: { weight: 1 },
  asset: { weight: 1 },
  secret: { weight: 1, group: ASKED },
  give: { weight: 1 },
  act: { weight: 1 },
  rig: { weight: 2 },
  urgent: { weight: 1 }
}

export const ORDER = "orders to a model"
