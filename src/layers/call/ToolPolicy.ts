/**
 * Decides by globs which tools may be used. Rules are compiled once per list and cached as long as the list lives. An invalid
 * rule denies, because it must never widen what is allowed.
 */
import * as Layer from "effect/Layer"
import { TOOL_RULE_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { approversOf } from "../../schemas/call/Approvers.ts"
import { isApprover } from "../../schemas/config/Approvers.ts"
import type { ToolRules } from "../../schemas/config/GatewayConfig.ts"
import { matchesGlob } from "../../schemas/data/Glob.ts"
import { withoutHashes } from "../../schemas/call/Names.ts"
import { type Decision, ToolPolicy, type ToolSubject } from "../../services/call/ToolPolicy.ts"

interface Glob {
  /** As the operator wrote it. */
  readonly source: string
  /** In lower case. */
  readonly pattern: string
}

interface RuleSet {
  readonly allow: ReadonlyArray<Glob> | undefined
  readonly deny: ReadonlyArray<Glob>
  readonly ask: ReadonlyArray<Glob>
  readonly approvers: ReadonlyArray<string> | undefined
}

/** Compiled rules, or why nothing is allowed under them. */
type Compiled = ReadonlyArray<RuleSet> | string

// ---- rules ---------------------------------------------------------------------------------------------------------

/** With blanks at the ends or invisible characters, a rule would look as if it matched but never match. */
const isGlob = (rule: unknown): rule is string =>
  typeof rule === "string" &&
  rule !== "" &&
  rule.length <= TOOL_RULE_MAX_CHARS &&
  rule === rule.trim() &&
  !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(rule)

const compileList = (rules: unknown, list: string): ReadonlyArray<Glob> | string => {
  if (!Array.isArray(rules)) return `malformed rules in ${list}`
  const bad = rules.findIndex((rule) => !isGlob(rule))
  if (bad >= 0) return `malformed rule ${bad + 1} in ${list}`
  return rules.map((source: string) => ({ source, pattern: source.toLowerCase() }))
}

const compileSet = (rules: Partial<ToolRules> | null): RuleSet | string => {
  const deny = compileList(rules?.deny, "deny")
  if (typeof deny === "string") return deny
  const ask = rules?.ask === undefined ? [] : compileList(rules.ask, "ask")
  if (typeof ask === "string") return ask
  const approvers = rules?.approvers
  // Nobody could answer.
  const isSound = Array.isArray(approvers) ? approvers.length > 0 && approvers.every(isApprover) : !approvers
  if (!isSound) return "malformed approvers"
  const allow = rules?.allow === undefined ? undefined : compileList(rules.allow, "allow")
  return typeof allow === "string" ? allow : { allow, approvers, ask, deny }
}

const compile = (rules: ReadonlyArray<ToolRules>): Compiled => {
  const sets = rules.map(compileSet)
  return sets.find((set) => typeof set === "string") ?? sets.filter((set) => typeof set !== "string")
}

// ---- decisions -----------------------------------------------------------------------------------------------------

const NO_RULES: Decision = { allowed: true, rule: "no rules" }
const NOT_LISTED: Decision = { allowed: false, rule: "allow: no match" }

/**
 * A server's name may contain a `/`, and clients choose the names of the servers that they bring. So an `allow` of `files/*`
 * applies to the server `files` and not to one called `files/more`.
 */
const allows = ({ pattern }: Glob, exposed: string, server: string, tool: string): boolean => {
  if (matchesGlob(pattern, exposed)) return true
  if (!server.includes("/") || !pattern.includes("/")) return matchesGlob(pattern, `${server}/${tool}`)
  for (let at = pattern.indexOf("/"); at !== -1; at = pattern.indexOf("/", at + 1)) {
    if (matchesGlob(pattern.slice(0, at), server) && matchesGlob(pattern.slice(at + 1), tool)) return true
  }
  return false
}

const find = (globs: ReadonlyArray<Glob>, names: ReadonlyArray<string>) =>
  globs.find(({ pattern }) => names.some((name) => matchesGlob(pattern, name)))

const decide = (compiled: Compiled, { exposed, server, tool }: ToolSubject): Decision => {
  if (typeof compiled === "string") return { allowed: false, rule: compiled }
  if (compiled.length === 0) return NO_RULES
  const names = [exposed.toLowerCase(), `${server}/${tool}`.toLowerCase()]
  // Exposed names can end in a hash: a `deny` or `ask` for the name without it still applies.
  const restrictable = [...names, ...withoutHashes(names[0]!)]
  let decision = NO_RULES
  let asked: Glob | undefined
  let named: Decision["approvers"]
  for (const { allow, approvers, ask, deny } of compiled) {
    const denied = find(deny, restrictable)
    if (denied !== undefined) return { allowed: false, rule: `deny: ${denied.source}` }
    const asks = find(ask, restrictable)
    // The rule that names somebody says more.
    if (asks !== undefined && (asked === undefined || (named === undefined && approvers !== undefined))) asked = asks
    if (asks !== undefined) named = approversOf(named, approvers)
    if (allow === undefined) continue
    const allowed = allow.find((glob) => allows(glob, names[0]!, server.toLowerCase(), tool.toLowerCase()))
    if (allowed === undefined) return NOT_LISTED
    decision = { allowed: true, rule: `allow: ${allowed.source}` }
  }
  if (asked === undefined) return decision
  return { allowed: true, ask: true, ...(named && { approvers: named }), rule: `ask: ${asked.source}` }
}

const make = (): ToolPolicy["Service"] => {
  const compiled = new WeakMap<ReadonlyArray<ToolRules>, Compiled>()
  return {
    decide: (rules, subject) => {
      let known = compiled.get(rules)
      if (known === undefined) compiled.set(rules, (known = compile(rules)))
      return decide(known, subject)
    }
  }
}

/** Decides by globs. An invalid rule denies. */
export const layer = Layer.sync(ToolPolicy, make)
