/**
 * Changes of single resources. The server is asked on behalf of all watchers, again on each new connection, and each change goes to
 * all listeners. A flood of changes is bounded and coalesced.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { RESOURCE_UPDATES_QUEUED } from "../../../schemas/defaults/HostRequests.ts"
import type { ServerConnection } from "../../../services/connection/ServerConnector.ts"
import { again } from "../../../system/rounds.ts"

export interface Watching {
  readonly updates: Stream.Stream<string>
  readonly watch: (uris: ReadonlyArray<string>) => Effect.Effect<void, never, Scope.Scope>
  /** The server says that a resource changed. */
  readonly updated: (uri: string) => void
  /** Run this on each new connection. */
  readonly resume: Effect.Effect<void>
}

export const makeWatching = Effect.fnUntraced(function* (
  server: string,
  live: () => ServerConnection | undefined
): Effect.fn.Return<Watching, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const heard = yield* Queue.sliding<string>(RESOURCE_UPDATES_QUEUED)
  /** One queue for each listener. */
  const listeners = new Set<Queue.Queue<string, Cause.Done>>()
  /** One entry for each call of `watch`, even if two name the same resources. */
  const watchers = new Set<{ readonly uris: ReadonlyArray<string> }>()
  let resumed = false

  const tell = Effect.map(Queue.takeAll(heard), (uris) =>
    listeners.forEach((listener) => Queue.offerAllUnsafe(listener, new Set(uris)))
  )
  yield* Effect.forkIn(again(`[${server}] the news of its resources`, Queue.peek(heard), tell), scope)

  const watched = () => [...new Set([...watchers].flatMap(({ uris }) => uris))]

  const updated = (uri: string) => {
    if (watchers.size > 0) Queue.offerUnsafe(heard, uri)
  }

  /** Asks on the present connection. The next one is asked when it is open. */
  const ask = Effect.suspend(() => live()?.watchResources(watched()) ?? Effect.void).pipe(
    Effect.catch((error) =>
      error._tag === "ConnectionLost"
        ? Effect.void
        : Effect.logWarning(`[${server}] will not report all changes of its resources: ${error.message}`)
    )
  )

  return {
    updates: Stream.callback(
      (listener) =>
        Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        ),
      { bufferSize: RESOURCE_UPDATES_QUEUED, strategy: "sliding" }
    ),
    updated,
    watch: Effect.fnUntraced(function* (uris: ReadonlyArray<string>) {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const watcher = { uris }
          watchers.add(watcher)
          return watcher
        }),
        (watcher) => {
          watchers.delete(watcher)
          // Nobody waits until the server has heard that it can stop.
          return Effect.forkIn(ask, scope)
        }
      )
      yield* ask
    }),
    resume: Effect.suspend(() => {
      const again = resumed
      resumed = true
      if (watchers.size === 0) return Effect.void
      // Changes between two connections were missed, so each resource counts as changed.
      return Effect.tap(ask, () => Effect.sync(() => (again ? watched().forEach(updated) : undefined)))
    })
  }
})
