/** Between MCP resources and an agent: plain functions, no effects, nothing here fails whatever a server sends. */
import * as Context from "effect/Context"
import type { ResourceDefinition } from "../schemas/Catalogue.ts"
import type { ContentPolicy } from "../schemas/ContentPolicy.ts"
import type { AgentResource, AgentResourceTemplate, ResourceReading } from "../schemas/Resource.ts"
import type { Budget } from "../schemas/ServerConfig.ts"

export class ResourceBridge extends Context.Service<
  ResourceBridge,
  {
    readonly toAgentResource: (server: string, definition: ResourceDefinition) => AgentResource
    readonly toAgentTemplate: (server: string, definition: ResourceDefinition) => AgentResourceTemplate
    /** A `resources/read` result. `undefined` when it cannot be used. */
    readonly toReading: (
      raw: unknown,
      origin: { readonly server: string; readonly uri: string; readonly content?: ContentPolicy },
      budget: Budget
    ) => ResourceReading | undefined
    /**
     * The block for an agent's context (never for its system role): a heading, then each reading between boundaries of its
     * own, names quoted on one line inside them, all within `maxBytes`. Empty without readings.
     */
    readonly toContext: (
      readings: ReadonlyArray<{ readonly resource: AgentResource; readonly reading: ResourceReading }>,
      maxBytes: number
    ) => string
  }
>()("mcp-live/services/ResourceBridge") {}
