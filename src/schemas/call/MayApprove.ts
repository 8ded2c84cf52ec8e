/** Who may answer for a call. Pure. */
import type { ApprovalAbout } from "./Approval.ts"
import { type Caller, loggedInId } from "./Caller.ts"
import { OPERATOR } from "./Forgotten.ts"

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
