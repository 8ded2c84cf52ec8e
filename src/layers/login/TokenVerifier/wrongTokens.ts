/**
 * How many tokens of one address may turn out wrong. To check a signature, or to ask an issuer, costs far more than to send a token, so
 * whoever makes tokens up is not checked any more after a while. Tokens that are known never come here.
 *
 * Behind a reverse proxy, everybody has the same address. So the next token of a person and client who were let in has some tries of its own.
 */
import {
  RENEWALS_BURST,
  RENEWALS_MAX,
  RENEWALS_PER_MINUTE,
  WRONG_TOKENS_ADDRESSES_MAX
} from "../../../schemas/defaults/Clients.ts"
import { makeRecent, putNewest } from "../../../schemas/data/Newest.ts"
import { networkOf } from "../../../schemas/connection/SenderNetwork.ts"
import {
  type BucketLimits,
  fullBucket,
  refill,
  takeToken,
  type TokenBucket
} from "../../../schemas/call/TokenBucket.ts"

const RENEWED = { burst: RENEWALS_BURST, perMinute: RENEWALS_PER_MINUTE }

export interface WrongTokens {
  /**
   * `undefined` if a token from there may not be checked; else what to call when it is found right: until then it counts as wrong. `holder` is whose
   * it says that it is: if one of theirs was right before, this one has a chance of its own, whatever else comes from its address.
   */
  readonly check: (address: string, holder?: string) => (() => void) | undefined
  /** Whether a token from there may be checked now, which counts nothing. */
  readonly mayCheck: (address: string, holder?: string) => boolean
}

export const makeWrongTokens = (now: () => number, limits: BucketLimits): WrongTokens => {
  const recent = makeRecent<TokenBucket>(WRONG_TOKENS_ADDRESSES_MAX)
  /** Of holders whose tokens were right: names that a stranger makes up have no room here. */
  const known = new Map<string, TokenBucket>()
  const bucketsOf = (address: string, holder: string): ReadonlyArray<TokenBucket> => {
    const ofAddress = recent(networkOf(address), () => fullBucket(limits, now()))
    const ofHolder = known.get(holder)
    return ofHolder === undefined ? [ofAddress] : [ofAddress, ofHolder]
  }
  return {
    check: (address, holder = "") => {
      const taken = bucketsOf(address, holder).find((one) => takeToken(one, now()))
      if (taken === undefined) return undefined
      return () => {
        taken.tokens = Math.min(taken.limits.burst, taken.tokens + 1)
        if (holder !== "") putNewest(known, holder, known.get(holder) ?? fullBucket(RENEWED, now()), RENEWALS_MAX)
      }
    },
    mayCheck: (address, holder = "") =>
      bucketsOf(address, holder).some((one) => {
        refill(one, now())
        return one.tokens >= 1
      })
  }
}
