/**
 * The share of one node of a bucket, while the database is away. It begins with a share of what was left there, and gets its share of the
 * tokens that come. A second bucket runs beside it that nobody takes from: the difference is what was used.
 */
import { fullBucket, refill, takeToken, untilNext, type TokenBucket } from "../../../schemas/call/TokenBucket.ts"
import { perMs, type Local, type Share } from "./local.ts"

/** A bucket that holds less than one token never gives one: then it holds one, and fills as slowly as its share says. */
export const shareOf = ({ limits, rest }: Local, nodes: number, now: number): Share => {
  const count = Math.max(1, nodes)
  const share = { burst: Math.max(1, limits.burst / count), perMinute: limits.perMinute / count }
  const left = rest === undefined ? limits.burst : Math.min(limits.burst, rest.tokens + (now - rest.at) * perMs(limits))
  const begun = (): TokenBucket => {
    const bucket = fullBucket(share, now)
    bucket.tokens = Math.max(0, Math.min(share.burst, left / count))
    return bucket
  }
  return { bucket: begun(), unused: begun() }
}

/** Takes a token, or says in how many milliseconds there will be one. */
export const takeShare = ({ bucket }: Share, now: number): number | undefined =>
  takeToken(bucket, now) ? undefined : untilNext(bucket, now)

/** What was used since the last report. */
export const reported = ({ bucket, unused }: Share, now: number): number => {
  refill(bucket, now)
  refill(unused, now)
  const used = Math.max(0, unused.tokens - bucket.tokens)
  unused.tokens = bucket.tokens
  unused.refilledAt = bucket.refilledAt
  return used
}
