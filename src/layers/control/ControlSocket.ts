/**
 * Serves the control contract on a socket of this user, and announces it in the data directory. The handlers come from outside, so that another
 * door can serve the same contract.
 */
import * as Effect from "effect/Effect"
import * as ScopedRef from "effect/ScopedRef"
import type { Server } from "node:net"
import type { RunningGateway } from "../../schemas/control/Gateway.ts"
import { CONTROL_CONNECTIONS_MAX, CONTROL_CONNECTIONS_SHARE, CONTROL_LOOK_MS } from "../../schemas/defaults/Control.ts"
import { makeTransport } from "../../system/control/transport.ts"
import { descriptorsMax } from "../../system/descriptors.ts"
import { makePlace } from "../../system/gatewayFiles.ts"
import { listenAt } from "../../system/localSocket.ts"
import { fileSystemSays } from "../../system/ownFiles.ts"
import { again } from "../../system/rounds.ts"

/** The file system's words, or those of a failed check. */
const attempt = <A>(work: () => A | Promise<A>): Effect.Effect<A, string> =>
  Effect.tryPromise({ try: async () => work(), catch: fileSystemSays })

/** Fewer if the system allows fewer open files: servers need them. */
const connectionsMax = (): number =>
  Math.max(1, Math.min(CONTROL_CONNECTIONS_MAX, Math.floor(descriptorsMax() * CONTROL_CONNECTIONS_SHARE)))

/** A server that has connections is not closed before they are. */
const close = (server: Server, hangUp: () => void): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    hangUp()
  })

const listening = Effect.fnUntraced(function* (self: RunningGateway, directory: string) {
  const place = yield* attempt(() => makePlace(directory))
  const { hangUp, take } = yield* makeTransport
  yield* Effect.acquireRelease(
    attempt(() => listenAt(place.socket, (socket) => take(socket), connectionsMax())),
    (server) => close(server, hangUp)
  )
  // Announced when it answers, and withdrawn first.
  yield* Effect.acquireRelease(
    attempt(() => place.announce(self)),
    () => Effect.ignore(attempt(place.withdraw))
  )
  return {
    announce: (changed: RunningGateway) => Effect.ignore(attempt(() => place.announce(changed))),
    isThere: place.isThere
  }
})

const UNREACHABLE = { announce: () => Effect.void, isThere: () => true }

/**
 * Opens the socket for the Scope, and another one when somebody has removed its files. If that fails, the log says why. Returns how to announce a
 * change of `self`.
 */
export const open = Effect.fnUntraced(function* (self: RunningGateway, directory: string) {
  let now = self
  const opened = Effect.suspend(() => listening(now, directory)).pipe(
    Effect.catch((reason: string) =>
      Effect.as(Effect.logWarning(`commands cannot reach this gateway: ${reason}`), UNREACHABLE)
    )
  )
  const current = yield* ScopedRef.fromAcquire(opened)
  const look = Effect.suspend(() => {
    if (ScopedRef.getUnsafe(current).isThere()) return Effect.void
    return Effect.andThen(
      Effect.logWarning("the files by which commands find this gateway were removed, and are written again"),
      ScopedRef.set(current, opened)
    )
  })
  yield* Effect.forkScoped(again("looking for the files by which commands find this gateway", CONTROL_LOOK_MS, look))
  return (changed: RunningGateway) =>
    Effect.suspend(() => {
      now = changed
      return ScopedRef.getUnsafe(current).announce(changed)
    })
})
