/** Between MCP prompts and an agent: plain functions, no effects, nothing here fails whatever a server sends. */
import * as Context from "effect/Context"
import type { PromptDefinition } from "../../schemas/connection/Catalogue.ts"
import type { ContentPolicy } from "../../schemas/content/ContentPolicy.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { AgentPrompt, Completion, PromptResult } from "../../schemas/content/Prompt.ts"
import type { Budget } from "../../schemas/connection/ServerConfig.ts"

/**
 * Turns MCP prompts into what an agent may see: plain functions without effects, which never throw, whatever a server
 * sends.
 */
export class PromptBridge extends Context.Service<
  PromptBridge,
  {
    /**
     * Every text in it cleaned and capped; `findings` are of all of them, as those of `ToolBridge.toAgentTool`. What was
     * cleaned is kept as it is there.
     */
    readonly toAgentPrompt: (
      name: string,
      server: string,
      definition: PromptDefinition
    ) => { readonly agentPrompt: AgentPrompt; readonly findings: ReadonlyArray<Finding> }
    /**
     * A `prompts/get` result. `undefined` when it cannot be used. Each message is shown, or withheld, as `origin.content`
     * says.
     */
    readonly toResult: (
      raw: unknown,
      origin: { readonly server: string; readonly prompt: string; readonly content?: ContentPolicy },
      budget: Budget
    ) => PromptResult | undefined
    /** A `completion/complete` result; empty when it cannot be used. Values that `content` withholds are left out. */
    readonly toCompletion: (raw: unknown, content?: ContentPolicy) => Completion
  }
>()("mcp-live/services/PromptBridge") {}
