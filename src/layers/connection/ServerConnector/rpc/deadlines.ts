/**
 * Deadlines of all requests in flight, on one timer. A timer per request would cost more than the request; this one ticks
 * only while something is in flight, so a deadline fires up to one tick late. Who has requests is watched as a whole, so
 * that a single request costs nothing here.
 */
export interface Deadline {
  /** Milliseconds of `performance.now()`; may be moved while it is watched, or infinite. */
  at: number
  readonly expire: () => void
}

/** Somebody's requests in flight, as they change. */
export type Deadlines = ReadonlyMap<unknown, Deadline>

const TICK_MS = 50
const watched = new Set<Deadlines>()
let timer: NodeJS.Timeout | undefined

const tick = () => {
  const now = performance.now()
  for (const deadlines of watched) {
    if (!isUrgent(deadlines)) watched.delete(deadlines)
    for (const deadline of deadlines.values()) if (deadline.at <= now) deadline.expire()
  }
  if (watched.size > 0) return
  clearInterval(timer)
  timer = undefined
}

/** Streams that are open for ever need no timer. */
const isUrgent = (deadlines: Deadlines): boolean => {
  for (const { at } of deadlines.values()) if (at !== Number.POSITIVE_INFINITY) return true
  return false
}

/** To be called whenever something was added; what is watched already costs a look-up. */
export const watch = (deadlines: Deadlines): void => {
  if (watched.has(deadlines)) return
  watched.add(deadlines)
  timer ??= setInterval(tick, TICK_MS)
}
