/**
 * One connection to each other node. Its end tells at once that the node may be dead, and its answers confirm this node while the database is
 * away. A question is one byte, and so is the answer: `A` when the one who asks counts as alive there, `D` when it does not.
 */
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type { Duplex } from "node:stream"
import { HEARTBEAT_MS } from "../../../schemas/defaults/FleetNodes.ts"
import type { FleetNode, NodeId } from "../../../schemas/fleet/Node.ts"
import type { PeerDoor, PeerRefused } from "../../../services/fleet/PeerDoor.ts"
import { again } from "../../../system/rounds.ts"

const [ALIVE, DEAD] = [0x41, 0x44]

export interface Watcher {
  readonly door: PeerDoor["Service"]
  readonly now: () => number
  /** Whether an incarnation counts as alive here. */
  readonly isAlive: (node: NodeId) => boolean
  /** A node has answered a question that was asked at this time. */
  readonly answered: (askedAt: number) => void
  /** A node says that this one is dead. */
  readonly doubted: () => void
  /** A connection broke, or was never there, and no other can be opened. */
  readonly lost: (node: FleetNode, refused: PeerRefused) => Effect.Effect<void>
}

export interface Watch {
  /** Watches these nodes, and no others. */
  readonly follow: (nodes: ReadonlyArray<FleetNode>) => Effect.Effect<void>
  /** Asks all of them. */
  readonly ask: () => void
  /** Whether a node answers now. */
  readonly answers: (node: FleetNode) => Effect.Effect<true, PeerRefused>
}

export const makeWatch = Effect.fnUntraced(function* (watcher: Watcher) {
  const { answered, door, doubted, isAlive, lost, now } = watcher
  const links = yield* FiberMap.make<string>()
  const asking = new Map<string, () => void>()

  yield* door.accept("mcp-live-watch", (socket, from) => {
    socket.on("error", () => {})
    socket.on("data", (asked: Uint8Array) => {
      // Answers are small, and who does not read them is of no use.
      if (socket.writableLength > 1_024) socket.destroy()
      else for (let count = 0; count < asked.byteLength; count++) socket.write(Buffer.of(isAlive(from) ? ALIVE : DEAD))
    })
  })

  const dial = (node: FleetNode) =>
    Effect.acquireRelease(door.dial(node.address, node, "mcp-live-watch"), (socket) =>
      Effect.sync(() => void socket.destroy())
    )

  /** Whoever completes a handshake runs. */
  const answers = (node: FleetNode) => Effect.as(Effect.scoped(dial(node)), true as const)

  /** Until the connection ends. */
  const live = (node: FleetNode, socket: Duplex) =>
    Effect.callback<void>((resume) => {
      const asked: Array<number> = []
      const ask = () => {
        if (asked.length > 0) return
        asked.push(now())
        socket.write("?")
      }
      asking.set(node.incarnation, ask)
      const ended = () => {
        if (asking.get(node.incarnation) === ask) asking.delete(node.incarnation)
        resume(Effect.void)
      }
      socket.on("error", () => {})
      socket.on("data", (said: Uint8Array) => {
        for (const byte of said) {
          const at = asked.shift()
          if (byte === ALIVE && at !== undefined) answered(at)
          else doubted()
        }
      })
      if (socket.destroyed) return ended()
      socket.once("close", ended)
      return Effect.sync(ended)
    })

  /** After a connection that ended, the next attempt is made at once; after one that was refused, or ended at once, a little later. */
  const link = (node: FleetNode): Effect.Effect<never> => {
    let waitMs = 0
    const attempt = Effect.gen(function* () {
      waitMs = HEARTBEAT_MS
      const socket = yield* dial(node)
      const since = now()
      yield* live(node, socket)
      if (now() - since >= HEARTBEAT_MS) waitMs = 0
    }).pipe(
      Effect.scoped,
      Effect.catch((refused) => lost(node, refused))
    )
    const pause = Effect.suspend(() => (waitMs > 0 ? Effect.sleep(waitMs) : Effect.void))
    return again(`fleet: the connection that watches node '${node.name}'`, pause, attempt)
  }

  const watch: Watch = {
    follow: (nodes) =>
      Effect.gen(function* () {
        const wanted = new Map(nodes.map((node) => [node.incarnation, node]))
        const present = [...links].map(([incarnation]) => incarnation)
        yield* Effect.forEach(
          present.filter((incarnation) => !wanted.has(incarnation)),
          (incarnation) => FiberMap.remove(links, incarnation),
          { discard: true }
        )
        yield* Effect.forEach(
          nodes,
          (node) => FiberMap.run(links, node.incarnation, link(node), { onlyIfMissing: true }),
          { discard: true }
        )
      }),
    ask: () => {
      for (const ask of asking.values()) ask()
    },
    answers
  }
  return watch
})
