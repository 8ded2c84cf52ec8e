/** Resources of a server of the fleet that somebody at this node watches: it hears of their changes wherever the server lives. */
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { PLACING_RETRY_MS } from "../../../schemas/defaults/FleetNodes.ts"
import type { SupervisedServer } from "../../../services/connection/ServerPool.ts"
import type { HomeServers } from "../../../services/fleet/HomeServers.ts"
import { untilDone } from "../../../system/rounds.ts"
import type { Home } from "./home.ts"

export const makeWatched = Effect.fnUntraced(function* (
  server: string,
  home: SubscriptionRef.SubscriptionRef<Home | undefined>,
  homes: HomeServers["Service"]
): Effect.fn.Return<Pick<SupervisedServer, "resourceUpdates" | "watchResources">, never, Scope.Scope> {
  const updates = yield* PubSub.sliding<string>(1_024)
  const watched = yield* SubscriptionRef.make<ReadonlyArray<string>>([])
  const watchers = new Set<ReadonlyArray<string>>()
  /** Where hearing of them begins again, changes in between were missed, or the process has lost its state. */
  let heard: ReadonlySet<string> = new Set()

  const updatesOf = (now: Home | undefined, uris: ReadonlyArray<string>) =>
    Stream.suspend((): Stream.Stream<string, unknown> => {
      if (now === undefined && uris.length > 0) return Stream.never
      const missed = uris.filter((uri) => heard.has(uri))
      heard = new Set(uris)
      if (now === undefined || uris.length === 0) return Stream.never
      return now.kind === "near"
        ? homes.updates(now.place, uris, missed)
        : now.client.ServerUpdates({ place: now.place, uris, missed })
    }).pipe(Stream.retry(Schedule.spaced(PLACING_RETRY_MS)))

  yield* Stream.zipLatest(SubscriptionRef.changes(home), Stream.changes(SubscriptionRef.changes(watched))).pipe(
    Stream.switchMap(([now, uris]) => updatesOf(now, uris)),
    Stream.runForEach((uri) => PubSub.publish(updates, uri)),
    (told) => untilDone(`fleet: hearing of resources of server '${server}'`, PLACING_RETRY_MS, told),
    Effect.forkScoped
  )
  const rewatch = Effect.suspend(() => SubscriptionRef.set(watched, [...new Set([...watchers].flat())].toSorted()))

  return {
    resourceUpdates: Stream.fromPubSub(updates),
    watchResources: (uris) =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => void watchers.add(uris)),
          () =>
            Effect.andThen(
              Effect.sync(() => watchers.delete(uris)),
              rewatch
            )
        ),
        rewatch
      )
  }
})
