/**
 * The rules: which terms close together count as evidence, and with what weight. Distances are in characters of English, from
 * the end of the first term to the end of the last.
 */
import type { Feature } from "./features.ts"

export interface Rule {
  readonly all: ReadonlyArray<Feature>
  readonly within: number
  readonly yields: Feature
  /** The terms must occur in this order. */
  readonly inOrder?: true
  /** Does not match shortly after this. */
  readonly unless?: Feature
  /** No comma or colon may be in between. */
  readonly clause?: true
  /** Not for languages where the verb follows its object. */
  readonly verbFirst?: true
  /** A sentence may end in between. */
  readonly across?: true
}

const near = (within: number, yields: Feature, ...all: ReadonlyArray<Feature>): Rule => ({ all, within, yields })
const after = (within: number, yields: Feature, ...all: ReadonlyArray<Feature>): Rule => ({
  all,
  within,
  yields,
  inOrder: true
})

const tight = (rule: Rule): Rule => ({ ...rule, clause: true })
const unless = (feature: Feature, rule: Rule): Rule => ({ ...rule, unless: feature })
const verbFirst = (rule: Rule): Rule => ({ ...rule, verbFirst: true })
const across = (rule: Rule): Rule => ({ ...rule, across: true })
/** The first with each of the others. */
const pairs = (within: number, feature: Feature, ...others: ReadonlyArray<Feature>): ReadonlyArray<Rule> =>
  others.map((other) => near(within, "suspect", feature, other))

export const RULES: ReadonlyArray<Rule> = [
  after(26, "told", "got", "gave"),
  tight(near(34, "given", "rules", "prior")),
  tight(near(34, "given", "rules", "above")),
  near(45, "given", "rules", "told"),
  tight(near(24, "own", "rules", "your")),
  verbFirst(tight(unless("heed", after(60, "override", "drop", "given")))),
  unless("heed", after(24, "override", "given", "drop")),
  verbFirst(unless("heed", after(45, "override", "drop", "own"))),
  unless("heed", after(24, "override", "own", "drop")),
  unless("heed", tight(near(34, "sweep", "drop", "all", "rules"))),
  unless("heed", near(80, "override", "drop", "told", "above")),
  near(60, "forget", "drop", "told"),
  unless("heed", near(40, "waved", "drop", "above")),
  unless("heed", near(34, "waved", "drop", "rules")),
  near(60, "freed", "void", "own"),
  near(50, "offTask", "drop", "job", "above"),
  near(60, "waved", "bypass", "given"),
  near(50, "undone", "bypass", "own"),
  near(60, "undone", "bypass", "told"),
  near(60, "lifted", "void", "given"),
  near(60, "lifted", "void", "own"),
  near(50, "lifted", "void", "safety"),
  unless("heed", near(40, "waved", "drop", "safety")),
  near(40, "lifted", "drop", "secret"),
  near(40, "waved", "bypass", "safety"),
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
  near(45, "reborn", "role", "unbound"),
  after(22, "noRules", "not", "safety"),
  after(22, "noRules", "not", "refuse"),
  after(26, "noRules", "safety", "nothing"),
  after(20, "noRules", "refuse", "nothing"),
  near(50, "freed", "void", "safety", "your"),
  near(50, "charge", "model", "must", "act"),

  after(28, "untold", "not", "tell"),
  unless("states", near(36, "conceal", "untold", "user")),
  unless("states", near(34, "mute", "untold", "closed")),
  after(40, "mute", "tell", "nothing", "closed"),
  after(40, "mute", "tell", "closed", "nothing"),
  after(45, "conceal", "tell", "user", "nothing"),
  after(50, "conceal", "tell", "nothing", "user"),
  after(60, "conceal", "user", "tell", "nothing"),
  near(36, "unseen", "not", "show", "user"),
  near(40, "behind", "hush", "user"),
  { ...near(140, "collusion", "consented", "hush"), across: true },
  { ...near(140, "collusion", "consented", "noAsk"), across: true },
  { ...near(220, "collusion", "vocative", "hush"), across: true },
  { ...near(160, "collusion", "waved", "hush"), across: true },
  { ...near(160, "lure", "path", "slot", "toolCall"), across: true },
  after(24, "noAsk", "not", "ask"),
  after(30, "noAsk", "ask", "nothing"),
  near(44, "unasked", "noAsk", "user"),
  near(30, "usurp", "obey", "user"),
  near(34, "consented", "user", "agreed"),
  near(40, "approved", "power", "agreed"),
  near(44, "blessed", "maker", "agreed"),
  after(24, "noAsk", "bypass", "ask"),
  near(80, "waiver", "prefers", "user", "noAsk"),

  { ...near(60, "leak", "reveal", "secret", "your"), unless: "not" },
  { ...near(45, "spill", "reveal", "secret"), unless: "not" },
  { ...near(55, "spill", "reveal", "own"), unless: "not" },
  near(30, "start", "above", "talk"),
  { ...near(80, "probe", "reveal", "told"), across: true, unless: "not" },
  near(60, "query", "verbatim", "told"),
  near(60, "query", "verbatim", "start"),
  near(60, "query", "verbatim", "secret", "your"),
  near(60, "query", "told", "start"),
  near(60, "query", "verbatim", "own"),
  near(50, "probe", "reveal", "start"),
  near(60, "query", "reveal", "rules", "told"),
  near(90, "leak", "reveal", "told", "start"),
  near(90, "leak", "verbatim", "told", "start"),
  near(90, "leak", "reveal", "verbatim", "start"),
  near(60, "leak", "reveal", "secret", "told"),
  near(40, "spill", "give", "secret", "your"),

  after(30, "toolCall", "before", "using"),
  near(24, "rig", "top", "marks"),
  after(30, "authority", "from", "power"),
  near(26, "maker", "your", "power"),
  near(30, "impostor", "iAm", "maker"),
  near(26, "claim", "iAm", "power"),
  near(40, "yours", "from", "maker"),
  near(24, "impostor", "iAm", "your", "user")
]

