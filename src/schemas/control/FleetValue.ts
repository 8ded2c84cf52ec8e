/** A fleet as one of its nodes sees it. */
import * as Schema from "effect/Schema"
import { FleetNode } from "../fleet/Node.ts"

export const FleetValue = Schema.Struct({
  /** The name of the node that answers. */
  self: Schema.String,
  /** Sorted by name; of a node that started again, the living incarnation, else the last one. */
  nodes: Schema.Array(FleetNode)
})
export type FleetValue = typeof FleetValue.Type
