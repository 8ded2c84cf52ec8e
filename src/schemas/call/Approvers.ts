/** Those who approve calls in place of the person whose call it is, as `approvers` of the configuration name them. Pure. */

import type { ApprovalAbout } from "./Approval.ts"
import { type Caller, loggedInId } from "./Caller.ts"
import { OPERATOR } from "./Forgotten.ts"

/** For people: `ada@example.com, group:leads or operator`. */
export const anyOf = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? (names[0] ?? "nobody") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)!}`

/** Those of both, each once; `undefined` if neither names any. */
export const approversOf = (
  one: ReadonlyArray<string> | undefined,
  other: ReadonlyArray<string> | undefined
): ReadonlyArray<string> | undefined =>
  one === undefined || other === undefined ? (one ?? other) : [...new Set([...one, ...other])]

const isNamed = ({ groups, person, roles }: Caller, entry: string): boolean => {
  const [, kind, name = ""] = /^(group|role):(.*)$/s.exec(entry) ?? []
  if (kind === undefined) return entry !== OPERATOR && person?.name === entry
  return (kind === "group" ? groups : roles).includes(name)
}

/**
 * Whether somebody who has logged in may answer for a call: their own where rules name nobody, else as one whom they name, and then never their
 * own.
 */
export const mayApprove = (caller: Caller, { approvers, personId }: ApprovalAbout): boolean => {
  const own = loggedInId(caller)
  if (own === undefined) return false
  if (approvers === undefined) return personId === own
  return personId !== own && approvers.some((entry) => isNamed(caller, entry))
}
