/** `allow`, `deny` and `ask`: globs over exposed names and `server/tool`; `approvers` say who is asked. */
import { approvers } from "./Approvers.ts"
import { globs, optional } from "./Keys.ts"

export const RULE_KEYS = {
  allow: optional(globs, "all", "globs over `server/tool` and over exposed names: the tools to allow"),
  deny: optional(globs, "none", "globs of the same kind: the tools to deny; they win"),
  ask: optional(globs, "none", "globs of the same kind: tools that need the approval of a person at each call"),
  approvers
}
