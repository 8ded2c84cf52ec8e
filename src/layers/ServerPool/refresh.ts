/** Listing anew while a connection lives: on demand, and when the server says that its lists changed. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import type { Catalogue } from "../../schemas/Catalogue.ts"
import {
  LIST_CHANGED_DEBOUNCE_MS,
  LIST_REFRESH_MAX_MS,
  LIST_REFRESH_MIN_MS
} from "../../schemas/defaults/Definitions.ts"
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

/** 1 s, doubled for as long as changes keep coming, up to five minutes. */
const pace = Schedule.min([Schedule.exponential(LIST_REFRESH_MIN_MS), Schedule.spaced(LIST_REFRESH_MAX_MS)]).pipe(
  Schedule.setInputType<boolean>(),
  Schedule.while(({ input: hasChanged }) => Effect.succeed(hasChanged))
)

/**
 * Follows the server's `list_changed`: a burst leads to one refresh, and what changes meanwhile to one more at the end of a
 * wait that grows; the last change is always seen. When nothing has changed during a wait, the next one is the shortest again.
 * What fails is tried once more. `onWait` is told how long the present wait is; nothing while there is none.
 */
export const followChanges = (
  refresh: Refresh,
  changed: Queue.Queue<void>,
  onWait: (ms: number | undefined) => Effect.Effect<void>
): Effect.Effect<never> => {
  const refreshed = Effect.flatMap(refresh, (isRead) =>
    isRead ? Effect.void : Effect.andThen(Effect.sleep(LIST_REFRESH_MIN_MS), refresh)
  )
  /** Whether anything had changed. */
  const look = Effect.flatMap(Queue.clear(changed), ({ length }) =>
    length === 0 ? Effect.succeed(false) : Effect.as(refreshed, true)
  )
  const paced = Schedule.tap(pace, ({ duration }) => onWait(Duration.toMillis(duration)))
  return Queue.peek(changed).pipe(
    Effect.andThen(Effect.sleep(LIST_CHANGED_DEBOUNCE_MS)),
    Effect.andThen(Effect.repeat(look, paced)),
    Effect.andThen(onWait(undefined)),
    Effect.forever
  )
}
