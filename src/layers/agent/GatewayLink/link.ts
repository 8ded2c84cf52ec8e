/**
 * Maintains one connection to a gateway: opens it at once, and again when it is lost, with increasing pauses. After a refusal
 * it only tries again with the next request, so that a corrected token needs no restart.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import {
  GATEWAY_REFUSED_MS,
  GATEWAY_REQUEST_MS,
  GATEWAY_RETRY_BASE_MS,
  GATEWAY_RETRY_CAP_MS,
  GATEWAY_STEADY_MS
} from "../../../schemas/defaults/Gateway.ts"
import { GatewayError } from "../../../schemas/agent/GatewayError.ts"
import type { Link } from "../../../services/agent/GatewayLink.ts"
import { untilDone } from "../../../system/rounds.ts"
import type { Connection } from "./connection.ts"
import type { Ended } from "./ended.ts"

type State =
  | { readonly _tag: "Up"; readonly connection: Connection }
  | { readonly _tag: "Down"; readonly error: GatewayError | undefined }
  | { readonly _tag: "Refused"; readonly error: GatewayError; readonly at: number }

/** From half a second doubling to half a minute, with jitter; without end. */
export const backoff: Schedule.Schedule<unknown> = Schedule.exponential(GATEWAY_RETRY_BASE_MS).pipe(
  Schedule.jittered,
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.millis(GATEWAY_RETRY_CAP_MS))))
)

export interface LinkOptions {
  /** One connection, for the caller's Scope. */
  readonly open: Effect.Effect<Connection, Ended, Scope.Scope>
  /** The address as shown to people. */
  readonly address: string
  /** What a person should do when there is no gateway. Without it they are not told. */
  readonly advice?: string | undefined
  /** The pauses between attempts. Default: `backoff`. */
  readonly pauses?: Schedule.Schedule<unknown> | undefined
}

export const makeLink = Effect.fnUntraced(function* ({
  address,
  advice,
  open,
  pauses = backoff
}: LinkOptions): Effect.fn.Return<Link, never, Scope.Scope> {
  const state = yield* SubscriptionRef.make<State>({ _tag: "Down", error: undefined })
  const nudges = yield* Queue.sliding<void>(1)
  const notYet = new GatewayError({
    code: "LINK_DOWN",
    detail: `the OpenClaw gateway at ${address} has not answered yet`
  })
  /** Messages since the last connection, to log each only once. */
  const said = new Set<string>()

  const tellOnce = (about: string, text: string) =>
    Effect.suspend(() => {
      if (said.has(about)) return Effect.logInfo(text)
      said.add(about)
      return Effect.logWarning(text)
    })

  /** One connection until its end. */
  const once = Effect.gen(function* () {
    const connection = yield* open
    yield* SubscriptionRef.set(state, { _tag: "Up", connection })
    said.clear()
    const upAt = yield* Clock.currentTimeMillis
    const end = yield* connection.ended
    return { end, wasUp: true, isSteady: (yield* Clock.currentTimeMillis) - upAt >= GATEWAY_STEADY_MS }
  }).pipe(
    Effect.scoped,
    Effect.catch((end) => Effect.succeed({ end, wasUp: false, isSteady: false }))
  )

  const keep = Effect.gen(function* () {
    let step = yield* Schedule.toStep(pauses)
    while (true) {
      const { end, isSteady, wasUp } = yield* once
      const now = yield* Clock.currentTimeMillis
      if (end.kind !== "passing") {
        yield* Queue.clear(nudges)
        yield* SubscriptionRef.set(state, { _tag: "Refused", error: end.error, at: now })
        yield* tellOnce(end.error.detail, end.error.detail)
        yield* Queue.take(nudges)
        yield* SubscriptionRef.set(state, { _tag: "Down", error: end.error })
        continue
      }
      yield* SubscriptionRef.set(state, { _tag: "Down", error: end.error })
      // When a connection is lost, the first failed attempt to restore it is reported.
      if (wasUp || advice === undefined) yield* Effect.logInfo(end.error.detail)
      else yield* tellOnce("away", `${end.error.detail}. It is still being tried. ${advice}`)
      if (isSteady) step = yield* Schedule.toStep(pauses)
      const [, pause] = yield* step(now, undefined)
      yield* Effect.sleep(Math.max(Duration.toMillis(pause), end.retryAfterMs))
    }
  })

  // The pauses never end.
  const kept = Effect.ignore(keep).pipe(
    Effect.tapDefect(() => SubscriptionRef.set(state, { _tag: "Down", error: undefined }))
  )
  yield* Effect.forkScoped(untilDone("the connection to the OpenClaw gateway", GATEWAY_RETRY_BASE_MS, kept))

  /** A connection, now or within the time limit. */
  const connection = (timeoutMs: number): Effect.Effect<Connection, GatewayError> =>
    Effect.gen(function* () {
      const known = yield* SubscriptionRef.get(state)
      if (known._tag === "Up") return known.connection
      if (known._tag === "Refused") {
        if ((yield* Clock.currentTimeMillis) - known.at < GATEWAY_REFUSED_MS) return yield* known.error
        yield* Queue.offer(nudges, undefined)
      }
      const settled = yield* SubscriptionRef.changes(state).pipe(
        // The known refusal is the one that is being tried again, so it does not count.
        Stream.filter((next) => next._tag === "Up" || (next._tag === "Refused" && next !== known)),
        Stream.runHead,
        Effect.timeoutOption(timeoutMs)
      )
      const found = Option.getOrUndefined(Option.flatten(settled))
      if (found?._tag === "Up") return found.connection
      if (found?._tag === "Refused") return yield* found.error
      const last = yield* SubscriptionRef.get(state)
      return yield* (last._tag === "Up" ? undefined : last.error) ?? notYet
    })

  return {
    request: (method, params, { timeoutMs = GATEWAY_REQUEST_MS } = {}) =>
      Effect.gen(function* () {
        const askedAt = yield* Clock.currentTimeMillis
        const { request } = yield* connection(timeoutMs)
        const left = timeoutMs - ((yield* Clock.currentTimeMillis) - askedAt)
        return yield* request(method, params, Math.max(left, 1))
      }),
    events: Effect.flatMap(
      Effect.suspend(() => connection(GATEWAY_REQUEST_MS)),
      ({ events }) => events
    ),
    hello: Effect.map(
      Effect.suspend(() => connection(GATEWAY_REQUEST_MS)),
      ({ hello }) => hello
    ),
    trouble: Effect.map(SubscriptionRef.get(state), (known) =>
      known._tag === "Up" ? undefined : (known.error ?? notYet)
    ),
    connected: SubscriptionRef.changes(state).pipe(
      Stream.filterMap((next) => (next._tag === "Up" ? Result.succeed(next.connection.hello) : Result.fail(undefined)))
    )
  }
})
