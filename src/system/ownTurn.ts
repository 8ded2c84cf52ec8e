/**
 * Work that takes long, for whomever it is: one piece of it in each turn of the event loop, in the order in which it came.
 * After a piece that took long, everybody else has as much time before the next one.
 */
import { STREAM_REST_MAX_MS, TURN_MS } from "../schemas/defaults/Wire.ts"

const waiting: Array<() => void> = []

const next = () => {
  const from = performance.now()
  try {
    waiting[0]?.()
  } finally {
    waiting.shift()
    const ms = performance.now() - from
    if (waiting.length > 0) {
      if (ms > TURN_MS) setTimeout(next, Math.min(ms, STREAM_REST_MAX_MS))
      else setImmediate(next)
    }
  }
}

export const inOwnTurn = (work: () => void): void => {
  if (waiting.push(work) === 1) setImmediate(next)
}
