/** Listing anew while a connection lives: on demand, and when the server says that its lists changed. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import {
  LIST_CHANGED_DEBOUNCE_MS,
  LIST_QUIET_MS,
  LIST_REFRESH_MAX_MS,
  LIST_REFRESH_MIN_MS
} from "../../../schemas/defaults/Definitions.ts"
import type { ServerConnection } from "../../../services/connection/ServerConnector.ts"

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

/** Starts `self` over when nothing has changed for so long since its last wait. */
const startOverWhenQuiet = (self: Schedule.Schedule<unknown>): Schedule.Schedule<unknown> =>
  Schedule.fromStep(
    Effect.gen(function* () {
      let step = yield* Schedule.toStep(self)
      let waitedUntil = Number.POSITIVE_INFINITY
      return Effect.fnUntraced(function* (now: number, input: unknown) {
        if (now - waitedUntil >= LIST_QUIET_MS) step = yield* Schedule.toStep(self)
        const [output, delay] = yield* step(now, input)
        waitedUntil = now + Duration.toMillis(delay)
        return [output, delay] as [unknown, Duration.Duration]
      })
    })
  )

/** 1 s, doubled for as long as changes keep coming, up to five minutes. */
const pace = startOverWhenQuiet(
  Schedule.min([Schedule.exponential(LIST_REFRESH_MIN_MS), Schedule.spaced(LIST_REFRESH_MAX_MS)])
)

/**
 * Follows the server's `list_changed`: a burst leads to one refresh, and what changes meanwhile to one more at the end of a
 * wait that grows; the last change is always seen. After half a minute without a change the next wait is the shortest again.
 * What fails is tried once more. `onWait` is told how long the present wait is; nothing while there is none.
 */
export const followChanges = (
  refresh: Refresh,
  changed: Queue.Queue<void>,
  onWait: (ms: number | undefined) => Effect.Effect<void>
): Effect.Effect<unknown> =>
  Effect.suspend(() => (Queue.sizeUnsafe(changed) === 0 ? onWait(undefined) : Effect.void)).pipe(
    Effect.andThen(Queue.peek(changed)),
    Effect.andThen(Effect.sleep(LIST_CHANGED_DEBOUNCE_MS)),
    Effect.andThen(Queue.clear(changed)),
    Effect.andThen(refresh),
    Effect.flatMap((isRead) => (isRead ? Effect.void : Effect.andThen(Effect.sleep(LIST_REFRESH_MIN_MS), refresh))),
    Effect.repeat(Schedule.tap(pace, ({ duration }) => onWait(Duration.toMillis(duration))))
  )
