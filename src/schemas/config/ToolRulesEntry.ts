/**
 * `tools: { allow, deny }` of the gateway and of agents. OpenClaw keeps much else in these objects, which is left alone;
 * but a key that is nearly `allow` or `deny` is an error, because a rule that is lost opens what it should close.
 */
import type { ToolRules } from "../GatewayConfig.ts"
import { nearest } from "../Names.ts"
import * as Field from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { Report } from "./Report.ts"

const KEYS = ["allow", "deny"]
/** Of OpenClaw: widens a tool profile, and there are no profiles here. */
const INERT = "alsoAllow"

const slipFor = (key: string): string | null =>
  nearest(key, KEYS) ?? (/^allow/i.test(key) ? "allow" : /^den(?:y|ied)/i.test(key) ? "deny" : null)

/** `undefined` when there are no rules here at all. */
export const readToolRules = (report: Report, path: KeyPath, value: unknown): ToolRules | undefined => {
  if (value === undefined) return undefined
  const tools = Field.record(report, path, value)
  if (tools === undefined) return undefined
  for (const [key] of Field.membersOf(tools)) {
    const slip = KEYS.includes(key) || key === INERT ? null : slipFor(key)
    if (key === INERT) report.warn([...path, key], "has no effect here")
    if (slip !== null) report.error([...path, key], `unknown key, did you mean "${slip}"?`)
  }
  const take = (key: string): ReadonlyArray<string> | undefined => {
    const raw = Field.member(tools, key)
    const globs = raw === undefined ? undefined : Field.globs(report, [...path, key], raw)
    return globs?.map((glob) => glob.value)
  }
  const [allow, deny] = [take("allow"), take("deny")]
  return allow === undefined && deny === undefined ? undefined : { allow, deny: deny ?? [] }
}

/** An agent may choose its own `allow`, but never lift a `deny`. */
export const overrideRules = (base: ToolRules | undefined, own: ToolRules | undefined): ToolRules | undefined =>
  base === undefined || own === undefined
    ? (own ?? base)
    : { allow: own.allow ?? base.allow, deny: [...new Set([...base.deny, ...own.deny])] }
