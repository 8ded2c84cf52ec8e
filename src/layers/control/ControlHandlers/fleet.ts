/** The fleet that this gateway is a node of, if it is one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { FleetValue } from "../../../schemas/control/FleetValue.ts"
import type { FleetNode } from "../../../schemas/fleet/Node.ts"
import { Fleet } from "../../../services/fleet/Fleet.ts"
import { Joined } from "../../../services/fleet/Joined.ts"

/** A name may have had several lives: the one that goes on counts, or else the last one. */
const lastLives = (nodes: ReadonlyArray<FleetNode>): ReadonlyArray<FleetNode> => {
  const isLater = (one: FleetNode, other: FleetNode) =>
    (one.state === "dead") === (other.state === "dead") ? one.startedAt > other.startedAt : other.state === "dead"
  const byName = new Map<string, FleetNode>()
  for (const node of nodes) {
    const known = byName.get(node.name)
    if (known === undefined || isLater(node, known)) byName.set(node.name, node)
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export const makeFleetView = Effect.map(Joined, (joined) => {
  const fleet = joined === undefined ? undefined : Context.get(joined.services, Fleet)
  return {
    look: Effect.sync((): FleetValue | null =>
      fleet === undefined ? null : { self: fleet.self.name, nodes: lastLives(fleet.nodes()) }
    ),
    drain: (node: string) => (fleet === undefined ? Effect.succeed(false) : fleet.drain(node))
  }
})
