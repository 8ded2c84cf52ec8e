/**
 * The server processes that live at this node. Each is leased from the pool of this process when the first one needs it, and stays for a while
 * after other nodes have stopped using it. Whoever names another incarnation or an earlier epoch is refused before anything is done; when this
 * node has been replaced or hands over, all of them end.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { poolKeyOf } from "../../schemas/connection/Isolation.ts"
import { ConnectionLost, type RequestError } from "../../schemas/connection/RequestError.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import {
  FAR_EVENTS_WAITING_MAX,
  FAR_LEASE_GRACE_MS,
  HAND_OVER_MS,
  PLACING_MS
} from "../../schemas/defaults/FleetNodes.ts"
import { hasNotLeft } from "../../schemas/fleet/hasNotLeft.ts"
import { isSameNode } from "../../schemas/fleet/Node.ts"
import { type LeaseEvent, NotHere, type Place } from "../../schemas/fleet/ServerRpcs.ts"
import type { ServerConnection } from "../../services/connection/ServerConnector.ts"
import type { SupervisedServer } from "../../services/connection/ServerPool.ts"
import { Fleet } from "../../services/fleet/Fleet.ts"
import {
  type FarRequest,
  type HomeCaller,
  HomeCallers,
  HomeServers,
  NearPool,
  OwnCaller
} from "../../services/fleet/HomeServers.ts"
import { SessionDirectory } from "../../services/listener/SessionDirectory.ts"
import { Placements } from "../../services/fleet/Placements.ts"
import { makeKeyedMutex } from "../../system/keyedMutex.ts"
import { roundsOf } from "../../system/rounds.ts"
import { makeQuestions } from "./HomeServers/questions.ts"
import { snapshotEvents } from "./HomeServers/snapshots.ts"

interface Home {
  readonly place: Place
  readonly server: SupervisedServer
  readonly scope: Scope.Closeable
  readonly ended: Deferred.Deferred<void>
  holders: number
  /** No call leaves for it any more. */
  isOver: boolean
}

/** A server of the newest revision asks in its answer, and so whoever it answers. */
const asOwn = <A, E, R>(caller: HomeCaller, { info }: ServerConnection, use: Effect.Effect<A, E, R>) =>
  info.era === "modern" ? Effect.provideService(use, OwnCaller, caller) : use

const notHere = (detail: string) => new NotHere({ detail })

