/** How many requests each server may send in a minute. */
import { makeSlidingWindow, type SlidingWindow } from "../../../system/slidingWindow.ts"

const MINUTE_MS = 60_000
/** From so many servers on, those that have asked for nothing in the last minute are forgotten: servers of sessions come and go. */
const QUIET_KEPT_MAX = 64

/** Returns a function that says whether one more is allowed now, and counts it if so. */
export const make = (limit: number): ((server: string, now: number) => boolean) => {
  const asked = new Map<string, SlidingWindow>()

  const fresh = (server: string, now: number): SlidingWindow => {
    if (asked.size > QUIET_KEPT_MAX) for (const [known, { isEmpty }] of asked) if (isEmpty(now)) asked.delete(known)
    const made = makeSlidingWindow(limit, MINUTE_MS)
    asked.set(server, made)
    return made
  }

  return (server, now) => (asked.get(server) ?? fresh(server, now)).take(now)
}
