/**
 * Orders that lead to orders. What is called while an order is worked on is told which orders are being worked on above it, so that
 * a gateway that meets itself, by whatever way, does not go round for ever. Messages are in it as keyed hashes that nobody else can
 * test a guess against.
 */
import { createHmac } from "node:crypto"
import { ORDER_CHAIN_MAX_DEPTH } from "../defaults/Orders.ts"
import { isObject, type JsonObject } from "../data/Json.ts"

/** In `_meta` of a call. */
export const CHAIN_META = "mcp-live/orders"
/** In the environment of servers: how many programs that take orders are above them. Its way is also that of other programs between. */
export const DEPTH_VARIABLE = "MCP_LIVE_ORDER_DEPTH"

const MARK_CHARS = 16
const MARK = /^[0-9a-f]{16}$/

/** Orders above, the outermost first. */
export type Chain = ReadonlyArray<string>

/** What an order comes out of, by what is known of it. */
export interface Above {
  readonly chain: Chain
  /** How many orders are above; some of them may have left no mark. */
  readonly depth: number
}

export const deeper = (one: Above, other: Above): Above => (other.depth > one.depth ? other : one)

/** What the servers that an OpenClaw gateway has of its own are told by their client. */
const OPENCLAW_CLIENT = "openclaw-bundle-mcp"

/** Only ever more is refused for it: who calls itself so gains nothing. */
export const isOpenClaw = (clientName: string | undefined): boolean => clientName === OPENCLAW_CLIENT

/** Of a request; what is not ours is none. */
export const readChain = (meta: unknown): Chain => {
  const given = isObject(meta) ? meta[CHAIN_META] : undefined
  return Array.isArray(given)
    ? given
        .slice(0, ORDER_CHAIN_MAX_DEPTH)
        .filter((mark): mark is string => typeof mark === "string" && MARK.test(mark))
    : []
}

export const markOf = (key: string, message: string): string =>
  createHmac("sha256", key).update(message).digest("hex").slice(0, MARK_CHARS)

/** Of this process. */
export const depthOf = (env: Readonly<Record<string, string | undefined>>): number => {
  const depth = Number(env[DEPTH_VARIABLE])
  return Number.isSafeInteger(depth) && depth > 0 ? depth : 0
}

/** Why an order is none of those that may be; a sentence. */
export const chainProblem = (chain: Chain, mark: string, depth: number): string | undefined => {
  if (chain.includes(mark)) {
    return "this order has come back to where it came from: the same message is being worked on already, further up in this chain of orders"
  }
  return Math.max(chain.length, depth) >= ORDER_CHAIN_MAX_DEPTH
    ? `this order came out of an order that came out of an order: more than ${ORDER_CHAIN_MAX_DEPTH} in one chain are not taken`
    : undefined
}

export const chainMeta = (chain: Chain, mark: string): JsonObject => ({ [CHAIN_META]: [...chain, mark] })