const make = Effect.gen(function* () {
  const fleet = yield* Fleet
  const pool = yield* NearPool
  const placements = yield* Placements
  const callers = yield* HomeCallers
  const scope = yield* Effect.scope
  const { inTurn } = yield* makeKeyedMutex
  const homes = new Map<string, Home>()
  /** What the holder of a lease is told besides the state of the server. */
  const leases = new Map<string, Queue.Queue<LeaseEvent>>()
  const questions = makeQuestions()
  let isLeaving = false

  const end = (home: Home) =>
    Effect.suspend(() => {
      home.isOver = true
      if (homes.get(home.place.key) === home) homes.delete(home.place.key)
      return Effect.andThen(Deferred.succeed(home.ended, undefined), Scope.close(home.scope, Exit.void))
    })

  /** Whether this node may answer for a place at all. */
  const judge = ({ node }: Place): NotHere | undefined => {
    if (!isSameNode(node, fleet.self)) return notHere("the node is another incarnation now")
    return fleet.isCurrent() ? undefined : notHere("the node is not sure that it still counts as alive")
  }

  /** Without another node that takes them, servers live here until this one ends. */
  const hasSuccessor = () => fleet.nodes().some((node) => node.state === "alive" && !isSameNode(node, fleet.self))
  const admit = (place: Place): NotHere | undefined =>
    judge(place) ?? (isLeaving && hasSuccessor() ? notHere("the node hands over what it has") : undefined)

  const opened = (place: Place, config: ServerConfig) =>
    Effect.gen(function* () {
      const before = homes.get(place.key)
      if (before !== undefined && before.place.epoch === place.epoch) return before
      // Whoever asks may have been asleep: what is decided stands in the database.
      placements.forget(place)
      const decided = yield* Effect.mapError(placements.placeOf(place.key), ({ message }) => notHere(message))
      if (decided.epoch !== place.epoch || !isSameNode(decided.node, fleet.self))
        return yield* notHere("it lives elsewhere")
      if (before !== undefined) yield* end(before)
      const own = yield* Scope.fork(scope)
      const server = yield* Scope.provide(pool.lease(config), own)
      const home: Home = { place, server, scope: own, ended: yield* Deferred.make<void>(), holders: 0, isOver: false }
      homes.set(place.key, home)
      return home
    })

  const hold = (place: Place, config: ServerConfig, graceMs: number) =>
    Effect.acquireRelease(
      inTurn(
        place.key,
        Effect.suspend(() => {
          const wrong = admit(place)
          if (wrong !== undefined) return Effect.fail(wrong)
          return Effect.tap(opened(place, config), (home) => Effect.sync(() => void home.holders++))
        })
      ),
      (home) =>
        Effect.suspend(() => {
          home.holders--
          const unlessUsed = Effect.suspend(() => (home.holders === 0 ? end(home) : Effect.void))
          if (home.holders > 0) return Effect.void
          return graceMs === 0 ? unlessUsed : Effect.asVoid(Effect.forkIn(Effect.delay(unlessUsed, graceMs), scope))
        })
    )

  /** Whoever was frozen finds out first whether others have taken its place: a refusal would send callers away for nothing. */
  const certain = Effect.suspend(() =>
    fleet.isCurrent() ? Effect.void : Effect.asVoid(Effect.timeoutOption(fleet.confirmed, PLACING_MS))
  )

  const at = Effect.fnUntraced(function* (place: Place) {
    yield* certain
    const wrong = admit(place)
    if (wrong !== undefined) return yield* wrong
    const home = homes.get(place.key)
    return home !== undefined && home.place.epoch === place.epoch ? home : yield* notHere("it has not been leased here")
  })

  /** One may leave in the moment in which it is quiet; all later ones find that it is over. */
  const quietly = (home: Home) =>
    home.server.quiet.pipe(
      Effect.andThen(Effect.sync(() => void (home.isOver = true))),
      Effect.andThen(home.server.quiet)
    )

  /** The others wait for what is under way, and go elsewhere then. */
  const leave = (home: Home) =>
    hasSuccessor()
      ? Effect.timeoutOption(quietly(home), HAND_OVER_MS).pipe(
          Effect.andThen(Effect.sync(() => void (home.isOver = true))),
          Effect.andThen(placements.free(home.place)),
          Effect.ensuring(end(home))
        )
      : Effect.timeoutOption(home.server.quiet, HAND_OVER_MS)

  const handOver = yield* Effect.cached(
    Effect.suspend(() => {
      isLeaving = true
      // A mistake with one keeps neither the others here nor the node from its end.
      const rounds = roundsOf("fleet: handing a server over")
      return Effect.forEach([...homes.values()], (home) => rounds(leave(home)), {
        concurrency: "unbounded",
        discard: true
      })
    })
  )

  const giveUp = Effect.suspend(() =>
    Effect.forEach([...homes.values()], end, { concurrency: "unbounded", discard: true })
  )
  yield* fleet.onReplaced(giveUp)
  yield* Effect.forkScoped(Effect.andThen(fleet.draining, handOver))
  // The node does not end before that is done.
  const directory = (yield* SessionDirectory).current
  if (directory !== undefined) yield* directory.onDrain(handOver)
  fleet.reports(() => ({ servers: homes.size }))

  /** A server as a caller uses it: while that has its connection, the server may ask about its call. */
  const usedBy = (caller: HomeCaller, { place, server }: Home): SupervisedServer => ({
    ...server,
    use: (use) =>
      server.use((connection) => callers.calling(place.key, caller, asOwn(caller, connection, use(connection))))
  })

  const request = Effect.fnUntraced(function* (place: Place, { call, lease, method, options, params }: FarRequest) {
    const home = yield* at(place)
    const events = leases.get(lease)
    const tell = (event: LeaseEvent) => events !== undefined && Queue.offerUnsafe(events, event)
    const onProgress = options.progress
      ? (report: Record<string, unknown>) => void tell({ _tag: "Progress", call, params: report })
      : undefined
    const server = usedBy({ node: lease, ask: questions.asking(tell, call) }, home)
    const { progress: _, ...rest } = options
    const value = yield* server
      .use(
        Effect.fnUntraced(function* (connection): Effect.fn.Return<unknown, NotHere | RequestError> {
          // It may have waited for the connection meanwhile.
          yield* certain
          if (home.isOver) return yield* notHere("its process ends here")
          const wrong = judge(place)
          if (wrong !== undefined) return yield* wrong
          return yield* connection.request(method, params, { ...rest, onProgress })
        })
      )
      .pipe(
        Effect.catchIf(
          (error) => home.isOver && hasNotLeft(error),
          () => Effect.fail(notHere("its process has ended here"))
        )
      )
    yield* certain
    if (isSameNode(place.node, fleet.self) && fleet.isCurrent()) return value
    return yield* new ConnectionLost({
      server: server.config.name,
      detail: "its node may have lost its place in the fleet",
      maybeExecuted: true
    })
  })

  return HomeServers.of({
    near: (place, config) =>
      Effect.map(hold(place, config, 0), (home) => ({
        server: usedBy({ node: fleet.self.name }, home),
        ended: Deferred.await(home.ended),
        isOver: () => home.isOver
      })),
    far: (place, lease, config) =>
      Stream.unwrap(
        Effect.gen(function* () {
          if (poolKeyOf(config) !== place.key) return yield* notHere("the server is configured in another way here")
          const home = yield* hold(place, config, FAR_LEASE_GRACE_MS)
          const events = yield* Effect.acquireRelease(
            Queue.dropping<LeaseEvent>(FAR_EVENTS_WAITING_MAX),
            Queue.shutdown
          )
          yield* Effect.acquireRelease(
            Effect.sync(() => leases.set(lease, events)),
            () => Effect.sync(() => leases.delete(lease))
          )
          return Stream.merge(snapshotEvents(home.server), Stream.fromQueue(events)).pipe(
            Stream.interruptWhen(Deferred.await(home.ended))
          )
        })
      ),
    request,
    answer: questions.answer,
    // It listens already while the server is asked, and what was missed is told after that: so nothing gets lost between.
    updates: (place, uris, missed) =>
      Stream.unwrap(
        Effect.map(at(place), ({ server }) =>
          Stream.merge(
            server.resourceUpdates,
            Stream.unwrap(
              Effect.as(server.watchResources(uris), Stream.concat(Stream.fromIterable(missed), Stream.never))
            )
          )
        )
      ),
    at: (place) => Effect.map(at(place), ({ server }) => server),
    handOver
  })
})

export const layer: Layer.Layer<HomeServers, never, Fleet | NearPool | Placements | HomeCallers> = Layer.effect(
  HomeServers,
  make
)
