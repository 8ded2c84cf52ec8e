/**
 * Chains of agent requests. A call that is made during an agent request carries the marks of all requests above it, so that a
 * gateway that reaches itself again, by any way, does not loop forever. Messages are marked by keyed hashes, which nobody
 * else can use to test guesses.
 */
import { createHmac } from "node:crypto"
import { ORDER_CHAIN_MAX_DEPTH } from "../defaults/Orders.ts"
import { isObject, type JsonObject } from "../data/Json.ts"

/** In `_meta` of a call. */
export const CHAIN_META = "mcp-live/orders"
/**
 * In the environment of servers: the number of programs above them that take agent requests. It also passes through other
 * programs in between.
 */
export const DEPTH_VARIABLE = "MCP_LIVE_ORDER_DEPTH"

const MARK_CHARS = 16
const MARK = /^[0-9a-f]{16}$/

/** The requests above, outermost first. */
export type Chain = ReadonlyArray<string>

/** What is known of the requests above. */
export interface Above {
  readonly chain: Chain
  /** The number of requests above; some may have left no mark. */
  readonly depth: number
}

export const deeper = (one: Above, other: Above): Above => (other.depth > one.depth ? other : one)

/** The client name of OpenClaw for its own servers. */
const OPENCLAW_CLIENT = "openclaw-bundle-mcp"

/** It only causes more refusals, so pretending to be OpenClaw gains nothing. */
export const isOpenClaw = (clientName: string | undefined): boolean => clientName === OPENCLAW_CLIENT

/** The chain in `_meta` of a request; empty when there is none of ours. */
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

/** The depth of this process. */
export const depthOf = (env: Readonly<Record<string, string | undefined>>): number => {
  const depth = Number(env[DEPTH_VARIABLE])
  return Number.isSafeInteger(depth) && depth > 0 ? depth : 0
}

/** Why a request must be refused, as a sentence; `undefined` when it is allowed. */
export const chainProblem = (chain: Chain, mark: string, depth: number): string | undefined => {
  if (chain.includes(mark)) {
    return "this request has come back to where it started: the same message is already being worked on, further up in this chain of requests"
  }
  return Math.max(chain.length, depth) >= ORDER_CHAIN_MAX_DEPTH
    ? `this request was caused by other requests: more than ${ORDER_CHAIN_MAX_DEPTH} in one chain are not accepted`
    : undefined
}

export const chainMeta = (chain: Chain, mark: string): JsonObject => ({ [CHAIN_META]: [...chain, mark] })
