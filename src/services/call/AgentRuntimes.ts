/**
 * One `McpRuntime` per agent, built on first use, over one shared `ServerPool`; and separate ones for sessions that bring
 * their own servers.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import type { ServerStatus } from "../../schemas/connection/ServerState.ts"
import type { UnknownAgent } from "../../schemas/call/UnknownAgent.ts"
import type { McpRuntimeShape, WholeRuntime } from "./McpRuntime.ts"
import type { Places } from "../connection/ServerPool.ts"

/** The servers that a session brings, and the rules for them. */
export interface SessionServers {
  /** The agent whose rules apply. */
  readonly agent: string
  /** The session that brought them. */
  readonly session: string
  readonly servers: ReadonlyArray<ServerConfig>
  /** At most this many tools. If there are more, the last tools of the servers with the most are left out. */
  readonly maxTools: number
  /**
   * Tools that servers add later are added, within `maxTools`, and those that they remove disappear. Without it the list is fixed.
   */
  readonly dynamic?: boolean | undefined
}

export interface OwnServers {
  readonly agent: string
  /** Maps each of the agent's servers to this client's: either one that the client has alone, or the agent's. */
  readonly as: (server: ServerConfig) => ServerConfig
  readonly places: Places
}

/** A server that runs for one client or session alone. */
export interface OwnServer {
  readonly server: string
  /** As they have it. */
  readonly config: ServerConfig
  /** In words: `client ada`. */
  readonly whose: string
  readonly status: ServerStatus
}

/** The runtime of a session that brought its own servers; it lives as long as its Scope. */
export interface SessionRuntime extends McpRuntimeShape {
  /** The tools that were left out because of `maxTools`; complete once `tools` has returned. */
  readonly leftOut: Effect.Effect<ReadonlyArray<AgentTool>>
  /** The tools that appeared after the list was fixed, and are not in it. Empty when `dynamic`. */
  readonly late: Effect.Effect<ReadonlyArray<AgentTool>>
}

/**
 * The runtimes of all agents of a configuration, over one `ServerPool`: for a gateway with several agents. `McpRuntime` is
 * that of one agent.
 */
export class AgentRuntimes extends Context.Service<
  AgentRuntimes,
  {
    readonly agents: ReadonlyArray<string>
    readonly defaultAgent: string
    /** The runtime of an agent, for the caller's Scope. Fails for an unknown agent; there is no fallback. */
    readonly get: (agent: string) => Effect.Effect<WholeRuntime, UnknownAgent, Scope.Scope>
    /**
     * A runtime for the servers of one session, for the caller's Scope; closing it stops them. It shares no process,
     * connection or limit with another session, however similar their servers are. Tools are named `mcp__{server}__{tool}`.
     * Unless `dynamic`, the list is fixed once it has been read: later tools can be neither seen nor called, and tools that a
     * server removes are gone. The error of a call says which of the two happened.
     */
    readonly forSession: (servers: SessionServers) => Effect.Effect<SessionRuntime, UnknownAgent, Scope.Scope>
    /**
     * The agent's runtime for a client that has some servers to itself, for the caller's Scope; closing it stops those.
     * Names, rules and approved definitions are the agent's; all other servers are shared with the agent.
     */
    readonly forClient: (own: OwnServers) => Effect.Effect<WholeRuntime, UnknownAgent, Scope.Scope>
    /** What clients and sessions of an agent have alone now; without what was not started yet, or sleeps. */
    readonly own: (agent: string) => Effect.Effect<ReadonlyArray<OwnServer>>
  }
>()("mcp-live/services/AgentRuntimes") {}
