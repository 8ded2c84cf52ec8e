/** Lists a server again while its connection lives: on demand, and when the server says that its lists have changed. */
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
import { roundsOf } from "../../../system/rounds.ts"

/** Succeeds with whether the lists could be read. */
export type Refresh = Effect.Effect<boolean>

/**
 * One refresh at a time. Requests that come while one runs share the next one. If it fails, the last good lists stay.
 */
export const makeRefresh = (
  server: string,
  connection: ServerConnection,
  publish: (catalogue: Catalogue) => Effect.Effect<void>
): Refresh => {
  const turn = Semaphore.makeUnsafe(1)
  let asked = 0
  /** How many of the requests were served, and with which result. */
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

/** Starts `self` over if nothing has changed for `LIST_QUIET_MS` since its last wait. */
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

/** 1 s, doubled while changes keep coming, up to five minutes. */
const pace = startOverWhenQuiet(
  Schedule.min([Schedule.exponential(LIST_REFRESH_MIN_MS), Schedule.spaced(LIST_REFRESH_MAX_MS)])
)

/**
 * Follows the server's `list_changed`. A burst leads to one refresh; changes after it lead to one more, at the end of a wait that
 * grows. The last change is always seen. After half a minute without a change, the wait is the shortest again. A refresh that fails
 * is tried once more. `onWait` gets the length of the present wait, or `undefined` when there is none.
 */
export const followChanges = (
  server: string,
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
    roundsOf(`[${server}] the reading of its changed lists`),
    Effect.repeat(Schedule.tap(pace, ({ duration }) => onWait(Duration.toMillis(duration))))
  )
