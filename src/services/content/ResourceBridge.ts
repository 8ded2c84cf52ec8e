/** Between MCP resources and an agent: plain functions, no effects, nothing here fails whatever a server sends. */
import * as Context from "effect/Context"
import type { ResourceDefinition } from "../../schemas/connection/Catalogue.ts"
import type { ContentPolicy } from "../../schemas/content/ContentPolicy.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { AgentResource, AgentResourceTemplate, ResourceReading } from "../../schemas/content/Resource.ts"
import type { Budget } from "../../schemas/connection/ServerConfig.ts"

type Findings = ReadonlyArray<Finding>

/**
 * Turns MCP resources into what an agent may see: plain functions without effects, which never throw, whatever a
 * server sends.
 */
export class ResourceBridge extends Context.Service<
  ResourceBridge,
  {
    /**
     * Every text in it cleaned and capped; `findings` are of all of them, as those of `ToolBridge.toAgentTool`. What was
     * cleaned is kept as it is there.
     */
    readonly toAgentResource: (
      server: string,
      definition: ResourceDefinition
    ) => { readonly agentResource: AgentResource; readonly findings: Findings }
    readonly toAgentTemplate: (
      server: string,
      definition: ResourceDefinition
    ) => { readonly agentTemplate: AgentResourceTemplate; readonly findings: Findings }
    /**
     * A `resources/read` result. `undefined` when it cannot be used. What `origin.content` withholds is withheld whole, from
     * programs as well as from a model.
     */
    readonly toReading: (
      raw: unknown,
      origin: { readonly server: string; readonly uri: string; readonly content?: ContentPolicy },
      budget: Budget
    ) => ResourceReading | undefined
    /**
     * The block for an agent's context (never for its system role): a heading, then each reading between boundaries of its
     * own, names quoted on one line inside them, all within `maxBytes`. Empty without readings. `content` is the policy of
     * its server; in place of a reading that was withheld there is the sentence that says so. What marks and encoding add
     * does not count.
     */
    readonly toContext: (
      readings: ReadonlyArray<{
        readonly resource: AgentResource
        readonly reading: ResourceReading
        readonly content?: ContentPolicy
      }>,
      maxBytes: number
    ) => string
  }
>()("mcp-live/services/ResourceBridge") {}
