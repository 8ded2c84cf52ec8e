/** Answers the sampling requests of servers with the model of an agent. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HostRefusal, SamplingRequest, SamplingResult } from "../../schemas/content/HostRequest.ts"

/** Answers the sampling requests of servers with the model of an agent. */
export class Sampler extends Context.Service<
  Sampler,
  {
    /**
     * Asks the model of the agent that the server belongs to. The model gets only what the server wrote: no tools, no
     * conversation. An error at the provider is logged; the server gets a refusal without details. `undefined` when no agent
     * with a model allows sampling to any server.
     */
    readonly sample: ((request: SamplingRequest) => Effect.Effect<SamplingResult, HostRefusal>) | undefined
  }
>()("mcp-live/services/Sampler") {}
