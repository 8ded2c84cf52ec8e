/** Listing anew while a connection lives: on demand, and when the server says that its lists changed. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Catalogue } from "../../schemas/Catalogue.ts"
import { LIST_CHANGED_DEBOUNCE_MS, LIST_REFRESH_MIN_MS } from "../../schemas/defaults/Definitions.ts"
import type { ServerConnection } from "../../services/ServerConnector.ts"

/** Whether the lists could be read. */
export type Refresh = Effect.Effect<boolean>

/**
 * One refresh at a time. Whoever comes while one runs waits for the next, which is one for all of them. When it fails the
 * last good lists stay.
 */
export const makeRefresh = (
  server: string,
  connection: ServerConnection,
  publish: (catalogue: Catalogue) => Effect.Effect<void>
): Refresh => {
  const turn = Semaphore.makeUnsafe(1)
  let asked = 0
  /** Of those who asked, so many have been served, and how. */
  let served = 0
  let succeeded = true

  const list = Effect.gen(function* () {
    const upTo = asked
    const listed = yield* Effect.result(connection.discover)
    succeeded = Result.isSuccess(listed)
    served = upTo
    if (Result.isSuccess(listed)) return yield* publish(listed.success)
    yield* Effect.logWarning(`[${server}] its lists cannot be read, the last ones stay: ${listed.failure.message}`)
  })

  return Effect.suspend(() => {
    const mine = ++asked
    return turn.withPermit(
      Effect.suspend(() => (served >= mine ? Effect.void : list)).pipe(Effect.map(() => succeeded))
    )
  })
}

/** Follows the server's `list_changed`: debounced, spaced, the last word always heard; what fails is tried once more. */
export const followChanges = Effect.fnUntraced(function* (refresh: Refresh, changed: Queue.Queue<void>) {
  while (true) {
    yield* Queue.take(changed)
    yield* Effect.sleep(LIST_CHANGED_DEBOUNCE_MS)
    yield* Queue.clear(changed)
    if (!(yield* refresh)) {
      yield* Effect.sleep(LIST_REFRESH_MIN_MS)
      yield* refresh
    }
    yield* Effect.sleep(LIST_REFRESH_MIN_MS - LIST_CHANGED_DEBOUNCE_MS)
  }
})
