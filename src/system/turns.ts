/**
 * The work on what one server sends, a few milliseconds at a time; then others have their turn. After a message that took long, the
 * server rests for as long as it took, so that it has at most half of the time. A server that has used up its allowance (allowance.ts)
 * waits until it has some again.
 */
import {
  STREAM_LONG_MS,
  STREAM_LONG_PARTS,
  STREAM_READ_MS,
  STREAM_REST_MAX_MS,
  STREAM_SKIP_MS,
  STREAM_TURN_MS,
  STREAM_WINDOW_MS
} from "../schemas/defaults/Wire.ts"
import { countOf, type Allowance } from "./allowance.ts"

export interface Turns {
  /** Work begins now; `now` is `performance.now()`. */
  readonly begin: (now: number) => void
  /** Whether the turn is over, while the work goes on. */
  readonly isOver: (now: number) => boolean
  /**
   * The work has ended, at least for a moment; gives whether the turn is over. Work for a part of one message (`isPart`) counts when
   * the message has ended, because only then it is known what it is.
   */
  readonly end: (now: number, isPart?: boolean) => boolean
  /** The same after a part of a message that is too long and is skipped. */
  readonly endSkipping: (now: number) => boolean
  /** Calls back at the next turn. */
  readonly rest: (done: () => void) => void
}

/** `allowance` is that of the server, shared by all of its streams. */
export const makeTurns = (allowance: Allowance): Turns => {
  let [windowFrom, spent, from, uncounted, parts] = [0, 0, 0, 0, 0]
  let isOut = false
  const end = (now: number, isPart: boolean, cost: number): boolean => {
    const ms = now - from
    spent += ms
    from = now
    uncounted += countOf(ms, parts >= STREAM_LONG_PARTS) + cost
    parts = isPart ? parts + 1 : 0
    if (!isPart) {
      allowance.spend(uncounted, now)
      uncounted = 0
    }
    isOut = !isPart && allowance.isSpent()
    return isOut || spent > STREAM_TURN_MS
  }
  return {
    begin: (now) => {
      from = now
      if (now - windowFrom <= STREAM_WINDOW_MS) return
      windowFrom = now
      spent = 0
    },
    isOver: (now) => spent + now - from > STREAM_TURN_MS,
    end: (now, isPart = false) => end(now, isPart, STREAM_READ_MS),
    endSkipping: (now) => end(now, false, STREAM_SKIP_MS),
    rest: (done) => {
      const long = spent > STREAM_LONG_MS ? Math.min(spent, STREAM_REST_MAX_MS) : 0
      windowFrom = Number.NEGATIVE_INFINITY
      if (isOut) {
        const ms = Math.max(long, allowance.waitMs(performance.now()))
        setTimeout(() => allowance.enqueue(done), ms).unref()
      } else if (long > 0) setTimeout(done, long)
      else setImmediate(done)
    }
  }
}
