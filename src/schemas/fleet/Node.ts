/** A node of a fleet: one process of mcp-live that shares a database with others. */
import * as Schema from "effect/Schema"

/** The letters of a node's name: it is a part of session ids, which are header values. */
export const NODE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

export const NodeName = Schema.String.check(Schema.isPattern(NODE_NAME))

/**
 * One life of a node. A node that starts again has its name, but is another incarnation: nothing of the earlier one lives on in it.
 */
export const NodeId = Schema.Struct({ name: NodeName, incarnation: Schema.String })
export type NodeId = typeof NodeId.Type

/** `draining` takes no new sessions and servers. `dead` was not heard of for so long that others take over what it had. */
export const NODE_STATES = ["alive", "draining", "dead"] as const

export const FleetNode = Schema.Struct({
  ...NodeId.fields,
  /** Where other nodes reach it: `10.0.0.5:7731`. */
  address: Schema.String,
  version: Schema.String,
  state: Schema.Literals(NODE_STATES),
  /** Milliseconds since 1970. */
  startedAt: Schema.Finite,
  seenAt: Schema.Finite,
  load: Schema.Struct({
    sessions: Schema.Int,
    servers: Schema.Int,
    callsInFlight: Schema.Int
  })
})
export type FleetNode = typeof FleetNode.Type

export const isSameNode = (one: NodeId, other: NodeId): boolean =>
  one.name === other.name && one.incarnation === other.incarnation
