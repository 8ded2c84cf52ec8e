/** `approvers`, beside `ask`: the key, and what it may say. */
import { isTypingErrorOf } from "../call/Names.ts"
import { APPROVERS_MAX } from "../defaults/Approvals.ts"
import { TOOL_RULE_MAX_CHARS } from "../defaults/Texts.ts"
import { list, optional, sound } from "./Keys.ts"

const OPERATOR = "operator"
const KINDS = new Set(["group", "role"])

/** Why an approver can mean nobody; `undefined` if it can be used. */
const approverFault = (value: string): string | undefined => {
  if (value === "" || value !== value.trim() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value))
    return "must not be empty or have invisible characters, or blanks at its ends"
  if (value.length > TOOL_RULE_MAX_CHARS) return `must have at most ${TOOL_RULE_MAX_CHARS} characters`
  const [, word = "", name] = /^(\w+):(.*)$/.exec(value) ?? []
  if (name?.trim() === "") return "must have a name after the colon"
  if (name?.startsWith(" ") === true) return "must not have a blank after the colon"
  if (value !== OPERATOR && (value.toLowerCase() === OPERATOR || isTypingErrorOf(value, OPERATOR)))
    return `must be "${OPERATOR}"`
  return word === "" || KINDS.has(word) ? undefined : "must be the name of a person, group:NAME, role:NAME or operator"
}

export const isApprover = (value: unknown): value is string =>
  typeof value === "string" && approverFault(value) === undefined

export const approvers = optional(
  list(sound(approverFault), "names", APPROVERS_MAX),
  "the person whose call it is",
  "who approves the calls that `ask` of the same place names: names of persons, `group:NAME`, `role:NAME`, or `operator`. Each named person is asked on their own page, and the operator at the desk of the gateway; no MCP client is asked"
)
