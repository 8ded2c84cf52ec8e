/**
 * Serves the control contract on a socket of this user, and announces it in the data directory. The handlers come from outside, so that another
 * door can serve the same contract.
 */
import * as Effect from "effect/Effect"
import type { Server } from "node:net"
import type { RunningGateway } from "../../schemas/control/Gateway.ts"
import { CONTROL_CONNECTIONS_MAX, CONTROL_CONNECTIONS_SHARE } from "../../schemas/defaults/Control.ts"
import { makeTransport } from "../../system/control/transport.ts"
import { descriptorsMax } from "../../system/descriptors.ts"
import { makePlace } from "../../system/gatewayFiles.ts"
import { listenAt } from "../../system/localSocket.ts"
import { fileSystemSays } from "../../system/ownFiles.ts"

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
  return (changed: RunningGateway) => Effect.ignore(attempt(() => place.announce(changed)))
})

/** Opens the socket for the Scope. If that fails, the log says why. Returns how to announce a change of `self`. */
export const open = (self: RunningGateway, directory: string) =>
  listening(self, directory).pipe(
    Effect.catch((reason: string) =>
      Effect.as(Effect.logWarning(`commands cannot reach this gateway: ${reason}`), () => Effect.void)
    )
  )
