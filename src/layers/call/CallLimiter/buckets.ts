/**
 * A token bucket for each server and agent, and for each client of the agent that is told apart: it holds `burst` tokens and gets whole ones, one in each 60,000 / `perMinute` ms.
 * What that means is what `effect/persistence` makes of a limiter of `burst` tokens in the time in which so many come back. A
 * store that is shared is used through it; within this process a bucket is two numbers, counted by the same rules; only that other limits
 * hold at once, and that nobody waits for a clock that was put back.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
import type { CallLimits } from "../../../schemas/call/CallLimits.ts"
import { BUCKET_STORE_WARNING_MS, MINUTE_MS } from "../../../schemas/defaults/CallLimits.ts"
import { RateLimited } from "../../../schemas/call/CallError.ts"
import type { Caller } from "../../../services/call/CallLimiter.ts"

export interface Buckets {
  /** Takes a token of the caller's bucket: `undefined` when that is done, else what is left to do, or how it fails. */
  readonly take: (caller: Caller) => Effect.Effect<unknown, RateLimited> | undefined
}

/** The time in which an empty bucket fills. */
const fillMs = ({ burst, perMinute }: CallLimits): number => (burst * MINUTE_MS) / perMinute

const windowOf = (limits: CallLimits): Duration.Duration =>
  Duration.max(Duration.millis(fillMs(limits)), Duration.millis(1))

/** None of the parts holds a line break but the first, whose end does not: they cannot run into each other. */
const keyOf = ({ agent, client, process }: Caller): string =>
  client === undefined ? `${process}\n${agent}` : `${process}\n${agent}\n${client}`

const refusal = ({ server }: Caller, retryAfter: Duration.Duration): RateLimited =>
  new RateLimited({ server, retryInMs: Math.ceil(Duration.toMillis(retryAfter)) })

// ---- in this process -----------------------------------------------------------------------------------------------

interface Bucket {
  limits: CallLimits
  /** The time in which one token comes, as exactly as a Duration can tell. */
  refillMs: number
  tokens: number
  /** When the last token came, or the bucket was last seen full. */
  refilledAt: number
  usedAt: number
}

const refillMsOf = (limits: CallLimits): number =>
  Duration.toMillis(Duration.divideUnsafe(windowOf(limits), limits.burst))

/** So many buckets are kept before it is looked which of them are full. */
const LOOKED_THROUGH_FROM = 64

export const makeOwnBuckets = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const buckets = new Map<string, Bucket>()
  // A caller is made once: so is its key, which is long.
  const keys = new WeakMap<Caller, string>()
  let lookAt = LOOKED_THROUGH_FROM

  const knownKeyOf = (caller: Caller): string => {
    let key = keys.get(caller)
    if (key === undefined) keys.set(caller, (key = keyOf(caller)))
    return key
  }

  /** A full bucket is as good as none. Done when their number has doubled, so that each costs but little. */
  const forgetFull = (now: number) => {
    if (buckets.size < lookAt) return
    for (const [key, { limits, usedAt }] of buckets) if (now - usedAt >= fillMs(limits)) buckets.delete(key)
    lookAt = Math.max(LOOKED_THROUGH_FROM, buckets.size * 2)
  }

  const fresh = ({ limits }: Caller, key: string, now: number): Bucket => {
    forgetFull(now)
    const bucket = { limits, refillMs: refillMsOf(limits), tokens: limits.burst, refilledAt: now, usedAt: now }
    buckets.set(key, bucket)
    return bucket
  }

  const refill = (bucket: Bucket, now: number): void => {
    const { limits, refillMs } = bucket
    // The clock was put back.
    if (now < bucket.refilledAt) bucket.refilledAt = now
    const come = Math.floor((now - bucket.refilledAt) / refillMs)
    if (come > 0) {
      bucket.tokens = Math.min(limits.burst, bucket.tokens + come)
      bucket.refilledAt += come * refillMs
    }
    if (bucket.tokens >= limits.burst) bucket.refilledAt = now
  }

  const untilNext = ({ refilledAt, refillMs, tokens }: Bucket, now: number): Duration.Duration =>
    Duration.millis(Math.max(0, Math.ceil(1 - tokens) * refillMs - Math.max(0, now - refilledAt)))

  return {
    take: (caller: Caller) => {
      // Nothing ever fits into it.
      if (caller.limits.burst < 1) return Effect.fail(refusal(caller, windowOf(caller.limits)))
      const key = knownKeyOf(caller)
      const now = clock.currentTimeMillisUnsafe()
      const bucket = buckets.get(key) ?? fresh(caller, key, now)
      bucket.usedAt = now
      if (bucket.limits !== caller.limits) {
        bucket.limits = caller.limits
        bucket.refillMs = refillMsOf(caller.limits)
        bucket.tokens = Math.min(bucket.tokens, caller.limits.burst)
      }
      refill(bucket, now)
      if (bucket.tokens >= 1) {
        bucket.tokens--
        return undefined
      }
      return Effect.fail(refusal(caller, untilNext(bucket, now)))
    },
    /** How many are remembered. */
    kept: () => buckets.size
  }
})

// ---- in a store of somebody else's ---------------------------------------------------------------------------------

export const makeSharedBuckets = Effect.gen(function* () {
  const { consume } = yield* RateLimiter.make
  const clock = yield* Clock.Clock
  let warnedAt = -Infinity

  const letThrough = (error: RateLimiter.RateLimiterError): Effect.Effect<void> => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - warnedAt < BUCKET_STORE_WARNING_MS) return Effect.void
    warnedAt = now
    return Effect.logWarning("rate limits: the store failed, calls are not counted", error)
  }

  return {
    take: (caller) =>
      consume({
        algorithm: "token-bucket",
        onExceeded: "fail",
        key: keyOf(caller),
        limit: caller.limits.burst,
        window: windowOf(caller.limits)
      }).pipe(
        Effect.catch((error): Effect.Effect<void, RateLimited> =>
          error.reason._tag === "RateLimitExceeded"
            ? Effect.fail(refusal(caller, error.reason.retryAfter))
            : letThrough(error)
        )
      )
  } satisfies Buckets
})
