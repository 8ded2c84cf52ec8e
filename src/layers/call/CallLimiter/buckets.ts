/**
 * A token bucket for each server and agent, and for each client that is distinguished. A shared store is used through the limiter of
 * `effect/persistence`; within this process a bucket is two numbers with the same rules.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
import { BUCKET_STORE_WARNING_MS } from "../../../schemas/defaults/CallLimits.ts"
import { RateLimited } from "../../../schemas/call/CallError.ts"
import {
  fillMs,
  fullBucket,
  limit,
  takeToken,
  untilNext,
  windowOf,
  type TokenBucket
} from "../../../schemas/call/TokenBucket.ts"
import { bucketKey, type LimitedCaller } from "../../../services/call/CallLimiter.ts"
import type { CallTokens } from "../../../services/call/CallTokens.ts"

export type Buckets = CallTokens["Service"]

const refusal = ({ server }: LimitedCaller, retryAfter: Duration.Duration): RateLimited =>
  new RateLimited({ server, retryInMs: Math.ceil(Duration.toMillis(retryAfter)) })

// ---- in this process -----------------------------------------------------------------------------------------------

interface Bucket extends TokenBucket {
  usedAt: number
}

/** From this many buckets on, full ones are removed. */
const LOOKED_THROUGH_FROM = 64

export const makeOwnBuckets = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const buckets = new Map<string, Bucket>()
  // A caller object is reused, so its key, which is long, is cached.
  const keys = new WeakMap<LimitedCaller, string>()
  let lookAt = LOOKED_THROUGH_FROM

  const knownKeyOf = (caller: LimitedCaller): string => {
    let key = keys.get(caller)
    if (key === undefined) keys.set(caller, (key = bucketKey(caller)))
    return key
  }

  /** A full bucket equals a missing one. Runs when their number has doubled, so that the cost per call stays small. */
  const forgetFull = (now: number) => {
    if (buckets.size < lookAt) return
    for (const [key, { limits, usedAt }] of buckets) if (now - usedAt >= fillMs(limits)) buckets.delete(key)
    lookAt = Math.max(LOOKED_THROUGH_FROM, buckets.size * 2)
  }

  const fresh = ({ limits }: LimitedCaller, key: string, now: number): Bucket => {
    forgetFull(now)
    const bucket = { ...fullBucket(limits, now), usedAt: now }
    buckets.set(key, bucket)
    return bucket
  }

  return {
    take: (caller: LimitedCaller) => {
      // Such a bucket never has a token.
      if (caller.limits.burst < 1) return Effect.fail(refusal(caller, windowOf(caller.limits)))
      const key = knownKeyOf(caller)
      const now = clock.currentTimeMillisUnsafe()
      const bucket = buckets.get(key) ?? fresh(caller, key, now)
      bucket.usedAt = now
      limit(bucket, caller.limits)
      return takeToken(bucket, now) ? undefined : Effect.fail(refusal(caller, Duration.millis(untilNext(bucket, now))))
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
        key: bucketKey(caller),
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
