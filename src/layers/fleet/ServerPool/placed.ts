/**
 * A server that lives at one node of the fleet, as this node sees it. What is known of it is mirrored from there. When its place ends, because
 * its node died, was replaced or hands over, the next one is found, and who waits goes on there.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { ServerUnavailable } from "../../../schemas/call/CallError.ts"
import { ConnectionLost } from "../../../schemas/connection/RequestError.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { HAND_OVER_MS, PLACING_MS, PLACING_RETRY_MS } from "../../../schemas/defaults/FleetNodes.ts"
import { LISTENER_CONFIRM_MS } from "../../../schemas/defaults/Listener.ts"
import { hasNotLeft } from "../../../schemas/fleet/hasNotLeft.ts"
import { isSameNode } from "../../../schemas/fleet/Node.ts"
import type { Place } from "../../../schemas/fleet/ServerRpcs.ts"
import type { Predecessor, Snapshot, SupervisedServer } from "../../../services/connection/ServerPool.ts"
import type { ServerConnection } from "../../../services/connection/ServerConnector.ts"
import type { HostFeatures } from "../../../services/content/HostFeatures.ts"
import type { Fleet } from "../../../services/fleet/Fleet.ts"
import type { HomeServers } from "../../../services/fleet/HomeServers.ts"
import type { Peers } from "../../../services/fleet/Peers.ts"
import type { Placements } from "../../../services/fleet/Placements.ts"
import { again } from "../../../system/rounds.ts"
import { farConnection } from "./farConnection.ts"
import { type Action, followFar, type Home } from "./home.ts"
import { makeWatched } from "./watched.ts"

export interface Surroundings {
  readonly fleet: Fleet["Service"]
  readonly homes: HomeServers["Service"]
  readonly peers: Peers["Service"]
  readonly placements: Placements["Service"]
  readonly host: HostFeatures["Service"]
}

const SETTLED: ReadonlySet<Snapshot["state"]["_tag"]> = new Set([
  "Ready",
  "Failed",
  "Backoff",
  "Idle",
  "Disabled",
  "Closed"
])

const MOVES = "its process moves to another node"

export const placed = Effect.fnUntraced(function* (
  key: string,
  config: ServerConfig,
  after: Predecessor | undefined,
  { fleet, homes, host, peers, placements }: Surroundings
): Effect.fn.Return<Omit<SupervisedServer, "gone">, never, Scope.Scope> {
  const { name: server } = config
  const ref = yield* SubscriptionRef.make<Snapshot>({
    state: { _tag: "Connecting", attempt: 1 },
    catalogue: after?.catalogue,
    restarts: 0,
    lastError: undefined,
    node: null
  })
  const home = yield* SubscriptionRef.make<Home | undefined>(undefined)
  const last = () => SubscriptionRef.getUnsafe(ref)
  const publish = (next: Snapshot) => SubscriptionRef.set(ref, next)
  /** While a process starts at its new place, its lists are those that it had at the one before. */
  const withLists = (next: Snapshot): Snapshot =>
    next.catalogue === undefined && last().catalogue !== undefined ? { ...next, catalogue: last().catalogue } : next
  /** Of a process that lives here, as it is now: who has waited for it finds its lists. */
  const snapshot = (): Snapshot => {
    const now = SubscriptionRef.getUnsafe(home)
    const near = now?.kind === "near" ? now.server.snapshot() : undefined
    return now === undefined || near === undefined || near.state._tag === "Closed"
      ? last()
      : { ...withLists(near), node: now.place.node.name }
  }
  let uses = 0

  // ---- from place to place -----------------------------------------------------------------------------------------

  const arrived = (next: Home) => SubscriptionRef.set(home, next)

  const followNear = Effect.fnUntraced(function* (place: Place) {
    const { ended, isOver, server: near } = yield* homes.near(place, config)
    const here = (seen: Snapshot) => publish({ ...withLists(seen), node: place.node.name })
    yield* here(near.snapshot())
    yield* arrived({ kind: "near", place, server: near, isOver })
    yield* Effect.raceFirst(Stream.runForEach(near.changes, here), ended)
  }, Effect.scoped)

  /** The server is not there: why, for whoever looks. */
  const absent = (detail: string, attempt: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      SubscriptionRef.update(ref, (last): Snapshot => {
        const cause = new ConnectionLost({ server, detail, maybeExecuted: false })
        const state = { _tag: "Backoff", attempt, until: now + PLACING_RETRY_MS, cause } as const
        return { ...last, state, lastError: cause.message, node: null }
      })
    )

  /** One stay, until it ends. */
  const stay = Effect.gen(function* () {
    const place = yield* placements.placeOf(key)
    const follow = isSameNode(place.node, fleet.self)
      ? followNear(place)
      : followFar({ config, peers, host, last, publish, arrived }, place)
    yield* Effect.ensuring(
      follow,
      Effect.suspend(() => {
        placements.forget(place)
        return SubscriptionRef.set(home, undefined)
      })
    )
  })

  let [failures, waitMs] = [0, 0]
  const stayed = Effect.suspend(() => {
    waitMs = PLACING_RETRY_MS
    return stay
  }).pipe(
    Effect.tapDefect(() => absent("an unexpected failure", ++failures)),
    Effect.matchEffect({
      onSuccess: () => {
        failures = 0
        waitMs = 0
        return SubscriptionRef.update(ref, (last): Snapshot => ({
          ...last,
          state: { _tag: "Connecting", attempt: 1 },
          node: null
        }))
      },
      onFailure: ({ message }) => absent(message, ++failures)
    })
  )
  const pause = Effect.suspend(() => (waitMs > 0 ? Effect.sleep(waitMs) : Effect.void))
  const life = again(`fleet: the place of server '${server}'`, pause, stayed)
  yield* Effect.forkScoped(after === undefined ? life : Effect.andThen(after.gone, life))
  yield* Effect.addFinalizer(() =>
    SubscriptionRef.update(ref, (last): Snapshot => ({ ...last, state: { _tag: "Closed" } }))
  )

  // ---- uses --------------------------------------------------------------------------------------------------------

  /** Where it lives, if that is not the place `before`. */
  const nextAfter = (before: Home | undefined): Effect.Effect<Home | undefined> => {
    const next = SubscriptionRef.changes(home).pipe(
      Stream.filter((now) => now !== undefined && now !== before),
      Stream.runHead,
      Effect.map((found) => (found._tag === "Some" ? found.value : undefined))
    )
    const within = (duration: number, orElse: () => typeof next) => Effect.timeoutOrElse(next, { duration, orElse })
    // A node that drains keeps its process until the calls under way there have ended. It says no before others hear that it drains.
    const isDraining = () => before !== undefined && fleet.node(before.place.node.name)?.state === "draining"
    const none = () => Effect.undefined
    return within(PLACING_MS, () => (isDraining() ? within(HAND_OVER_MS, none) : none()))
  }

  const unavailable = (detail: string) =>
    new ServerUnavailable({ server, state: "restarting", detail, retryInMs: PLACING_RETRY_MS })

  const confirmed = Effect.timeoutOrElse(fleet.confirmed, {
    duration: LISTENER_CONFIRM_MS,
    orElse: () => unavailable("this node has to be confirmed by its fleet")
  })

  const connectionOf = (now: Extract<Home, { readonly kind: "far" }>): ServerConnection | undefined => {
    const { state } = snapshot()
    if (state._tag !== "Ready") return undefined
    return farConnection(now, {
      config,
      info: state.info,
      catalogue: () => snapshot().catalogue,
      nextAfter,
      isCurrent: fleet.isCurrent
    })
  }

  const ready = SubscriptionRef.changes(ref).pipe(
    Stream.filter(({ state }) => state._tag === "Ready"),
    Stream.runHead,
    Effect.timeoutOrElse({ duration: PLACING_MS, orElse: () => Effect.void })
  )

  const used = <A, E, R>(
    use: (connection: ServerConnection) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | ServerUnavailable, R> =>
    Effect.suspend(() => {
      const now = SubscriptionRef.getUnsafe(home)
      if (now === undefined) {
        return Effect.flatMap(nextAfter(undefined), (found) =>
          found === undefined ? Effect.fail(unavailable("no node has been found where it can run")) : used(use)
        )
      }
      // Whoever was frozen may have been replaced: then this place ends before the node is current again.
      if (!fleet.isCurrent()) return Effect.andThen(confirmed, used(use))
      if (now.kind === "near") {
        // It was given up, and its next place is being found.
        const isOver = () => now.isOver() || !isSameNode(now.place.node, fleet.self)
        const elsewhere = Effect.flatMap(nextAfter(now), (found) =>
          found === undefined ? Effect.fail(unavailable(MOVES)) : used(use)
        )
        if (isOver()) return elsewhere
        return Effect.catchIf(
          // It may have waited for the connection meanwhile.
          now.server.use((connection): Effect.Effect<A, E | ServerUnavailable, R> =>
            isOver() ? Effect.fail(unavailable(MOVES)) : use(connection)
          ),
          (error) => isOver() && hasNotLeft(error),
          () => elsewhere
        )
      }
      const connection = connectionOf(now)
      if (connection !== undefined) return use(connection)
      return now.client.ServerReady({ place: now.place }).pipe(
        Effect.catchTag(["RpcClientError", "NotHere"], () => Effect.asVoid(nextAfter(now))),
        Effect.andThen(ready),
        Effect.andThen(
          Effect.suspend(() => {
            const next = SubscriptionRef.getUnsafe(home)
            if (next?.kind === "near") return next.server.use(use)
            const opened = next === undefined ? undefined : connectionOf(next)
            return opened === undefined ? Effect.fail(unavailable("its process is not ready")) : use(opened)
          })
        )
      )
    })

  const act = (action: Action): Effect.Effect<void> =>
    Effect.suspend(() => {
      const now = SubscriptionRef.getUnsafe(home)
      if (now === undefined) return Effect.void
      return now.kind === "near"
        ? now.server[action]
        : Effect.ignore(now.client.ServerAct({ place: now.place, action }))
    })

  const watched = yield* makeWatched(server, home, homes)

  return {
    config,
    snapshot,
    changes: SubscriptionRef.changes(ref),
    use: (use) =>
      Effect.suspend(() => {
        uses++
        return Effect.ensuring(
          used(use),
          Effect.sync(() => void uses--)
        )
      }),
    wake: act("wake"),
    settled: SubscriptionRef.changes(ref).pipe(
      Stream.filter(({ state }) => SETTLED.has(state._tag)),
      Stream.runHead,
      Effect.asVoid
    ),
    refresh: act("refresh"),
    prepare: Effect.suspend(() => {
      const now = SubscriptionRef.getUnsafe(home)
      return now?.kind === "near" ? now.server.prepare : Effect.void
    }),
    ...watched,
    reset: act("reset"),
    quiet: Effect.suspend(function again(): Effect.Effect<void> {
      return uses === 0 ? Effect.void : Effect.andThen(Effect.sleep(50), Effect.suspend(again))
    }),
    renew: act("renew"),
    stop: act("stop")
  }
})
