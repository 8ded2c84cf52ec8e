/**
 * How many tokens of one address may turn out wrong. To check a signature, or to ask an issuer, costs far more than to send a token, so
 * whoever makes tokens up is not checked any more after a while. Tokens that are known never come here.
 */
import { isIPv6 } from "node:net"
import {
  WRONG_TOKENS_ADDRESSES_MAX,
  WRONG_TOKENS_BURST,
  WRONG_TOKENS_PER_MINUTE
} from "../../../schemas/defaults/Clients.ts"
import { makeRecent } from "../../../schemas/data/Newest.ts"
import { fullBucket, takeToken, type TokenBucket } from "../../../schemas/call/TokenBucket.ts"

const LIMITS = { burst: WRONG_TOKENS_BURST, perMinute: WRONG_TOKENS_PER_MINUTE }

const GROUPS = 8
/** Of IPv6, one customer has all addresses that begin with these. */
const NETWORK_GROUPS = 4

const groupsIn = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(":"))

/** What one sender has: an IPv4 address, or the /64 of an IPv6 address. */
export const networkOf = (address: string): string => {
  if (!isIPv6(address) || address.includes(".")) return address
  const [before = "", after = ""] = address.split("::")
  const [head, tail] = [groupsIn(before), groupsIn(after)]
  const between = Array.from({ length: Math.max(0, GROUPS - head.length - tail.length) }, () => "0")
  return `${[...head, ...between, ...tail].slice(0, NETWORK_GROUPS).join(":")}::/64`
}

export interface WrongTokens {
  /** Whether a token from there may be checked. It counts as wrong until it is found right. */
  readonly mayCheck: (address: string) => boolean
  readonly wasRight: (address: string) => void
}

export const makeWrongTokens = (now: () => number): WrongTokens => {
  const recent = makeRecent<TokenBucket>(WRONG_TOKENS_ADDRESSES_MAX)
  const bucketOf = (address: string) => recent(networkOf(address), () => fullBucket(LIMITS, now()))
  return {
    mayCheck: (address) => takeToken(bucketOf(address), now()),
    wasRight: (address) => {
      const bucket = bucketOf(address)
      bucket.tokens = Math.min(LIMITS.burst, bucket.tokens + 1)
    }
  }
}
