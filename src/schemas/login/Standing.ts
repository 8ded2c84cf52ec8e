/**
 * What the rules of `clients.rules` make of a client: it may do what the rules that match it allow together; what one of them denies, it
 * may not do. Pure.
 */
import type { ToolRules } from "../config/GatewayConfig.ts"
import { namePrefix } from "../call/Names.ts"
import { matchesGlob, mayBegin } from "../data/Glob.ts"
import { memoOf } from "../data/Memo.ts"
import { type ClientRule, KINDS, type Kind } from "./ClientRule.ts"
import { compileCondition, type Held } from "./Condition.ts"
import type { Identity } from "./Identity.ts"

// ---- whom it concerns ----------------------------------------------------------------------------------------------

const valuesOf = (identity: Identity, kind: Kind): ReadonlyArray<string> => {
  switch (kind) {
    case "group":
      return identity.groups
    case "role":
      return identity.roles
    case "client":
      return [identity.client]
    case "scope":
      return identity.scopes
  }
}

const concerns = (identity: Identity, entry: string): boolean => {
  // Programs that act for themselves have no name.
  if (entry === "*") return true
  const kind = KINDS.find((each) => entry.startsWith(`${each}:`))
  if (kind === undefined) return identity.person !== undefined && matchesGlob(entry, identity.person.name)
  const pattern = entry.slice(kind.length + 1)
  return valuesOf(identity, kind).some((value) => matchesGlob(pattern, value))
}

// ---- what it says --------------------------------------------------------------------------------------------------

/** A rule that is ready to be asked. */
export interface ReadRule {
  readonly agent: string | undefined
  /** Whether it lets a client in; otherwise it only takes away. */
  readonly grants: boolean
  /** Whether resources and prompts come with it, and not tools alone. */
  readonly whole: boolean
  readonly covers: (server: string) => boolean
  /** Whether it concerns all servers, and so the tools of the runtime itself. */
  readonly isEverywhere: boolean
  readonly allows: ReadonlyArray<ToolRules>
  readonly restricts: ReadonlyArray<ToolRules>
  readonly holds: (identity: Identity) => Held
  /** Why its condition cannot be used. */
  readonly fault: string | undefined
}

/** Its condition is compiled once. */
export const readRule = memoOf((rule: ClientRule): ReadRule => {
  const { agent, if: text, servers, tools, who } = rule
  const { allow, approvers, ask, deny } = tools ?? {}
  const patterns = servers?.map((pattern) => pattern.toLowerCase())
  const condition = text === undefined ? undefined : compileCondition(text)
  const isPlaced = agent !== undefined || servers !== undefined
  return {
    agent,
    grants: isPlaced || allow !== undefined || (deny === undefined && ask === undefined),
    whole: allow === undefined || servers !== undefined,
    isEverywhere: servers === undefined,
    covers: (server) =>
      patterns === undefined || patterns.some((pattern) => matchesGlob(pattern, server.toLowerCase())),
    allows: [{ allow, deny: [] }],
    restricts: [
      { allow: undefined, deny: deny ?? [], ...(ask !== undefined && { ask }), ...(approvers && { approvers }) }
    ],
    holds: (identity) => {
      if (who !== undefined && !who.some((entry) => concerns(identity, entry))) return false
      if (condition === undefined) return true
      return "fault" in condition ? { failed: "malformed" } : condition.holds(identity)
    },
    fault: condition !== undefined && "fault" in condition ? condition.fault : undefined
  }
})

// ---- all rules of one client ---------------------------------------------------------------------------------------

/** A rule that matches a client. */
export interface Matched {
  readonly rule: ReadRule
  /** Where it is in the configuration. */
  readonly place: string
  /** Its condition could not be evaluated: it takes away, and grants nothing. */
  readonly failed: string | undefined
}

/** What the rules make of a client. */
export interface Standing {
  /** Whether any rule lets it in. */
  readonly isLetIn: boolean
  readonly agent: string | undefined
  readonly matched: ReadonlyArray<Matched>
}

export const grantsOf = ({ failed, rule }: Matched): boolean => failed === undefined && rule.grants

export const standingOf = (rules: ReadonlyArray<ClientRule>, identity: Identity): Standing => {
  const matched = rules.flatMap((written, i): ReadonlyArray<Matched> => {
    const rule = readRule(written)
    const held = rule.holds(identity)
    if (held === false) return []
    return [{ rule, place: `clients.rules[${i}]`, failed: held === true ? undefined : held.failed }]
  })
  return {
    isLetIn: matched.some(grantsOf),
    agent: matched.find((one) => grantsOf(one) && one.rule.agent !== undefined)?.rule.agent,
    matched
  }
}

/** Judges clients by the rules as they are now: each once, until the rules change. `undefined` without rules. */
export const makeJudge = (
  rules: () => ReadonlyArray<ClientRule>,
  tell: (standing: Standing) => void = () => {}
): ((identity: Identity) => Standing | undefined) => {
  let of: ReadonlyArray<ClientRule> = []
  let known = new WeakMap<Identity, Standing>()
  return (identity) => {
    const now = rules()
    if (now !== of) {
      of = now
      known = new WeakMap()
    }
    if (now.length === 0) return undefined
    const before = known.get(identity)
    if (before !== undefined) return before
    const standing = standingOf(now, identity)
    known.set(identity, standing)
    tell(standing)
    return standing
  }
}

/** Whether resources and prompts of this server are granted. */
export const mayReach = ({ matched }: Standing, server: string): boolean =>
  matched.some((one) => grantsOf(one) && one.rule.whole && one.rule.covers(server))

/** Whether anything of this server may be granted, as far as that is known without its tools. */
export const mayUse = (
  { matched }: Standing,
  { name, toolPrefix }: { readonly name: string; readonly toolPrefix: string }
) =>
  matched.some((one) => {
    if (!grantsOf(one) || !one.rule.covers(name)) return false
    const [{ allow } = { allow: undefined }] = one.rule.allows
    const beginnings = [`${name}/`, namePrefix("gateway", toolPrefix)]
    return (
      allow === undefined ||
      one.rule.whole ||
      allow.some((glob) => beginnings.some((each) => mayBegin(glob.toLowerCase(), each.toLowerCase())))
    )
  })
