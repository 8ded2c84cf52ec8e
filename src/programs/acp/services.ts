/** What the sessions of one client stand on. */
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk"
import type * as Effect from "effect/Effect"
import type { AcpConfig } from "../../schemas/AcpConfig.ts"
import type { AgentGateway } from "../../services/AgentGateway.ts"
import type { AgentRuntimes } from "../../services/AgentRuntimes.ts"
import type { ContentSanitizer } from "../../services/ContentSanitizer.ts"
import type { SessionTools } from "../../services/SessionTools.ts"
import type { Client } from "./updates.ts"

/** The client at the other end. */
export interface ClientDoor {
  readonly shows: Client
  /** Words of the agent. */
  readonly words: (text: string) => SessionUpdate
  /** A client that is gone is told nothing, and that is no failure. */
  readonly update: (sessionId: string, update: SessionUpdate) => Effect.Effect<void>
  /** The same without waiting until the client has taken it: for the end of things. */
  readonly post: (sessionId: string, update: SessionUpdate) => void
  /** Gives whatever the client answers. Interrupting it, or the signal, takes the question back. */
  readonly askPermission: (request: RequestPermissionRequest, signal: AbortSignal) => Effect.Effect<unknown, unknown>
}

export interface Services {
  readonly client: ClientDoor
  /** The agent whose rules hold, and the names of its own servers. */
  readonly agent: string
  readonly ownServers: ReadonlyArray<string>
  readonly acp: AcpConfig
  readonly gateway: AgentGateway["Service"]
  readonly runtimes: AgentRuntimes["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  readonly sessionTools: SessionTools["Service"]
}
