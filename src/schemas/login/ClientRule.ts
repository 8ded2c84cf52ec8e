/** One rule of `clients.rules`, as it is written: whom it concerns, and what it grants and takes away. */
import * as Schema from "effect/Schema"
import { globs, list, optional, sound, text } from "../config/Keys.ts"
import { RULE_KEYS } from "../config/RuleKeys.ts"
import { CONDITION_MAX_CHARS, RULE_WHO_MAX } from "../defaults/Clients.ts"
import { TOOL_RULE_MAX_CHARS } from "../defaults/Texts.ts"

export const KINDS = ["group", "role", "client", "scope"] as const
export type Kind = (typeof KINDS)[number]

/** Words that are easily written instead. */
const SLIPS: Readonly<Record<string, string>> = {
  groups: "group:",
  roles: "role:",
  clients: "client:",
  scopes: "scope:",
  user: "a name without a word before it",
  users: "a name without a word before it",
  person: "a name without a word before it"
}

const whoFault = (value: string): string | undefined => {
  if (value !== value.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value))
    return "must not have invisible characters, or blanks at its ends"
  if (value.length > TOOL_RULE_MAX_CHARS) return `must have at most ${TOOL_RULE_MAX_CHARS} characters`
  const word = /^(\w+):/.exec(value)?.[1]?.toLowerCase()
  if (word !== undefined && Object.hasOwn(SLIPS, word)) return `must begin with ${SLIPS[word]!}`
  return KINDS.some((kind) => value === `${kind}:`) ? "must have a name after the colon" : undefined
}

/** One rule, as it is written. */
export const ClientRule = Schema.Struct({
  who: optional(
    list(sound(whoFault), "names or patterns", RULE_WHO_MAX),
    "everybody",
    "the clients that it applies to, any of these: names of people, `group:NAME`, `role:NAME`, `client:NAME`, `scope:NAME`; `*` and `?` stand for any characters, case counts"
  ),
  if: optional(
    text,
    "none",
    `a condition in CEL over \`person\` (\`name\`, \`issuer\`, \`subject\`), \`client\`, \`groups\`, \`roles\`, \`scopes\` and \`claims\`, at most ${CONDITION_MAX_CHARS} characters; if it fails, the rule grants nothing, and its \`deny\` and \`ask\` still apply`
  ),
  agent: optional(
    text,
    "that of its issuer or token",
    "the agent of the client; that of the first matching rule counts"
  ),
  servers: optional(
    globs,
    "all",
    "names or patterns of servers: the rule applies only to their tools, resources and prompts"
  ),
  tools: optional(
    Schema.Struct(RULE_KEYS),
    "all",
    "which tools of these servers. A rule that only denies or asks (without `servers`, `agent` and `tools.allow`) grants nothing; one with `tools.allow` and without `servers` grants tools alone"
  )
})

/** One rule, as it is written. */
export interface ClientRule extends Schema.Schema.Type<typeof ClientRule> {}
