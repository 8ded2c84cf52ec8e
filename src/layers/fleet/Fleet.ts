/**
 * The membership of this process in its fleet: a row that says each second that it lives, and one connection to each other node. A node is
 * dead when its place is refused (its process is gone), or when its row has expired and it does not answer. Its death is written once; a node
 * that finds its own death written gives up what it had, and goes on as another incarnation.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { HEARTBEAT_MS } from "../../schemas/defaults/FleetNodes.ts"
import { FleetRefused } from "../../schemas/fleet/FleetError.ts"
import type { FleetNode, NodeId } from "../../schemas/fleet/Node.ts"
import { Database } from "../../services/fleet/Database.ts"
import { Fleet, type Load } from "../../services/fleet/Fleet.ts"
import { PeerDoor, type PeerRefused } from "../../services/fleet/PeerDoor.ts"
import { again, roundsOf } from "../../system/rounds.ts"
import { join } from "./Fleet/join.ts"
import { makePresence } from "./Fleet/presence.ts"
import { makeRows, NO_LOAD, type Known } from "./Fleet/rows.ts"
import { makeWatch } from "./Fleet/watch.ts"

export interface Options {
  readonly name: string
  /** Where other nodes reach this one, given its port. */
  readonly address: (port: number) => string
  readonly version: string
}

const shapeOf = (nodes: ReadonlyArray<FleetNode>): string =>
  nodes.map(({ address, incarnation, state }) => `${incarnation} ${state} ${address}`).join("\n")

