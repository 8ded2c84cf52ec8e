/** A tool of the runtime itself, listed and called like those of servers: same names, policy, audit and errors. */
import type * as Effect from "effect/Effect"
import type { CallError } from "../../../schemas/call/CallError.ts"
import type { AgentTool, ToolResult } from "../../../schemas/call/Tool.ts"
import type { CallOptions, McpRuntimeShape } from "../../../services/call/McpRuntime.ts"

type Arguments = Readonly<Record<string, unknown>>

/** What a tool of the runtime may use of the runtime while it runs. */
export interface Around {
  readonly options: CallOptions
  /** The tools that a search is over. */
  readonly searched: ReadonlyArray<AgentTool>
  readonly call: McpRuntimeShape["call"]
}

export interface OwnTool {
  /** `server` is the server it belongs to, or `mcp` for one of the runtime as a whole; `tool` its short name. */
  readonly agentTool: AgentTool
  /** Whether it stands for the runtime as a whole. Told by this alone: a server may be called `mcp`, too. */
  readonly ofRuntime?: true
  /** The exposed name of the tool that it would call with these arguments. Where that one asks, one question is enough. */
  readonly leadsTo?: (args: Arguments, searched: ReadonlyArray<AgentTool>) => string | undefined
  /** It belongs to a server but asks it nothing: no limit of that server holds for it, and how it ends says nothing of it. */
  readonly asksNobody?: true
  readonly run: (args: Arguments, around: Around) => Effect.Effect<ToolResult, CallError>
}

/** What tools of the runtime as a whole have for a server, in rules and results. */
export const RUNTIME = "mcp"
