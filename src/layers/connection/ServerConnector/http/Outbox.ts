/**
 * Our answers to an HTTP server. Each holds a connection until the server has accepted it, so only so many are sent at a time;
 * the others wait in order, up to a bound.
 */
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Semaphore from "effect/Semaphore"
import { ANSWERS_UNTAKEN_MAX, ANSWERS_WAITING_MAX } from "../../../../schemas/defaults/HostRequests.ts"

/** The function given sends an answer; it returns `false` when too many wait, and this one will not be sent. */
export const makeOutbox = (fork: (send: Effect.Effect<unknown>) => Fiber.Fiber<unknown>) => {
  const places = Semaphore.makeUnsafe(ANSWERS_UNTAKEN_MAX)
  let count = 0
  return (send: Effect.Effect<unknown>): boolean => {
    if (count >= ANSWERS_UNTAKEN_MAX + ANSWERS_WAITING_MAX) return false
    count++
    fork(places.withPermit(send)).addObserver(() => count--)
    return true
  }
}
