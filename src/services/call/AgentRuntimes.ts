/**
 * An `McpRuntime` per agent, built on first use; all of them share one `ServerPool`. And one for a session that brings
 * servers of its own, shared with nobody.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import type { UnknownAgent } from "../../schemas/call/UnknownAgent.ts"
import type { McpRuntimeShape } from "./McpRuntime.ts"
import type { Places } from "../connection/ServerPool.ts"

/** The servers that a session brings along, and what holds for them. */
export interface SessionServers {
  /** Whose rules hold for them. */
  readonly agent: string
  /** The session that brought them. */
  readonly session: string
  readonly servers: ReadonlyArray<ServerConfig>
  /** More tools than this are left out, of the servers that have the most: the last ones in their lists. */
  readonly maxTools: number
  /** What servers add later is added, within `maxTools`; and what they take away is gone. */
  readonly dynamic?: boolean | undefined
}

export interface OwnServers {
  readonly agent: string
  /** For each of the agent's servers, as this client has it: another one that it holds alone, or that of the agent. */
  readonly as: (server: ServerConfig) => ServerConfig
  readonly places: Places
}

/** The runtime of a session that brought servers of its own, for as long as its Scope is open. */
export interface SessionRuntime extends McpRuntimeShape {
  /** The tools that were left out because there are too many; known once `tools` has been given. */
  readonly leftOut: Effect.Effect<ReadonlyArray<AgentTool>>
  /** The tools that came after those of the session were listed, and are not in it. None where it is `dynamic`. */
  readonly late: Effect.Effect<ReadonlyArray<AgentTool>>
}

/**
 * The runtimes of all agents of a configuration, over one `ServerPool`: what a gateway with several agents uses.
 * `McpRuntime` is that of one agent.
 */
export class AgentRuntimes extends Context.Service<
  AgentRuntimes,
  {
    readonly agents: ReadonlyArray<string>
    readonly defaultAgent: string
    /** The runtime of an agent, for the caller's Scope. An unknown agent is refused, never given the defaults. */
    readonly get: (agent: string) => Effect.Effect<McpRuntimeShape, UnknownAgent, Scope.Scope>
    /**
     * A runtime for the servers of one session, in the caller's Scope: closing it stops them. No process and no connection
     * of it is shared with another session, whatever its servers are called and however they are launched, and neither are
     * its limits. Its tools are named `mcp__{server}__{tool}` and, unless they are `dynamic`, stay what they are once they
     * were listed: what comes later can neither be seen nor be called, and what a server takes away is gone. The error of a
     * call says which of the two it is.
     */
    readonly forSession: (servers: SessionServers) => Effect.Effect<SessionRuntime, UnknownAgent, Scope.Scope>
    /**
     * The agent's runtime for a client that has some of its servers for itself, in the caller's Scope: closing it stops those.
     * Names, rules and approved definitions are the agent's; all other servers are those that the agent has.
     */
    readonly forClient: (own: OwnServers) => Effect.Effect<McpRuntimeShape, UnknownAgent, Scope.Scope>
  }
>()("mcp-live/services/AgentRuntimes") {}
