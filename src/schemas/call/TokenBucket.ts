/**
 * A token bucket: it holds `burst` tokens and gets one back every 60,000 / `perMinute` ms. Two numbers that change in place, because there is
 * one take for each call. The semantics are those of `effect/persistence` for a limiter of `burst` tokens over the time in which a bucket fills,
 * except that changed limits apply at once, and that a clock that was set back delays nobody.
 */
import * as Duration from "effect/Duration"
import { MINUTE_MS } from "../defaults/CallLimits.ts"
import type { CallLimits } from "./CallLimits.ts"

/** What a bucket needs of the limits of calls. */
export type BucketLimits = Pick<CallLimits, "burst" | "perMinute">

export interface TokenBucket {
  limits: BucketLimits
  /** The time for one token, as precisely as a Duration allows. */
  refillMs: number
  tokens: number
  /** When the last token was added, or the bucket was last full. */
  refilledAt: number
}

/** The time in which an empty bucket fills. */
export const fillMs = ({ burst, perMinute }: BucketLimits): number => (burst * MINUTE_MS) / perMinute

export const windowOf = (limits: BucketLimits): Duration.Duration =>
  Duration.max(Duration.millis(fillMs(limits)), Duration.millis(1))

const refillMsOf = (limits: BucketLimits): number =>
  Duration.toMillis(Duration.divideUnsafe(windowOf(limits), limits.burst))

export const fullBucket = (limits: BucketLimits, now: number): TokenBucket => ({
  limits,
  refillMs: refillMsOf(limits),
  tokens: limits.burst,
  refilledAt: now
})

/** Changed limits apply at once. */
export const limit = (bucket: TokenBucket, limits: BucketLimits): void => {
  if (bucket.limits === limits) return
  bucket.limits = limits
  bucket.refillMs = refillMsOf(limits)
  bucket.tokens = Math.min(bucket.tokens, limits.burst)
}

export const refill = (bucket: TokenBucket, now: number): void => {
  const { limits, refillMs } = bucket
  // The clock was set back.
  if (now < bucket.refilledAt) bucket.refilledAt = now
  const come = Math.floor((now - bucket.refilledAt) / refillMs)
  if (come > 0) {
    bucket.tokens = Math.min(limits.burst, bucket.tokens + come)
    bucket.refilledAt += come * refillMs
  }
  if (bucket.tokens >= limits.burst) bucket.refilledAt = now
}

/** Milliseconds until there is a token. */
export const untilNext = ({ refilledAt, refillMs, tokens }: TokenBucket, now: number): number =>
  Math.max(0, Math.ceil(1 - tokens) * refillMs - Math.max(0, now - refilledAt))

/** Takes a token if there is one. */
export const takeToken = (bucket: TokenBucket, now: number): boolean => {
  refill(bucket, now)
  if (bucket.tokens < 1) return false
  bucket.tokens--
  return true
}
