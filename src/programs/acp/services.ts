/** What the sessions of one client need. */
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

/** The connected client. */
export interface AcpClient {
  readonly shows: Client
  /** Makes an update with words of the agent. */
  readonly words: (text: string) => SessionUpdate
  /** Sends an update. If the client has disconnected, nothing happens and it is no error. */
  readonly update: (sessionId: string, update: SessionUpdate) => Effect.Effect<void>
  /** The same without waiting for the client, for use while closing. */
  readonly post: (sessionId: string, update: SessionUpdate) => void
  /** Returns the client's raw answer. Interruption, or the signal, cancels the question. */
  readonly askPermission: (request: RequestPermissionRequest, signal: AbortSignal) => Effect.Effect<unknown, unknown>
  /** The modes in which the client can ask its person. */
  readonly elicits: ReadonlyArray<ElicitationRequest["mode"]>
  /** Returns the client's raw answer. Interruption cancels the question. */
  readonly askElicitation: (request: CreateElicitationRequest) => Effect.Effect<unknown, unknown>
}

/** Answers what servers ask of the sessions that brought them. */
export type SessionHosts = Map<string, SessionHost>

export interface Services {
  readonly client: AcpClient
  /** The agent of a session that has not chosen another. */
  readonly agent: string
  /** The agents to choose from, including `agent`, with the names of their servers. */
  readonly agents: ReadonlyMap<string, ReadonlyArray<string>>
  readonly hosts: SessionHosts
  readonly acp: AcpConfig
  readonly gateway: AgentGateway["Service"]
  readonly runtimes: AgentRuntimes["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  readonly sessionTools: SessionTools["Service"]
}
