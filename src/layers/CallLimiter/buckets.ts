/**
 * A token bucket for each server and agent, from `effect/persistence`: a limiter of `burst` tokens in the time in which so many
 * come back is a bucket that holds `burst` and gets `perMinute`. It gets whole tokens, one in each 60,000 / `perMinute` ms.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
import type { CallLimits } from "../../schemas/CallLimits.ts"
import { BUCKET_STORE_WARNING_MS, MINUTE_MS } from "../../schemas/Defaults.ts"
import { RateLimited } from "../../schemas/McpError.ts"
import type { Caller } from "../../services/CallLimiter.ts"

export interface Buckets {
  /** Takes a token of the caller's bucket. */
  readonly take: (caller: Caller) => Effect.Effect<unknown, RateLimited>
}

type Consume = RateLimiter.RateLimiter["consume"]
type Failed = (error: RateLimiter.RateLimiterError) => Effect.Effect<void>

/** The time in which an empty bucket fills. */
const fillMs = ({ burst, perMinute }: CallLimits): number => (burst * MINUTE_MS) / perMinute

/** The name holds no line break, what follows it neither: the two parts cannot run into each other. */
const keyOf = ({ agent, process }: Caller): string => `${process}\n${agent}`

const takeFrom = (consume: Consume, { limits, server }: Caller, key: string, failed: Failed) =>
  consume({
    algorithm: "token-bucket",
    onExceeded: "fail",
    key,
    limit: limits.burst,
    window: Duration.millis(fillMs(limits))
  }).pipe(
    Effect.catch((error): Effect.Effect<void, RateLimited> =>
      error.reason._tag === "RateLimitExceeded"
        ? Effect.fail(new RateLimited({ server, retryInMs: Math.ceil(Duration.toMillis(error.reason.retryAfter)) }))
        : failed(error)
    )
  )

// ---- in this process -----------------------------------------------------------------------------------------------

/** Effect's store in memory never forgets a key: each bucket has one of its own, and is forgotten with it. */
const ownLimiter = (): RateLimiter.RateLimiter =>
  Effect.runSync(Effect.provide(RateLimiter.make, RateLimiter.layerStoreMemory, { local: true }))

interface Bucket {
  readonly consume: Consume
  limits: CallLimits
  take: Effect.Effect<unknown, RateLimited>
  usedAt: number
}

/** So many buckets are kept before it is looked which of them are full. */
const LOOKED_THROUGH_FROM = 64

export const makeOwnBuckets = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const buckets = new Map<string, Bucket>()
  let lookAt = LOOKED_THROUGH_FROM

  /** A full bucket is as good as none. Done when their number has doubled, so that each costs but little. */
  const forgetFull = (now: number) => {
    if (buckets.size < lookAt) return
    for (const [key, { limits, usedAt }] of buckets) if (now - usedAt >= fillMs(limits)) buckets.delete(key)
    lookAt = Math.max(LOOKED_THROUGH_FROM, buckets.size * 2)
  }

  const fresh = (caller: Caller, key: string, now: number): Bucket => {
    forgetFull(now)
    const { consume } = ownLimiter()
    const bucket = { consume, limits: caller.limits, take: takeFrom(consume, caller, key, Effect.die), usedAt: now }
    buckets.set(key, bucket)
    return bucket
  }

  return {
    take: (caller: Caller) => {
      const key = keyOf(caller)
      const now = clock.currentTimeMillisUnsafe()
      const bucket = buckets.get(key) ?? fresh(caller, key, now)
      bucket.usedAt = now
      if (bucket.limits !== caller.limits) {
        bucket.limits = caller.limits
        bucket.take = takeFrom(bucket.consume, caller, key, Effect.die)
      }
      return bucket.take
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

  const letThrough: Failed = (error) => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - warnedAt < BUCKET_STORE_WARNING_MS) return Effect.void
    warnedAt = now
    return Effect.logWarning("rate limits: the store failed, calls are not counted", error)
  }

  return {
    take: (caller) => takeFrom(consume, caller, keyOf(caller), letThrough)
  } satisfies Buckets
})
