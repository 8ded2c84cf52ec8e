/** The fleet that this process has joined, if it has joined one. */
import * as Context from "effect/Context"
import type { FleetConfig } from "../../schemas/fleet/FleetConfig.ts"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import type { CallsOfDead } from "./CallsOfDead.ts"
import type { Database } from "./Database.ts"

/** What every node of a fleet has. */
export type FleetServices = Database | CallsOfDead

export interface Node {
  readonly self: NodeId
  readonly config: FleetConfig
  readonly services: Context.Context<FleetServices>
}

/** The fleet that this process has joined; `undefined` where it is one process by itself. */
export class Joined extends Context.Reference<Node | undefined>("mcp-live/services/Joined", {
  defaultValue: () => undefined
}) {}
