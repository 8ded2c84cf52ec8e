/** Lets the model of an agent answer what a server asks of it (sampling). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { HostRefusal, SamplingRequest, SamplingResult } from "../../schemas/content/HostRequest.ts"

/** Lets the model of an agent answer what a server asks of it (sampling). */
export class Sampler extends Context.Service<
  Sampler,
  {
    /**
     * Asks the model of the agent whose server it is. The model gets the server's words alone: no tools, nothing of any
     * conversation. What goes wrong at the provider is logged, and refused without details. Absent when no agent that has
     * a model allows sampling to any server.
     */
    readonly sample: ((request: SamplingRequest) => Effect.Effect<SamplingResult, HostRefusal>) | undefined
  }
>()("mcp-live/services/Sampler") {}
