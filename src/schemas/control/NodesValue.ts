/** All nodes of a fleet, each as it sees itself. */
import * as Schema from "effect/Schema"
import { ServerLogLine } from "../connection/ServerLogLine.ts"
import { FleetNode } from "../fleet/Node.ts"
import { FiguresValue, OwnServerValue } from "./FiguresValue.ts"

/** What runs at a node; `silent`: why it did not say so. A node that is dead has neither. */
export const NodeValue = Schema.Struct({
  ...FleetNode.fields,
  servers: Schema.optionalKey(FiguresValue),
  own: Schema.optionalKey(Schema.Array(OwnServerValue)),
  silent: Schema.optionalKey(Schema.String)
})
export type NodeValue = typeof NodeValue.Type

export const NodesValue = Schema.Struct({
  /** The name of the node that answers. */
  self: Schema.String,
  /** Sorted by name, as in `FleetValue`. */
  nodes: Schema.Array(NodeValue)
})
export type NodesValue = typeof NodesValue.Type

/** Lines of the logs about servers of all nodes. */
export const NodeLogsValue = Schema.Struct({
  /** The oldest first. */
  lines: Schema.Array(Schema.Struct({ node: Schema.String, line: ServerLogLine })),
  silent: Schema.Array(Schema.Struct({ node: Schema.String, detail: Schema.String }))
})
export type NodeLogsValue = typeof NodeLogsValue.Type

type Figures = FiguresValue[string]

export interface ServerAtNode {
  readonly server: string
  readonly node: string
  readonly figures: Figures
}

/**
 * Each server where it lives; one that each node has for itself is there once for each node. A server at a node that is silent is there as
 * the node sees it that answers.
 */
export const serversByNode = ({ nodes, self }: NodesValue): ReadonlyArray<ServerAtNode> => {
  const heard = new Set(nodes.flatMap(({ name, servers }) => (servers === undefined ? [] : [name])))
  return nodes
    .flatMap(({ name, servers = {} }) =>
      Object.entries(servers).flatMap(([server, figures]): ReadonlyArray<ServerAtNode> => {
        const { node: home } = figures.status
        if (home === undefined || home === name) return [{ server, node: name, figures }]
        const isTold = home === null || !heard.has(home)
        return isTold && name === self ? [{ server, node: home ?? "-", figures }] : []
      })
    )
    .toSorted((one, other) => (one.server < other.server ? -1 : one.server > other.server ? 1 : 0))
}

/** The same, and what nodes call that has its process elsewhere. */
export const callsByNode = (value: NodesValue): ReadonlyArray<ServerAtNode> => {
  const shown = serversByNode(value)
  const isShown = new Set(shown.map(({ node, server }) => `${node}/${server}`))
  const callers = value.nodes.flatMap(({ name, servers = {} }) =>
    Object.entries(servers)
      .filter(([server, { calls }]) => calls.calls > 0 && !isShown.has(`${name}/${server}`))
      .map(([server, figures]) => ({ server, node: name, figures }))
  )
  return [...shown, ...callers].toSorted((one, other) =>
    one.server < other.server ? -1 : one.server > other.server ? 1 : one.node < other.node ? -1 : 1
  )
}

/** A server and its node in one word of a table. */
export const nameAt = (server: string, node: string): string => `${server} @ ${node}`
