/** One rule of `clients.rules`, as it is written: whom it concerns, and what it grants and takes away. */
import * as Schema from "effect/Schema"
import { globs, list, optional, sound, text } from "../config/Keys.ts"
import { notes } from "../config/Notes.ts"
import { RULE_KEYS } from "../config/RuleKeys.ts"
import { isTypingErrorOf } from "../call/Names.ts"
import { CONDITION_MAX_CHARS, RULE_WHO_MAX } from "../defaults/Clients.ts"
import { TOOL_RULE_MAX_CHARS } from "../defaults/Texts.ts"

export const KINDS = ["group", "role", "client", "scope"] as const
export type Kind = (typeof KINDS)[number]

/** Words that are easily written instead; `null` for those that stand before the name of a person. */
const SLIPS: Readonly<Record<string, Kind | null>> = {
  grp: "group",
  groups: "group",
  team: "group",
  teams: "group",
  roles: "role",
  clients: "client",
  scopes: "scope",
  email: null,
  mail: null,
  name: null,
  person: null,
  sub: null,
  subject: null,
  user: null,
  users: null
}

const kindMeant = (word: string): Kind | null | undefined =>
  Object.hasOwn(SLIPS, word) ? SLIPS[word] : KINDS.find((kind) => kind === word || isTypingErrorOf(word, kind))

const whoFault = (value: string): string | undefined => {
  if (value !== value.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value))
    return "must not have invisible characters, or blanks at its ends"
  if (value.length > TOOL_RULE_MAX_CHARS) return `must have at most ${TOOL_RULE_MAX_CHARS} characters`
  const [, word, name = ""] = /^([A-Za-z]+) *: *(.*)$/s.exec(value) ?? []
  const kind = word === undefined ? undefined : kindMeant(word.toLowerCase())
  if (kind === undefined) return undefined
  if (name === "") return "must have a name after the colon"
  const written = JSON.stringify(kind === null ? name : `${kind}:${name}`)
  if (kind === null) return `must be a name without a word before it (write ${written})`
  return value === `${kind}:${name}` ? undefined : `must be ${written}`
}

/** One rule, as it is written. */
const RULE = Schema.Struct({
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

export const ClientRule = RULE.annotate(
  notes({
    synonyms: { when: "if", where: "if", condition: "if", users: "who", people: "who", groups: "who", roles: "who" }
  })
)

/** One rule, as it is written. */
export interface ClientRule extends Schema.Schema.Type<typeof ClientRule> {}
