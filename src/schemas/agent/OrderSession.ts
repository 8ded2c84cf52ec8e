/** What the conversations of clients are called where an agent keeps them: nothing that a client writes leads to another's. */
import { createHash, randomBytes } from "node:crypto"

/** Who places orders: what was checked of them, never what they say of themselves. */
export interface OrderClient {
  readonly principal: string
  /** The agent that they are for, where they have no choice. */
  readonly agent?: string | undefined
}

const RANDOM_BYTES = 12
const HASH_CHARS = 24
const OWNER_CHARS = 16
const ORDER_KEY = new RegExp(`^order-[0-9a-f]{${HASH_CHARS}}([0-9a-f]{${OWNER_CHARS}})$`)

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A key that nobody has had, and nobody can guess. */
export const freshSessionKey = (now: number): string => `mcp-${now}-${randomBytes(RANDOM_BYTES).toString("hex")}`

/**
 * A hash of who it is and of what they call it, and behind it one of who it is. It has a beginning of its own, and a form that no
 * other front of ours gives to its conversations.
 */
export const orderKey = ({ agent, principal }: OrderClient, sessionKey: string): string => {
  const whole = JSON.stringify([principal, agent ?? null, sessionKey])
  return `order-${hashOf(whole).slice(0, HASH_CHARS)}${hashOf(principal).slice(0, OWNER_CHARS)}`
}

/** Tells apart whose conversations are: those of one client have one name, and those of all other fronts together have one. */
export const ownerOf = (key: string): string => ORDER_KEY.exec(key)?.[1] ?? ""
