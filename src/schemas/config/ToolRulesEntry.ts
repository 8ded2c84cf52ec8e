/**
 * `tools: { allow, deny, ask, approvers }` of the gateway and of agents. OpenClaw has many other keys in these objects, which are
 * ignored. But a key that is similar to one of these is an error, because a lost rule would leave open what it should close.
 */
import { approversOf } from "../call/Approvers.ts"
import type { ToolRules } from "./GatewayConfig.ts"
import { nearest } from "../call/Names.ts"
import * as Field from "./Fields.ts"
import { RULE_KEYS } from "./RuleKeys.ts"
import type { KeyPath } from "./KeyPath.ts"
import { readValue } from "./ReadKeys.ts"
import type { Report } from "./Report.ts"

const KEYS = Object.keys(RULE_KEYS)
/** OpenClaw's: widens a tool profile; there are no profiles here. */
const INERT = "alsoAllow"

/** Words that could be mistaken for ours, in any case. */
const SLIPS: ReadonlyArray<readonly [begins: RegExp, meant: string]> = [
  [/^allow/i, "allow"],
  [/^den(?:y|ied)/i, "deny"],
  [/^approvers?$/i, "approvers"],
  [/^(?:ask|aks|confirm|approv|prompt$|require_?(?:approv|confirm))/i, "ask"]
]

const slipFor = (key: string): string | null => SLIPS.find(([begins]) => begins.test(key))?.[1] ?? nearest(key, KEYS)

/** Synonyms: `tools` as in OpenClaw, `toolPolicy` as in other gateways. */
const PLACES = ["tools", "toolPolicy"]

export interface PlacedRules {
  readonly path: KeyPath
  readonly rules: ToolRules
}

/** The rules in an object, under either name. */
export const readRulesIn = (report: Report, path: KeyPath, raw: Record<string, unknown>): PlacedRules | undefined => {
  const [key = PLACES[0]!, other] = PLACES.filter((name) => Field.member(raw, name) !== undefined)
  if (other !== undefined) report.error([...path, other], `means the same as "${key}", which is also given: keep one`)
  const place = [...path, key]
  const rules = readToolRules(report, place, Field.member(raw, key))
  return rules === undefined ? undefined : { path: place, rules }
}

/** Nobody could answer. */
export const checkApprovers = (report: Report, path: KeyPath, approvers: ReadonlyArray<string>): void => {
  if (approvers.length === 0)
    report.error(path, "is empty, so that nobody could approve: leave it out, or name somebody")
}

/** `undefined` when there are no rules. */
export const readToolRules = (report: Report, path: KeyPath, value: unknown): ToolRules | undefined => {
  if (value === undefined) return undefined
  const tools = Field.record(report, path, value)
  if (tools === undefined) return undefined
  for (const [key] of Field.membersOf(tools)) {
    const slip = KEYS.includes(key) || key === INERT ? null : slipFor(key)
    if (key === INERT) report.warn([...path, key], "has no effect here")
    if (slip !== null) report.error([...path, key], `unknown key, did you mean "${slip}"?`)
  }
  const take = (key: keyof typeof RULE_KEYS): ReadonlyArray<string> | undefined => {
    const raw = Field.member(tools, key)
    return raw === undefined ? undefined : readValue(RULE_KEYS[key], report, [...path, key], raw)
  }
  const [allow, approvers, ask, deny] = [take("allow"), take("approvers"), take("ask"), take("deny")]
  if (approvers !== undefined) checkApprovers(report, [...path, "approvers"], approvers)
  if (allow === undefined && approvers === undefined && ask === undefined && deny === undefined) return undefined
  return { allow, deny: deny ?? [], ...(ask !== undefined && { ask }), ...(approvers !== undefined && { approvers }) }
}

const both = (base: ReadonlyArray<string>, own: ReadonlyArray<string>) => [...new Set([...base, ...own])]

/** An agent may have its own `allow`, but never remove a `deny` or an `ask`. */
export const overrideRules = (base: ToolRules | undefined, own: ToolRules | undefined): ToolRules | undefined => {
  if (base === undefined || own === undefined) return own ?? base
  const ask = both(base.ask ?? [], own.ask ?? [])
  const approvers = approversOf(base.approvers, own.approvers)
  return {
    allow: own.allow ?? base.allow,
    deny: both(base.deny, own.deny),
    ...(ask.length > 0 && { ask }),
    ...(approvers !== undefined && { approvers })
  }
}
