/** An `McpRuntime` per agent, built on first use; all of them share one `ServerPool`. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { UnknownAgent } from "../schemas/UnknownAgent.ts"
import type { McpRuntimeShape } from "./McpRuntime.ts"

export class AgentRuntimes extends Context.Service<
  AgentRuntimes,
  {
    readonly agents: ReadonlyArray<string>
    readonly defaultAgent: string
    /** The runtime of an agent, for the caller's Scope. An unknown agent is refused, never given the defaults. */
    readonly get: (agent: string) => Effect.Effect<McpRuntimeShape, UnknownAgent, Scope.Scope>
  }
>()("mcp-live/services/AgentRuntimes") {}
