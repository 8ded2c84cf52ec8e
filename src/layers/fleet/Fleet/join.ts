/** Takes the name of this node. An earlier incarnation that is gone makes room; one that lives is never replaced. */
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { HEARTBEAT_MS, NODE_EXPIRES_MS } from "../../../schemas/defaults/FleetNodes.ts"
import { type DatabaseAway, FleetRefused } from "../../../schemas/fleet/FleetError.ts"
import type { FleetNode, NodeId } from "../../../schemas/fleet/Node.ts"
import type { PeerDoor, PeerRefused } from "../../../services/fleet/PeerDoor.ts"
import type { Rows, Seat } from "./rows.ts"

const incarnation = (): string => randomBytes(8).toString("hex")

const DIALS_AT_ONCE = 32

export interface Joining extends Seat {
  readonly name: string
  readonly rows: Rows
  readonly door: PeerDoor["Service"]
  readonly answers: (node: FleetNode) => Effect.Effect<true, PeerRefused>
}

const twice = ({ address, name }: FleetNode) =>
  new FleetRefused({
    detail: `a node named '${name}' is running already, at ${address}: give this one another name in "fleet.name"`
  })

/** One that speaks no contract of this one could pass nothing on to it: neither is of use to the other. */
const checkVersions = ({ answers, name, rows, version }: Joining) =>
  Effect.gen(function* () {
    const others = yield* rows.present(name)
    const strange = yield* Effect.forEach(
      others,
      (node) =>
        answers(node).pipe(
          Effect.as([]),
          Effect.catch(({ reason }) => Effect.succeed(reason === "version" ? [node] : []))
        ),
      { concurrency: DIALS_AT_ONCE }
    )
    const [other] = strange.flat()
    if (other === undefined) return
    return yield* new FleetRefused({
      detail: `node '${other.name}' runs mcp-live ${other.version}, which cannot work with this version, ${version}: bring all nodes to a version between them first`
    })
  })

/** Longer than a node needs to be seen again, or to expire. */
const TRIES = Math.ceil((2 * NODE_EXPIRES_MS) / HEARTBEAT_MS)

/** A new incarnation of this node, whose row is written. */
export const join = (joining: Joining) =>
  Effect.gen(function* (): Effect.fn.Return<NodeId, FleetRefused | DatabaseAway> {
    const { address, answers, door, name, rows, version } = joining
    const self = { name, incarnation: incarnation() }
    // Connections for the one before are refused from now on.
    door.become(self)
    yield* checkVersions(joining)
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (yield* rows.enter(self, { address, version })) return self
      const found = yield* rows.living(name)
      if (found === undefined) continue
      const { expired, node } = found
      const reason = yield* answers(node).pipe(
        Effect.as("lives" as const),
        Effect.catch(({ reason }) => Effect.succeed(reason))
      )
      if (reason === "lives" || (reason === "version" && !expired)) return yield* twice(node)
      // At its own address every node finds only itself, so that says nothing of a machine whose address is the same by mistake.
      const isSure = reason === "gone" && node.address !== address
      if (isSure || expired) yield* rows.bury(node, isSure ? "gone" : "expired")
      else yield* Effect.sleep(HEARTBEAT_MS)
    }
    const found = yield* rows.living(name)
    return yield* found === undefined
      ? new FleetRefused({ detail: `the name '${name}' of this node cannot be taken: try again` })
      : twice(found.node)
  })
