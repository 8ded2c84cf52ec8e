/** Converts MCP prompts for an agent. Plain functions that never throw, whatever a server sends. */
import * as Context from "effect/Context"
import type { PromptDefinition } from "../../schemas/connection/Catalogue.ts"
import type { ContentPolicy } from "../../schemas/content/ContentPolicy.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { AgentPrompt, Completion, PromptResult } from "../../schemas/content/Prompt.ts"
import type { Budget } from "../../schemas/connection/ServerConfig.ts"

/** Converts MCP prompts into what an agent may see. Plain functions that never throw, whatever a server sends. */
export class PromptBridge extends Context.Service<
  PromptBridge,
  {
    /**
     * The prompt with every text cleaned and limited; `findings` cover all of them, as in `ToolBridge.toAgentTool`. The
     * result is cached in the same way.
     */
    readonly toAgentPrompt: (
      name: string,
      server: string,
      definition: PromptDefinition
    ) => { readonly agentPrompt: AgentPrompt; readonly findings: ReadonlyArray<Finding> }
    /**
     * Converts a `prompts/get` result; `undefined` when it is unusable. `origin.content` decides for each message whether and
     * how it is shown.
     */
    readonly toResult: (
      raw: unknown,
      origin: { readonly server: string; readonly prompt: string; readonly content?: ContentPolicy },
      budget: Budget
    ) => PromptResult | undefined
    /** Converts a `completion/complete` result; empty when it is unusable. Leaves out values that `content` withholds. */
    readonly toCompletion: (raw: unknown, content?: ContentPolicy) => Completion
  }
>()("mcp-live/services/PromptBridge") {}
