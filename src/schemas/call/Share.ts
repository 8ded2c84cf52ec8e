/** A limited share of something common: a number at once, then a number per hour. */
import { type ShareBounds } from "../defaults/Shares.ts"

const HOUR_MS = 3_600_000

export interface Share {
  /** Takes all of `count`, or none. `now` is in milliseconds. */
  readonly take: (count: number, now: number) => boolean
}

export const makeShare = ({ burst, perHour }: ShareBounds): Share => {
  let [left, at] = [burst, Number.NEGATIVE_INFINITY]
  return {
    take: (count, now) => {
      left = Math.min(burst, left + (Math.max(0, now - at) * perHour) / HOUR_MS)
      at = now
      if (count > left) return false
      left -= count
      return true
    }
  }
}
