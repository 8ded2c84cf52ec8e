/**
 * A connection that outlives its HTTP session. If the server no longer knows the session, a new one is opened, once for all requests that
 * notice. A request that the server surely did not take, or that changes nothing, is sent once more. Calls in the old session may still
 * end. If a session is lost again soon or cannot be opened, the connection ends and the supervisor takes over.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { SESSION_RENEWED_MIN_MS } from "../../../../schemas/defaults/Wire.ts"
import type { ConnectError, ServerExited } from "../../../../schemas/connection/ConnectError.ts"
import { ConnectionLost } from "../../../../schemas/connection/RequestError.ts"
import type { ConnectionInfo } from "../../../../schemas/connection/ServerState.ts"
import type { RequestOptions, ServerConnection } from "../../../../services/connection/ServerConnector.ts"
import { monotonicMs } from "../rpc/deadlines.ts"
import { isSessionLost } from "./httpFailure.ts"
import { changesNothing } from "./retryAfter.ts"

/** A connection without its lists. */
export type Live = Omit<ServerConnection, "catalogue" | "onEvent">

export interface RenewOptions {
  readonly timeoutMs: number
  /** Called when there is a new session: changes in between were missed. */
  readonly onRenewed: (watched: ReadonlyArray<string>) => void
}

/** One session and its use. */
interface Held {
  readonly live: Live
  readonly scope: Scope.Closeable
  inFlight: number
  /** Another session has replaced it. */
  retired: boolean
  /** Set while it is being replaced; completes with whether there is a usable session. */
  renewal: Deferred.Deferred<boolean> | undefined
}

const sameServer = (a: ConnectionInfo, b: ConnectionInfo): boolean =>
  a.transport === b.transport && a.era === b.era && a.protocolVersion === b.protocolVersion

export const renewing = Effect.fnUntraced(function* (
  attach: Effect.Effect<Live, ConnectError, Scope.Scope>,
  { onRenewed, timeoutMs }: RenewOptions
): Effect.fn.Return<Live, ConnectError, Scope.Scope> {
  const scope = yield* Effect.scope
  const ended = yield* Deferred.make<never, ServerExited | ConnectionLost>()
  let watched: ReadonlyArray<string> = []
  let renewedAt = Number.NEGATIVE_INFINITY

  const hold = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const live = yield* attach.pipe(
      Scope.provide(own),
      Effect.onError((cause) => Scope.close(own, Exit.failCause(cause)))
    )
    const held: Held = { live, scope: own, inFlight: 0, retired: false, renewal: undefined }
    return held
  })

  let current = yield* hold
  // Since 2026-07-28 there are no sessions to lose.
  if (current.live.info.era === "modern") return current.live

  /** Calls in a session that the server has forgotten may still be answered, so it is closed after them. */
  const closeWhenUnused = (held: Held) =>
    held.retired && held.inFlight === 0 ? Scope.close(held.scope, Exit.void) : Effect.void

  const replace = Effect.fnUntraced(function* (held: Held) {
    const now = yield* Clock.currentTimeMillis
    if (now - renewedAt < SESSION_RENEWED_MIN_MS) return false
    const next = yield* hold
    if (!sameServer(held.live.info, next.live.info)) {
      yield* Scope.close(next.scope, Exit.void)
      return false
    }
    renewedAt = yield* Clock.currentTimeMillis
    current = next
    held.retired = true
    yield* follow(next)
    if (watched.length > 0) yield* next.live.watchResources(watched).pipe(Effect.ignore, Effect.forkIn(scope))
    onRenewed(watched)
    yield* Effect.forkIn(closeWhenUnused(held), scope)
    return true
  })

  /** Succeeds with whether requests can continue. Calls during a renewal wait for the same one. */
  const renew = (held: Held, reason: ServerExited | ConnectionLost): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      if (held.renewal !== undefined) return Deferred.await(held.renewal)
      const renewal = (held.renewal = Deferred.makeUnsafe<boolean>())
      return replace(held).pipe(
        Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed(false) }),
        Effect.orElseSucceed(() => false),
        Effect.tap((renewed) => (renewed ? Effect.void : Deferred.fail(ended, reason))),
        Effect.onExit((exit) => Deferred.succeed(renewal, Exit.isSuccess(exit) && exit.value)),
        // Not in the caller's fiber: its interruption must not affect the others.
        Effect.forkIn(scope),
        Effect.andThen(Deferred.await(renewal))
      )
    })

  /** Notices the end of a session that has no requests. */
  const follow = (held: Held) =>
    held.live.closed.pipe(
      Effect.catch((reason) =>
        isSessionLost(reason) ? renew(held, reason) : held.retired ? Effect.void : Deferred.fail(ended, reason)
      ),
      Effect.forkIn(scope, { startImmediately: true })
    )

  yield* follow(current)

  const sendOn = (held: Held, method: string, params: Readonly<Record<string, unknown>>, options: RequestOptions) => {
    held.inFlight++
    return Effect.ensuring(
      held.live.request(method, params, options),
      Effect.suspend(() => {
        held.inFlight--
        return held.retired ? Effect.forkIn(closeWhenUnused(held), scope) : Effect.void
      })
    )
  }

  /** A server that has forgotten a new session, too, may have run the request both times. */
  const sendAgain: typeof sendOn = (held, method, params, options) =>
    Effect.mapError(sendOn(held, method, params, options), (error) =>
      isSessionLost(error) && !changesNothing(method)
        ? new ConnectionLost({ server: error.server, detail: error.detail, maybeExecuted: true })
        : error
    )

  const request: Live["request"] = (method, params, options) =>
    Effect.clockWith((clock) => {
      const held = current
      const started = monotonicMs(clock)
      return Effect.catchTag(sendOn(held, method, params, options), "ConnectionLost", (lost) => {
        if (!isSessionLost(lost)) return Effect.fail(lost)
        const renewed = renew(held, lost)
        if (lost.maybeExecuted && !changesNothing(method)) {
          return Effect.forkIn(renewed, scope).pipe(Effect.andThen(Effect.fail(lost)))
        }
        const leftMs = Math.max(0, options.totalMs - (monotonicMs(clock) - started))
        return renewed.pipe(
          Effect.timeoutOrElse({ duration: leftMs, orElse: () => Effect.succeed(false) }),
          Effect.flatMap((open) =>
            open ? sendAgain(current, method, params, { ...options, totalMs: leftMs }) : Effect.fail(lost)
          )
        )
      })
    })

  return {
    info: current.live.info,
    request,
    discover: Effect.suspend(() => current.live.discover),
    watchResources: (uris) =>
      Effect.suspend(() => {
        watched = uris
        return current.live.watchResources(uris)
      }),
    ping: Effect.suspend(() => current.live.ping),
    closed: Deferred.await(ended)
  }
})
