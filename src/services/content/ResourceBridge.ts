/** Converts MCP resources for an agent. Plain functions that never throw, whatever a server sends. */
import * as Context from "effect/Context"
import type { ResourceDefinition } from "../../schemas/connection/Catalogue.ts"
import type { ContentPolicy } from "../../schemas/content/ContentPolicy.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import type { AgentResource, AgentResourceTemplate, ResourceReading } from "../../schemas/content/Resource.ts"
import type { Budget } from "../../schemas/connection/ServerConfig.ts"

type Findings = ReadonlyArray<Finding>

/** Converts MCP resources into what an agent may see. Plain functions that never throw, whatever a server sends. */
export class ResourceBridge extends Context.Service<
  ResourceBridge,
  {
    /**
     * The resource with every text cleaned and limited; `findings` cover all of them, as in `ToolBridge.toAgentTool`. The
     * result is cached in the same way.
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
     * Converts a `resources/read` result; `undefined` when it is unusable. What `origin.content` withholds is withheld
     * completely, from programs as well as from a model.
     */
    readonly toReading: (
      raw: unknown,
      origin: { readonly server: string; readonly uri: string; readonly content?: ContentPolicy },
      budget: Budget
    ) => ResourceReading | undefined
    /**
     * The block for an agent's context (never for its system prompt): a heading, then each reading between its own
     * boundaries, with names quoted on one line inside them, all within `maxBytes`. Empty without readings. `content` is the
     * policy of the server; a sentence stands in for a reading that was withheld. What marks and encoding add is not counted.
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
