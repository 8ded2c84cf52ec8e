/** What the sessions of one client stand on. */
import type { CreateElicitationRequest, RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk"
import type * as Effect from "effect/Effect"
import type { SessionHost } from "../../layers/content/HostFeatures.ts"
import type { AcpConfig } from "../../schemas/config/AcpConfig.ts"
import type { ElicitationRequest } from "../../schemas/content/HostRequest.ts"
import type { AgentGateway } from "../../services/agent/AgentGateway.ts"
import type { AgentRuntimes } from "../../services/call/AgentRuntimes.ts"
import type { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import type { SessionTools } from "../../services/agent/SessionTools.ts"
import type { Client } from "./updates.ts"

/** The client at the other end. */
export interface AcpClient {
  readonly shows: Client
  /** Words of the agent. */
  readonly words: (text: string) => SessionUpdate
  /** A client that is gone is told nothing, and that is no failure. */
  readonly update: (sessionId: string, update: SessionUpdate) => Effect.Effect<void>
  /** The same without waiting until the client has taken it: for the end of things. */
  readonly post: (sessionId: string, update: SessionUpdate) => void
  /** Gives whatever the client answers. Interrupting it, or the signal, takes the question back. */
  readonly askPermission: (request: RequestPermissionRequest, signal: AbortSignal) => Effect.Effect<unknown, unknown>
  /** What it can ask its person for, for a server. */
  readonly elicits: ReadonlyArray<ElicitationRequest["mode"]>
  /** Gives whatever the client answers. Interrupting it takes the question back. */
  readonly askElicitation: (request: CreateElicitationRequest) => Effect.Effect<unknown, unknown>
}

/** What servers may ask of the sessions that brought them. */
export type SessionHosts = Map<string, SessionHost>

export interface Services {
  readonly client: AcpClient
  /** The agent of a session that has not chosen another. */
  readonly agent: string
  /** Those that there are to choose from, with the names of their own servers; the one above among them. */
  readonly agents: ReadonlyMap<string, ReadonlyArray<string>>
  readonly hosts: SessionHosts
  readonly acp: AcpConfig
  readonly gateway: AgentGateway["Service"]
  readonly runtimes: AgentRuntimes["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  readonly sessionTools: SessionTools["Service"]
}
