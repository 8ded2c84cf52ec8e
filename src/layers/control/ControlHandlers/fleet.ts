/** The fleet that this gateway is a node of, if it is one: its nodes, and what each says of itself. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { UnknownAgent } from "../../../schemas/call/UnknownAgent.ts"
import type { FleetValue } from "../../../schemas/control/FleetValue.ts"
import type { NodeLogsValue, NodesValue, NodeValue } from "../../../schemas/control/NodesValue.ts"
import type { PastLogsRequest, PastLogsValue, PastUnreadable } from "../../../schemas/control/Past.ts"
import type { FleetNode } from "../../../schemas/fleet/Node.ts"
import { Fleet } from "../../../services/fleet/Fleet.ts"
import { Joined } from "../../../services/fleet/Joined.ts"
import { NodeControl } from "../../../services/fleet/NodeControl.ts"
import type { About } from "./runtimes.ts"

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

/** What this gateway says of itself. */
export interface OwnView {
  readonly runs: (about: About) => Effect.Effect<Pick<NodeValue, "servers" | "own">, UnknownAgent>
  readonly logs: (asked: PastLogsRequest) => Effect.Effect<PastLogsValue, PastUnreadable>
}

export const makeFleetView = ({ logs: ownLogs, runs }: OwnView) =>
  Effect.map(Joined, (joined) => {
    const fleet = joined === undefined ? undefined : Context.get(joined.services, Fleet)
    const others = joined === undefined ? undefined : Context.get(joined.services, NodeControl)

    const nodes = Effect.fnUntraced(function* (about: About) {
      if (fleet === undefined || others === undefined) return null
      const [own, said] = yield* Effect.all(
        [
          runs(about),
          others.askOthers((client) => Effect.all({ servers: client.Figures(about), own: client.Own(about) }))
        ],
        { concurrency: "unbounded" }
      )
      const { self } = fleet
      const told = new Map<string, Pick<NodeValue, "servers" | "own" | "silent">>([[self.incarnation, own]])
      for (const one of said) told.set(one.node.incarnation, one._tag === "Said" ? one.value : { silent: one.detail })
      const seen = lastLives(fleet.nodes()).map((node) => ({ ...node, ...told.get(node.incarnation) }))
      return { self: self.name, nodes: seen } satisfies NodesValue
    })

    const logs = Effect.fnUntraced(function* (asked: PastLogsRequest) {
      if (fleet === undefined || others === undefined) return null
      const [own, said] = yield* Effect.all([ownLogs(asked), others.askOthers((client) => client.PastLogs(asked))], {
        concurrency: "unbounded"
      })
      const lines = [
        ...own.lines.map((line) => ({ node: fleet.self.name, line })),
        ...said.flatMap((one) =>
          one._tag === "Said" ? one.value.lines.map((line) => ({ node: one.node.name, line })) : []
        )
      ].toSorted((a, b) => (a.line.time < b.line.time ? -1 : a.line.time > b.line.time ? 1 : 0))
      return {
        lines: lines.slice(-asked.limit),
        silent: said.flatMap((one) => (one._tag === "Silent" ? [{ node: one.node.name, detail: one.detail }] : []))
      } satisfies NodeLogsValue
    })

    return {
      look: Effect.sync((): FleetValue | null =>
        fleet === undefined ? null : { self: fleet.self.name, nodes: lastLives(fleet.nodes()) }
      ),
      nodes,
      logs,
      drain: (node: string) => (fleet === undefined ? Effect.succeed(false) : fleet.drain(node))
    }
  })
