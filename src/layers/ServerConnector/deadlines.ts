/**
 * Deadlines of all requests in flight, on one timer. A timer per request would cost more than the request; this one ticks
 * only while something is in flight, so a deadline fires up to one tick late.
 */
export interface Deadline {
  /** Milliseconds of `performance.now()`; may be moved while it is watched. */
  at: number
  readonly expire: () => void
}

const TICK_MS = 50
const watched = new Set<Deadline>()
let timer: NodeJS.Timeout | undefined

const tick = () => {
  if (watched.size === 0) {
    clearInterval(timer)
    timer = undefined
    return
  }
  const now = performance.now()
  for (const deadline of watched) {
    if (deadline.at > now) continue
    watched.delete(deadline)
    deadline.expire()
  }
}

export const watch = (deadline: Deadline): void => {
  if (deadline.at === Number.POSITIVE_INFINITY) return
  watched.add(deadline)
  timer ??= setInterval(tick, TICK_MS)
}

export const unwatch = (deadline: Deadline): void => {
  watched.delete(deadline)
}