/** The total weight in one place that is reported. */
const ENOUGH = 6
/** The total if no rule weighs more than 2, because many harmless texts have several of those. */
const ENOUGH_OF_LITTLE = 8
export const enoughFor = (heaviest: number): number => (heaviest > 2 ? ENOUGH : ENOUGH_OF_LITTLE)
/** The size of the place. */
export const REACH = 350
/** The total in a text that reports about instructions. */
export const REPORTED = 4
export const REPORT_REACH = 500
export interface Evidence {
  readonly weight: number
  /** Wording that only makes sense to a model, or about acting behind somebody's back. Without any of it nothing is reported. */
  readonly directed?: true
  readonly detail?: string
  /** Of rules for the same statement only the heaviest counts. */
  readonly group?: number
}

export const GROUPS = 6
const [RETRACTED, ASKED, KEPT, ADDRESSED, UNASKED, AGREED] = [0, 1, 2, 3, 4, 5]
/** Rules of weight 1 are everyday wording: together they count at most this much. */
export const EVERYDAY_MAX = 2

const OVERRIDE = "instruction override"
const ROLE = "new role for the reader"
const PROMPT = "system prompt"
const HIDDEN = "kept from the user"

export const EVIDENCE: Partial<Record<Feature, Evidence>> = {
  override: { weight: 6, directed: true, detail: OVERRIDE, group: RETRACTED },
  undone: { weight: 3, directed: true, detail: OVERRIDE, group: RETRACTED },
  waved: { weight: 2, directed: true, detail: OVERRIDE, group: RETRACTED },
  sweep: { weight: 3, directed: true, detail: OVERRIDE, group: RETRACTED },
  forget: { weight: 2, directed: true, detail: OVERRIDE, group: RETRACTED },
  freed: { weight: 4, directed: true, detail: OVERRIDE, group: RETRACTED },
  lifted: { weight: 2, detail: OVERRIDE, group: RETRACTED },
  offTask: { weight: 4, directed: true, detail: OVERRIDE },
  precedence: { weight: 2, detail: OVERRIDE, group: RETRACTED },

  leak: { weight: 6, directed: true, detail: PROMPT, group: ASKED },
  spill: { weight: 3, directed: true, detail: PROMPT, group: ASKED },
  probe: { weight: 3, directed: true, detail: PROMPT, group: ASKED },
  query: { weight: 5, directed: true, detail: PROMPT, group: ASKED },

  notBot: { weight: 6, directed: true, detail: ROLE },
  role: { weight: 2, directed: true, detail: ROLE },
  reborn: { weight: 4, directed: true, detail: ROLE },
  unbound: { weight: 2, directed: true, detail: ROLE },
  noRules: { weight: 3, detail: ROLE },
  mode: { weight: 2, directed: true, detail: ROLE },

  conceal: { weight: 4, directed: true, detail: HIDDEN, group: KEPT },
  mute: { weight: 6, directed: true, detail: HIDDEN, group: KEPT },
  hush: { weight: 2, detail: HIDDEN, group: KEPT },
  unseen: { weight: 2, directed: true, detail: HIDDEN, group: KEPT },
  untold: { weight: 1, detail: HIDDEN, group: KEPT },
  behind: { weight: 3, directed: true, detail: HIDDEN, group: KEPT },
  collusion: { weight: 2, directed: true, detail: HIDDEN },
  lure: { weight: 3, directed: true },
  noAsk: { weight: 2, detail: HIDDEN, group: UNASKED },
  unasked: { weight: 3, directed: true, detail: HIDDEN, group: UNASKED },
  consented: { weight: 2, directed: true, group: AGREED },
  approved: { weight: 2, group: AGREED },

  address: { weight: 4, directed: true, group: ADDRESSED },
  summons: { weight: 4, directed: true, group: ADDRESSED },
  vocative: { weight: 2, directed: true, group: ADDRESSED },
  yours: { weight: 3, directed: true },
  impostor: { weight: 4, directed: true },
  maker: { weight: 1 },
  duty: { weight: 1 },
  authority: { weight: 2 },
  obey: { weight: 2, directed: true },
  toolCall: { weight: 2, directed: true },
  trigger: { weight: 2, directed: true },
  normal: { weight: 2, directed: true },
  usurp: { weight: 3, directed: true },
  charge: { weight: 2, directed: true },
  waiver: { weight: 5, directed: true, group: UNASKED },
  blessed: { weight: 3, directed: true },
  claim: { weight: 2, directed: true },
  threat: { weight: 2 },
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

// ---- the first look ----------------------------------------------------------------------------------------------------

/**
 * What makes a place worth reading in full: pairs that rarely occur together in ordinary text, and without which hardly
 * anything is reported. Features that are not listed here are not searched in the first look.
 */
export const HINTS: ReadonlyArray<Rule> = [
  after(26, "told", "got", "gave"),
  tight(near(34, "given", "rules", "prior")),
  tight(near(34, "given", "rules", "above")),
  near(45, "given", "rules", "told"),
  tight(near(24, "own", "rules", "your")),
  ...pairs(60, "drop", "given", "own", "told"),
  near(50, "suspect", "bypass", "own"),
  near(40, "suspect", "bypass", "safety"),
  near(34, "suspect", "drop", "safety"),

  near(60, "suspect", "reveal", "secret", "your"),
  near(60, "suspect", "reveal", "own"),
  ...pairs(60, "verbatim", "secret", "told", "own"),
  across(near(100, "suspect", "verbatim", "talk")),

  after(28, "untold", "not", "tell"),
  near(50, "suspect", "untold", "user"),
  after(24, "noAsk", "not", "ask"),
  near(44, "suspect", "noAsk", "user"),
  across(near(60, "suspect", "hush", "user")),
  ...pairs(150, "hush", "model", "path").map(across),

  ...pairs(60, "role", "unbound").map(across),
  ...pairs(150, "role", "mode", "refuse", "model", "obey").map(across),
  ...pairs(120, "mode", "refuse", "obey", "drop").map(across),
  near(50, "suspect", "model", "reads"),
  near(40, "suspect", "yours", "user"),
  ...pairs(60, "precedence", "given", "own", "model"),
  ...pairs(200, "path", "using", "slot").map(across)
]

/** The first look uses the end of a term, or of its rarest word. */
export const ROUGH_SLACK = 16