const make = Effect.fnUntraced(function* ({ address: addressOf, name, version }: Options) {
  const door = yield* PeerDoor
  const database = yield* Database
  const rows = makeRows(database)
  const presence = makePresence()
  const deaths = yield* PubSub.unbounded<NodeId>()
  const changes = yield* PubSub.sliding<void>(1)
  const draining = yield* Deferred.make<void>()
  const checks = yield* FiberMap.make<string>()
  const loads = new Set<() => Partial<Load>>()
  const givesUp = new Set<Effect.Effect<void>>()
  /** Incarnations that are dead, and those of them whose death is not written yet. */
  const buried = new Set<string>()
  const unwritten = new Map<string, NodeId>()
  let nodes: ReadonlyArray<FleetNode> = []
  let self: NodeId = { name, incarnation: "0" }
  let isDraining = false
  let wake: () => void = () => {}

  const stateOf = (node: FleetNode): FleetNode => (buried.has(node.incarnation) ? { ...node, state: "dead" } : node)
  const others = () => nodes.filter(({ incarnation, state }) => state !== "dead" && incarnation !== self.incarnation)
  const load = (): Load => Object.assign({ ...NO_LOAD }, ...[...loads].map((part) => part()))

  /** What is known of the nodes changes here alone. */
  const learn = (next: ReadonlyArray<FleetNode>) => {
    const [before, after] = [nodes, next.map(stateOf)]
    nodes = after
    return shapeOf(before) === shapeOf(after) ? Effect.void : Effect.asVoid(PubSub.publish(changes, undefined))
  }

  const dead = (node: NodeId) =>
    Effect.suspend(() => {
      if (buried.has(node.incarnation)) return Effect.void
      buried.add(node.incarnation)
      return Effect.logWarning(`fleet: node '${node.name}' is dead`).pipe(
        Effect.andThen(learn(nodes)),
        Effect.andThen(PubSub.publish(deaths, { name: node.name, incarnation: node.incarnation })),
        Effect.andThen(Effect.sync(() => wake()))
      )
    })

  const write = (node: NodeId) =>
    rows.bury(node, "gone").pipe(Effect.andThen(Effect.sync(() => unwritten.delete(node.incarnation))), Effect.ignore)

  /** Its process is gone. That is known without the database, which is told as soon as it is there. */
  const gone = (node: FleetNode) =>
    Effect.suspend(() => {
      unwritten.set(node.incarnation, node)
      return Effect.andThen(dead(node), write(node))
    })

  const watch = yield* makeWatch({
    door,
    now: presence.now,
    isAlive: (asker) => nodes.some(({ incarnation, state }) => incarnation === asker.incarnation && state !== "dead"),
    answered: presence.confirm,
    doubted: () => wake(),
    lost: (node: FleetNode, { reason }: PeerRefused) => (reason === "gone" ? gone(node) : Effect.void)
  })

  /** Whether a node that was not seen for long still lives. */
  const check = (node: FleetNode) =>
    watch.answers(node).pipe(
      Effect.asVoid,
      Effect.catch(({ reason }) =>
        reason === "gone"
          ? gone(node)
          : rows.bury(node, "expired").pipe(
              Effect.flatMap((isDead) => (isDead ? dead(node) : Effect.void)),
              // Without the database nobody can tell whether this node or the other one is cut off.
              Effect.ignore
            )
      )
    )

  const enter = Effect.suspend(() => {
    const askedAt = presence.now()
    return join({ name, address: addressOf(door.port), version, rows, door, answers: watch.answers }).pipe(
      Effect.tap((joined) =>
        Effect.sync(() => {
          self = joined
          presence.begin(askedAt)
        })
      )
    )
  })

  /** Others have taken this node for dead. */
  const replaced = Effect.gen(function* () {
    const before = self
    presence.replaced()
    yield* Effect.logWarning("fleet: this node was taken for dead: it gives up what it had, and joins again")
    yield* Effect.forEach(givesUp, (giveUp) => giveUp, { concurrency: "unbounded", discard: true })
    yield* dead(before)
    yield* enter
    if (isDraining) yield* rows.drain(name)
  }).pipe(Effect.catch((error) => Effect.logWarning(`fleet: this node cannot join again yet: ${error.message}`)))

  const seen = Effect.fnUntraced(function* (all: ReadonlyArray<Known>) {
    yield* learn(all.map(({ node }) => node))
    const listed = new Set(nodes.map(({ incarnation }) => incarnation))
    for (const incarnation of buried)
      if (!listed.has(incarnation) && !unwritten.has(incarnation)) buried.delete(incarnation)
    const own = all.find(({ node }) => node.incarnation === self.incarnation)
    if (own?.node.state === "draining" && !isDraining) {
      isDraining = true
      yield* Deferred.succeed(draining, undefined)
    }
    yield* Effect.forEach(
      all.filter(({ node }) => node.state === "dead" && node.incarnation !== self.incarnation),
      ({ node }) => dead(node),
      { discard: true }
    )
    door.expect(others().map(({ address }) => address))
    yield* watch.follow(others())
    yield* Effect.forEach(
      all.filter(({ expired, node }) => expired && others().some((other) => other.incarnation === node.incarnation)),
      ({ node }) => FiberMap.run(checks, node.incarnation, check(node), { onlyIfMissing: true }),
      { discard: true }
    )
  })

  /**
   * Without the database a node goes on as long as others say that it lives, or nobody is left who could take its place. Apart from the
   * heartbeat, which may wait for a database that does not answer.
   */
  const ask = Effect.sync(() => {
    watch.ask()
    if (others().length === 0 && presence.isCurrent()) presence.confirm(presence.now())
  })

  const beat = Effect.gen(function* () {
    const askedAt = presence.now()
    yield* Effect.forEach([...unwritten.values()], write, { discard: true })
    const { all, isOurs } = yield* rows.beat(self, load())
    if (!isOurs) return yield* replaced
    presence.confirm(askedAt)
    yield* seen(all)
    return undefined
  }).pipe(Effect.ignore, roundsOf("fleet: the heartbeat"))

  const pause = Effect.callback<void>((resume) => {
    wake = () => resume(Effect.void)
    return Effect.sync(() => void (wake = () => {}))
  }).pipe(Effect.timeoutOrElse({ duration: HEARTBEAT_MS, orElse: () => Effect.void }))

  yield* Effect.catchTag(enter, "DatabaseAway", ({ message }) => new FleetRefused({ detail: message }))
  yield* Effect.addFinalizer(() => Effect.suspend(() => rows.bury(self, "gone")).pipe(Effect.ignore))
  yield* beat
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, beat)))
  yield* Effect.forkScoped(again("fleet: asking the other nodes", HEARTBEAT_MS / 2, ask))
  yield* database.heard("nodes").pipe(
    Stream.runForEach(() => Effect.sync(() => wake())),
    Effect.forkScoped
  )

  return Fleet.of({
    get self() {
      return self
    },
    nodes: () => nodes,
    node: (wanted) => nodes.find((node) => node.name === wanted && node.state !== "dead"),
    deaths: Stream.fromPubSub(deaths),
    changes: Stream.fromPubSub(changes),
    isCurrent: presence.isCurrent,
    confirmed: Effect.callback<void>((resume) => {
      if (presence.isCurrent()) return resume(Effect.void)
      const stop = presence.onConfirmed(() => {
        stop()
        resume(Effect.void)
      })
      return Effect.sync(stop)
    }),
    onReplaced: (giveUp) =>
      Effect.acquireRelease(
        Effect.sync(() => void givesUp.add(giveUp)),
        () => Effect.sync(() => void givesUp.delete(giveUp))
      ),
    isDraining: () => isDraining,
    draining: Deferred.await(draining),
    drain: (wanted) =>
      Effect.tap(rows.drain(wanted), (found) =>
        Effect.suspend(() => {
          if (!found || wanted !== name) return Effect.void
          isDraining = true
          return Deferred.succeed(draining, undefined)
        })
      ),
    reports: (part) => void loads.add(part)
  })
})

/** A node for as long as the Scope is open; afterwards it says that it is gone. */
export const layer = (options: Options): Layer.Layer<Fleet, FleetRefused, PeerDoor | Database> =>
  Layer.effect(Fleet, make(options))
