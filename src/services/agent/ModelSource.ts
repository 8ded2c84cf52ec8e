/** Opens the models that agents are configured with, for whoever has something answered by one. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"
import type { ModelConfig } from "../../schemas/config/GatewayConfig.ts"

/** Why a model did not answer. */
export interface ModelFailure {
  /** What happened and what to do; the provider's own words in it are cut and cleaned. */
  readonly sentence: string
  /** It may work later with the same conversation. */
  readonly passing: boolean
}

/** A model that can be asked, with what is known of it. */
export interface OpenModel {
  /**
   * A `LanguageModel` of the package `ai`. Not said in the type: who imports this package should not need the types of
   * that one, which need those of a browser.
   */
  readonly model: unknown
  /**
   * What stands for many bytes where the model is given base64: a few characters of it. Their base64 is in the requests that are sent
   * while the Scope is open, and nowhere in memory as one text. Without this the model is given the bytes.
   */
  readonly inPlaceOf?: ((bytes: Uint8Array) => Effect.Effect<string, never, Scope.Scope>) | undefined
  /** What a request to the model failed of. After a key was refused, the next `open` looks for it anew. */
  readonly explain: (error: unknown) => ModelFailure
}

/** Opens the models that agents are configured with, for whoever has something answered by one. */
export class ModelSource extends Context.Service<
  ModelSource,
  {
    /**
     * Finds the key and loads the adapter at the first use, and gives the same model from then on. Contacts nobody.
     */
    readonly open: (config: ModelConfig) => Effect.Effect<OpenModel, GatewayError>
  }
>()("mcp-live/services/ModelSource") {}
