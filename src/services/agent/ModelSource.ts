/** Opens the models that agents are configured with. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"
import type { ModelConfig } from "../../schemas/config/GatewayConfig.ts"

/** Why a model did not answer. */
export interface ModelFailure {
  /** What happened and what to do. The provider's own words in it are cut and cleaned. */
  readonly sentence: string
  /** The same conversation may succeed later. */
  readonly passing: boolean
}

/** A model that is ready to be asked. */
export interface OpenModel {
  /**
   * A `LanguageModel` of the package `ai`. The type does not say so: otherwise, users of this package would need the types of
   * `ai`, which need those of a browser.
   */
  readonly model: unknown
  /**
   * Returns a short placeholder for the bytes, which you give to the model in place of base64. The adapter writes their
   * base64 straight into requests, for as long as the Scope is open, so that it is never in memory as one text. Without this
   * function, give the model the bytes.
   */
  readonly inPlaceOf?: ((bytes: Uint8Array) => Effect.Effect<string, never, Scope.Scope>) | undefined
  /** Explains why a request to the model failed. After a refused key, the next `open` reads the key again. */
  readonly explain: (error: unknown) => ModelFailure
}

/** Opens the models that agents are configured with. */
export class ModelSource extends Context.Service<
  ModelSource,
  {
    /** Finds the key and loads the adapter at the first use; later calls return the same model. Makes no network request. */
    readonly open: (config: ModelConfig) => Effect.Effect<OpenModel, GatewayError>
  }
>()("mcp-live/services/ModelSource") {}
