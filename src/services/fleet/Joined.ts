/** The fleet that this process has joined, if it has joined one. */
import * as Context from "effect/Context"
import type { FleetConfig } from "../../schemas/fleet/FleetConfig.ts"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import type { CallsOfDead } from "./CallsOfDead.ts"
import type { ConversationStore } from "../agent/ConversationStore.ts"
import type { ApprovalStore } from "../call/ApprovalStore.ts"
import type { CallPlaces } from "../call/CallPlaces.ts"
import type { CallTokens } from "../call/CallTokens.ts"
import type { QuotaStore } from "../call/QuotaStore.ts"
import type { PinStore } from "../call/PinStore.ts"
import type { ResultTexts } from "../call/ResultTexts.ts"
import type { CredentialStore } from "../login/CredentialStore.ts"
import type { Database } from "./Database.ts"
import type { Fleet } from "./Fleet.ts"
import type { HomeCallers } from "./HomeServers.ts"
import type { NodeControl } from "./NodeControl.ts"
import type { PageLogouts } from "./PageLogouts.ts"
import type { PeerDoor } from "./PeerDoor.ts"
import type { Peers } from "./Peers.ts"
import type { Placements } from "./Placements.ts"
import type { Leases } from "./Leases.ts"

/** What the nodes of a fleet store together. */
export type StoreServices =
  | ApprovalStore
  | PinStore
  | CredentialStore
  | CallTokens
  | CallPlaces
  | QuotaStore
  | ResultTexts
  | ConversationStore
  | PageLogouts
  | Leases

/** What every node of a fleet has. */
export type FleetServices =
  | Database
  | Fleet
  | PeerDoor
  | Peers
  | NodeControl
  | Placements
  | HomeCallers
  | CallsOfDead
  | StoreServices

export interface Node {
  readonly self: NodeId
  readonly config: FleetConfig
  /** Encrypts the sessions of people on the page. */
  readonly pageKey: Buffer
  readonly services: Context.Context<FleetServices>
}

/** The fleet that this process has joined; `undefined` where it is one process by itself. */
export class Joined extends Context.Reference<Node | undefined>("mcp-live/services/Joined", {
  defaultValue: () => undefined
}) {}
