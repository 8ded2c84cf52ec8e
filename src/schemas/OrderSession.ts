/** What the conversations of clients are called where an agent keeps them: nothing that a client writes leads to another's. */
import { createHash, randomBytes } from "node:crypto"

/** Who places orders: what was checked of them, never what they say of themselves. */
export interface OrderClient {
  readonly principal: string
  /** The agent that they are for, where they have no choice. */
  readonly agent?: string | undefined
}

const RANDOM_BYTES = 12
const HASH_CHARS = 40

/** A key that nobody has had, and nobody can guess. */
export const freshSessionKey = (now: number): string => `mcp-${now}-${randomBytes(RANDOM_BYTES).toString("hex")}`

/**
 * A hash of who it is and of what they call it. It has a beginning of its own, and a form that no other front of ours gives to
 * its conversations.
 */
export const orderKey = ({ agent, principal }: OrderClient, sessionKey: string): string => {
  const whole = JSON.stringify([principal, agent ?? null, sessionKey])
  return `order-${createHash("sha256").update(whole).digest("hex").slice(0, HASH_CHARS)}`
}
