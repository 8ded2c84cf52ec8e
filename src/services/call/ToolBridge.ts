/** Converts MCP tools and results for agents: definitions, results and errors. Plain functions, no effects. */
import * as Context from "effect/Context"
import type { ToolDefinition } from "../../schemas/connection/Catalogue.ts"
import type { ContentPolicy } from "../../schemas/content/ContentPolicy.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { Reader } from "../../schemas/call/Look.ts"
import type { CallError } from "../../schemas/call/CallError.ts"
import type { Budget } from "../../schemas/connection/ServerConfig.ts"
import type { AgentTool, Progress, ToolAnnotations, ToolResult } from "../../schemas/call/Tool.ts"

/** Where a result comes from. Pass the same object for every result of one tool (of one client, if the agent has several). */
export interface ResultOrigin {
  readonly server: string
  readonly tool: string
  /** The client that may read a kept result. */
  readonly client?: string | undefined
  readonly annotations?: ToolAnnotations | undefined
  /** The tool's schema for structured content, raw. */
  readonly outputSchema?: JsonObject | undefined
  readonly content?: ContentPolicy
}

/**
 * Converts MCP tools into agent tools, and results and errors into results that a model can act on. Plain functions, no effects.
 */
export class ToolBridge extends Context.Service<
  ToolBridge,
  {
    /**
     * A definition as an agent sees it: every text in it cleaned and limited, including the strings of the schema. `findings`
     * cover all texts, also names and titles: the caller reports them, and does not list a tool that may not be shown. The
     * work is cached per definition until another secret is registered; another name costs nothing.
     */
    readonly toAgentTool: (
      name: string,
      server: string,
      definition: ToolDefinition
    ) => { readonly agentTool: AgentTool; readonly findings: ReadonlyArray<Finding> }
    /**
     * A `tools/call` result as an agent sees it: text cleaned and wrapped, one budget over all blocks, and a sentence for
     * what the agent's content types cannot hold. `ResultStore` keeps what exceeds the budget; the text names the handle.
     * Never fails: something that is not a tool result becomes an error result that says why. A malformed block among others
     * is left out, with a note; structured content alone makes a result. An error result says in words that it is one,
     * because not every model is told in another way. An image without text gets a text that names its source and says that
     * it is untrusted.
     *
     * Structured content that does not match `origin.outputSchema`, or is missing, gives a finding and a note; the result is
     * shown all the same. An error result of the tool needs none.
     *
     * `origin.content` decides how the result is shown. What it withholds is withheld completely: neither a model nor a
     * program gets any of it, and nothing is kept.
     */
    readonly toResult: (raw: unknown, origin: ResultOrigin, budget: Budget) => ToolResult
    /**
     * The one place where an error becomes a result: a short text that a model can act on. Boundaries enclose only the
     * server's own words; they are introduced like its results, with `ownName` (the server's name of the tool), and shown as
     * `content` (the policy of the server) says. A `reader` who is a person gets no words that are meant for a model.
     */
    readonly toErrorResult: (
      error: CallError,
      tool: string,
      about?: {
        readonly content?: ContentPolicy | undefined
        readonly ownName?: string | undefined
        readonly reader?: Reader | undefined
      }
    ) => ToolResult
    /** The fixed sentence for a bug in mcp-live. */
    readonly toDefectResult: (tool: string, reader?: Reader) => ToolResult
    /** Leaves the message out where `content` withholds it. */
    readonly toProgress: (params: Readonly<Record<string, unknown>>, content?: ContentPolicy) => Progress
  }
>()("mcp-live/services/ToolBridge") {}
