/** Between MCP tools and agent tools: definitions one way, results and errors the other. Plain functions, no effects. */
import * as Context from "effect/Context"
import type { ToolDefinition } from "../../schemas/connection/Catalogue.ts"
import type { ContentPolicy } from "../../schemas/content/ContentPolicy.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { CallError } from "../../schemas/call/CallError.ts"
import type { Budget } from "../../schemas/connection/ServerConfig.ts"
import type { AgentTool, Progress, ToolAnnotations, ToolResult } from "../../schemas/call/Tool.ts"

/** Where a result comes from. The same object for every result of one tool, of one client where the agent has several. */
export interface ResultOrigin {
  readonly server: string
  readonly tool: string
  /** Whose it is when it is kept. */
  readonly client?: string | undefined
  readonly annotations?: ToolAnnotations | undefined
  /** What the tool says of its structured content, raw. */
  readonly outputSchema?: JsonObject | undefined
  readonly content?: ContentPolicy
}

/**
 * Turns MCP tools into agent tools, and results and errors into results that a model can act on: plain functions
 * without effects.
 */
export class ToolBridge extends Context.Service<
  ToolBridge,
  {
    /**
     * A definition as an agent sees it: every text in it cleaned and capped, the schema's strings included. `findings` are
     * of all of them, names and titles too: whoever lists the tool reports them, and does not list what may not be shown.
     * What was cleaned is kept for as long as the definition, and until another secret is known: another name costs nothing.
     */
    readonly toAgentTool: (
      name: string,
      server: string,
      definition: ToolDefinition
    ) => { readonly agentTool: AgentTool; readonly findings: ReadonlyArray<Finding> }
    /**
     * A `tools/call` result as an agent sees it: what the agent's content types cannot hold becomes a sentence, one budget
     * over all blocks, text cleaned and wrapped. What is over the budget is kept in `ResultStore` and told of with its
     * handle. Never fails: what is no tool result becomes an error result that says why. A malformed block among others is
     * left out, and the text says so; structured content makes a result of its own, whatever stands beside it. A result
     * that is an error says so in words, also when the tool said nothing: not every model is told by other means.
     * An image without any text gets one that says where it comes from and that it is untrusted.
     *
     * Structured content that is not what `origin.outputSchema` says, or is missing, is a finding and a note; the result is
     * shown as any other. An error of the tool is not held against it.
     *
     * `origin.content` says how it is shown. What it withholds is withheld whole: nothing of the result is left for a model
     * or for a program, and nothing of it is kept.
     */
    readonly toResult: (raw: unknown, origin: ResultOrigin, budget: Budget) => ToolResult
    /**
     * The one place where an error becomes a result: a short text that a model can act on. What stands between boundaries
     * are the server's words alone, introduced like its results: by `ownName`, the server's name of the tool, and as
     * `content`, the policy of the server, says.
     */
    readonly toErrorResult: (
      error: CallError,
      tool: string,
      about?: { readonly content?: ContentPolicy | undefined; readonly ownName?: string | undefined }
    ) => ToolResult
    /** The fixed sentence for a bug of ours. */
    readonly toDefectResult: (tool: string) => ToolResult
    /** Without its message where `content` withholds that. */
    readonly toProgress: (params: Readonly<Record<string, unknown>>, content?: ContentPolicy) => Progress
  }
>()("mcp-live/services/ToolBridge") {}
