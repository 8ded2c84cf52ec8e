/**
 * The keys under which an agent stores the conversations of clients: nothing that a client writes leads to another client's
 * conversation.
 */
import { createHash, randomBytes } from "node:crypto"
import type { Identity } from "../login/Identity.ts"

/** A client that sends agent requests: its verified identity, not what it says about itself. */
export interface OrderClient {
  readonly principal: string
  /** What the issuer of its token says of it. */
  readonly identity?: Identity | undefined
  /** The agent for this client, if its token names one. */
  readonly agent?: string | undefined
}

const RANDOM_BYTES = 12
const HASH_CHARS = 24
const OWNER_CHARS = 16
const ORDER_KEY = new RegExp(`^order-[0-9a-f]{${HASH_CHARS}}([0-9a-f]{${OWNER_CHARS}})$`)

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A new key that nobody can guess. */
export const freshSessionKey = (now: number): string => `mcp-${now}-${randomBytes(RANDOM_BYTES).toString("hex")}`

/**
 * A hash of the client and its own key, followed by a hash of the client. The prefix and the form are used by no other entry point.
 */
export const orderKey = ({ agent, principal }: OrderClient, sessionKey: string): string => {
  const whole = JSON.stringify([principal, agent ?? null, sessionKey])
  return `order-${hashOf(whole).slice(0, HASH_CHARS)}${ownerOfClient(principal)}`
}

/** What `ownerOf` gives for the conversations of a client. */
export const ownerOfClient = (principal: string): string => hashOf(principal).slice(0, OWNER_CHARS)

/** Identifies the owner of a conversation: one value for each client, and one for all other entry points together. */
export const ownerOf = (key: string): string => ORDER_KEY.exec(key)?.[1] ?? ""
