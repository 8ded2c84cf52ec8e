/** What a node knows of one bucket in the database: the tokens that it has taken, and how many it needs. */
import type * as Deferred from "effect/Deferred"
import type { BucketLimits, TokenBucket } from "../../../schemas/call/TokenBucket.ts"
import { MINUTE_MS } from "../../../schemas/defaults/CallLimits.ts"
import { TOKENS_AHEAD_MS, TOKENS_IDLE_MS, TOKENS_REFUSED_MIN_MS } from "../../../schemas/defaults/FleetStores.ts"

/** The share of this node while the database is away, and the same as it would be if nobody had used it. */
export interface Share {
  readonly bucket: TokenBucket
  readonly unused: TokenBucket
}

export interface Local {
  readonly key: string
  limits: BucketLimits
  /** Taken and not used. */
  tokens: number
  /** What was left in the database, and when. */
  rest: { readonly tokens: number; readonly at: number } | undefined
  /** There was no token left: when the next one comes, and until when nobody is asked, because others may give some back. */
  nextAt: number
  emptyUntil: number
  /** With fewer tokens, more are asked for. */
  low: number
  /** Calls since the last question, and when it was asked. */
  wanted: number
  askedAt: number
  usedAt: number
  isAsked: boolean
  /** A call has waited too long for the answer: further ones do not. */
  isSlow: boolean
  /** `true`: a token; `false`: there is none; `undefined`: the database did not answer. */
  readonly waiting: Array<Deferred.Deferred<boolean | undefined>>
  /** The share of this node, while the database is away. */
  share: Share | undefined
  /** What was used of a share and could not be reported. */
  used: number
}

export const perMs = ({ perMinute }: BucketLimits): number => perMinute / MINUTE_MS

export const makeLocal = (key: string, limits: BucketLimits, now: number): Local => ({
  key,
  limits,
  tokens: 0,
  rest: undefined,
  nextAt: 0,
  emptyUntil: 0,
  low: 0,
  wanted: 0,
  askedAt: now,
  usedAt: now,
  isAsked: false,
  isSlow: false,
  waiting: [],
  share: undefined,
  used: 0
})

/** One row of the statement. */
export interface Ask {
  readonly local: Local
  readonly used: number
  readonly row: {
    readonly bucket: string
    readonly burst: number
    readonly per_ms: number
    /** For calls that wait. */
    readonly need: number
    /** For calls to come, as far as there are enough. */
    readonly ahead: number
    /** Given back. */
    readonly back: number
    /** Used without asking. */
    readonly used: number
  }
}

/** Tokens for the calls of the next moment, if they come like those before. */
const aheadOf = ({ askedAt, limits, wanted }: Local, now: number): number => {
  const perCall = Math.max(now - askedAt, TOKENS_AHEAD_MS / 10)
  return Math.min(Math.floor((wanted / perCall) * TOKENS_AHEAD_MS), limits.burst)
}

/** What is to be asked for. What is given back is no longer there. */
export const askOf = (local: Local, ofShare: number, now: number): Ask => {
  const { key, limits, tokens, waiting } = local
  const isIdle = local.wanted === 0 && waiting.length === 0
  const used = local.used + ofShare
  const ahead = isIdle || local.share !== undefined ? 0 : Math.max(0, aheadOf(local, now) - tokens)
  const row = {
    bucket: key,
    burst: limits.burst,
    per_ms: perMs(limits),
    need: waiting.length,
    ahead,
    back: isIdle ? tokens : 0,
    used
  }
  if (isIdle) local.tokens = 0
  local.used = 0
  local.wanted = 0
  local.askedAt = now
  return { local, used, row }
}

export const granted = (local: Local, tokens: number, rest: number, now: number): void => {
  local.tokens += tokens
  local.rest = { tokens: rest, at: now }
  local.emptyUntil = 0
  local.low = Math.floor(Math.max(0, local.tokens - local.waiting.length) / 2)
}

export const refused = (local: Local, rest: number, now: number): void => {
  local.nextAt = now + (1 - Math.min(rest, 1)) / perMs(local.limits)
  local.emptyUntil = now + Math.min(TOKENS_IDLE_MS, Math.max(TOKENS_REFUSED_MIN_MS, local.nextAt - now))
}
