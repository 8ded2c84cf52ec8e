/**
 * When a server is started again: after 1 s, doubling to 30 s, with jitter within these limits, and at most `maxRestarts` times within
 * five minutes. A healthy connection starts the schedule over.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Schedule from "effect/Schedule"
import { RESTART_BASE_MS, RESTART_CAP_MS, RESTART_WINDOW_MS } from "../../../schemas/defaults/Connections.ts"
import {
  HandshakeFailed,
  worthRetrying,
  type ConnectError,
  retryAfterOf
} from "../../../schemas/connection/ConnectError.ts"
import { makeSlidingWindow } from "../../../system/slidingWindow.ts"

/** How a connection, or an attempt to connect, ended. */
export interface Ended {
  readonly cause: ConnectError
  /** It was Ready for a minute and answered a ping after that. */
  readonly healthy: boolean
}

export type RestartSchedule = Schedule.Schedule<Duration.Duration, Ended>

/** Starts `self` over if the connection that ended was healthy. */
const startOverWhenHealthy = (self: RestartSchedule): RestartSchedule =>
  Schedule.fromStep(
    Effect.gen(function* () {
      let step = yield* Schedule.toStep(self)
      return Effect.fnUntraced(function* (now: number, ended: Ended) {
        if (ended.healthy) step = yield* Schedule.toStep(self)
        return yield* step(now, ended)
      })
    })
  )

/** Ends after `max` recurrences within the window. */
const atMostInWindow =
  (max: number, windowMs: number) =>
  (self: RestartSchedule): RestartSchedule =>
    Schedule.fromStep(
      Effect.gen(function* () {
        const step = yield* Schedule.toStep(self)
        const recent = makeSlidingWindow(max, windowMs)
        return Effect.fnUntraced(function* (now: number, ended: Ended) {
          if (!recent.take(now)) return yield* Cause.done(Duration.zero)
          return yield* step(now, ended)
        })
      })
    )

/** Never before the time that the server asked for, which is bounded where it is read. */
const asAsked = (delay: Duration.Duration, { cause }: Ended) =>
  Duration.max(delay, Duration.millis(retryAfterOf(cause)))

const between = (low: number, high: number) => (delay: Duration.Duration) =>
  Duration.millis(Math.min(Math.max(Duration.toMillis(delay), low), high))

export const restartSchedule = (options: {
  readonly restartOnCrash: boolean
  readonly maxRestarts: number
}): RestartSchedule =>
  Schedule.exponential(RESTART_BASE_MS).pipe(
    Schedule.setInputType<Ended>(),
    Schedule.jittered,
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.succeed(asAsked(between(RESTART_BASE_MS, RESTART_CAP_MS)(duration), input))
    ),
    atMostInWindow(options.maxRestarts, RESTART_WINDOW_MS),
    startOverWhenHealthy,
    Schedule.while(({ input }) => Effect.succeed(options.restartOnCrash && worthRetrying(input.cause)))
  )

/** A bug of ours, or of a library, must not end the supervision: the server counts as one that is down. */
export const defectAsFailure = (server: string) =>
  Effect.catchDefect((defect: unknown) =>
    Effect.logError(`[${server}] unexpected failure`, Cause.die(defect)).pipe(
      Effect.andThen(
        Effect.fail<ConnectError>(
          new HandshakeFailed({ server, detail: "an unexpected failure on our side, see the log", stderr: "" })
        )
      )
    )
  )
