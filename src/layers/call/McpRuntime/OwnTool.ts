/** A tool of the runtime itself, listed and called like tools of servers: same names, policy, audit and errors. */
import type * as Effect from "effect/Effect"
import type { CallError } from "../../../schemas/call/CallError.ts"
import type { AgentTool, ToolResult } from "../../../schemas/call/Tool.ts"
import type { CallOptions, McpRuntimeShape } from "../../../services/call/McpRuntime.ts"

type Arguments = Readonly<Record<string, unknown>>

/** What a tool of the runtime may use while it runs. */
export interface Around {
  readonly options: CallOptions
  /** The tools that can be searched. */
  readonly searched: ReadonlyArray<AgentTool>
  readonly call: McpRuntimeShape["call"]
}

export interface OwnTool {
  /** `server` is the server that it belongs to, or `mcp` for a tool of the whole runtime; `tool` is its short name. */
  readonly agentTool: AgentTool
  /** Whether it belongs to the whole runtime. Only this says so: a server may be called `mcp`, too. */
  readonly ofRuntime?: true
  /**
   * The exposed name of the tool that it would call with these arguments. If that tool needs approval, this one is not asked
   * about as well.
   */
  readonly leadsTo?: (args: Arguments, searched: ReadonlyArray<AgentTool>) => string | undefined
  /**
   * It belongs to a server but sends it nothing: the server's limits do not apply, and its outcome says nothing about the server.
   */
  readonly asksNobody?: true
  /** It searches the tools of all servers: those that are starting are waited for, as before a list. */
  readonly searches?: true
  readonly run: (args: Arguments, around: Around) => Effect.Effect<ToolResult, CallError>
}

/** Stands for a server in the rules and results of tools of the whole runtime. */
export const RUNTIME = "mcp"
