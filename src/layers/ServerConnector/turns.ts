/**
 * The work on what one server sends, a few milliseconds at a time: then everybody else has their turn. A server whose single
 * messages take long is left alone for as long as it took, so that it has half of the time at most.
 */
import { STREAM_LONG_MS, STREAM_REST_MAX_MS, STREAM_TURN_MS, STREAM_WINDOW_MS } from "../../schemas/Defaults.ts"

export interface Turns {
  /** Work begins now, `now` by `performance.now()`. */
  readonly begin: (now: number) => void
  /** It goes on since `begin`: whether the turn is over. */
  readonly isOver: (now: number) => boolean
  /** It has ended, at least for a moment: the same. */
  readonly end: (now: number) => boolean
  /** Calls back when there is a turn again. */
  readonly rest: (done: () => void) => void
}

export const makeTurns = (): Turns => {
  let [windowFrom, spent, from] = [0, 0, 0]
  return {
    begin: (now) => {
      from = now
      if (now - windowFrom <= STREAM_WINDOW_MS) return
      windowFrom = now
      spent = 0
    },
    isOver: (now) => spent + now - from > STREAM_TURN_MS,
    end: (now) => {
      spent += now - from
      from = now
      return spent > STREAM_TURN_MS
    },
    rest: (done) => {
      const ms = spent > STREAM_LONG_MS ? Math.min(spent, STREAM_REST_MAX_MS) : 0
      windowFrom = Number.NEGATIVE_INFINITY
      if (ms === 0) setImmediate(done)
      else setTimeout(done, ms)
    }
  }
}
