/**
 * A token bucket for each server and agent, and for each client that is distinguished. It holds `burst` tokens and gets one
 * back every 60,000 / `perMinute` ms. The semantics are those of `effect/persistence` for a limiter of `burst` tokens over
 * the time in which a bucket fills. A shared store is used through that limiter. Within this process a bucket is two numbers
 * with the same rules, except that changed limits apply at once, and that a clock that was set back delays nobody.
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
  /** Takes a token: `undefined` when that has succeeded, else the remaining work or the error. */
  readonly take: (caller: Caller) => Effect.Effect<unknown, RateLimited> | undefined
}

/** The time in which an empty bucket fills. */
const fillMs = ({ burst, perMinute }: CallLimits): number => (burst * MINUTE_MS) / perMinute

const windowOf = (limits: CallLimits): Duration.Duration =>
  Duration.max(Duration.millis(fillMs(limits)), Duration.millis(1))

/** Only the first part may contain line breaks, and its end contains none: different keys cannot be equal. */
const keyOf = ({ agent, client, process }: Caller): string =>
  client === undefined ? `${process}\n${agent}` : `${process}\n${agent}\n${client}`

const refusal = ({ server }: Caller, retryAfter: Duration.Duration): RateLimited =>
  new RateLimited({ server, retryInMs: Math.ceil(Duration.toMillis(retryAfter)) })

// ---- in this process -----------------------------------------------------------------------------------------------

interface Bucket {
  limits: CallLimits
  /** The time for one token, as precisely as a Duration allows. */
  refillMs: number
  tokens: number
  /** When the last token was added, or the bucket was last full. */
  refilledAt: number
  usedAt: number
}

const refillMsOf = (limits: CallLimits): number =>
  Duration.toMillis(Duration.divideUnsafe(windowOf(limits), limits.burst))

/** From this many buckets on, full ones are removed. */
const LOOKED_THROUGH_FROM = 64

export const makeOwnBuckets = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const buckets = new Map<string, Bucket>()
  // A caller object is reused, so its key, which is long, is cached.
  const keys = new WeakMap<Caller, string>()
  let lookAt = LOOKED_THROUGH_FROM

  const knownKeyOf = (caller: Caller): string => {
    let key = keys.get(caller)
    if (key === undefined) keys.set(caller, (key = keyOf(caller)))
    return key
  }

  /** A full bucket equals a missing one. Runs when their number has doubled, so that the cost per call stays small. */
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
    // The clock was set back.
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
      // Such a bucket never has a token.
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
    /** The number of buckets. */
    kept: () => buckets.size
  }
})

// ---- in a shared store ---------------------------------------------------------------------------------------------

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
