/**
 * Opens models: finds the key, loads the provider's adapter, and returns a model. The adapters are heavy, so they are
 * imported only here, at the first message to a model.
 */
import type { LanguageModel } from "ai"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import type { ModelConfig } from "../../schemas/config/GatewayConfig.ts"
import { formatIssue } from "../../schemas/config/ConfigIssue.ts"
import { GatewayError } from "../../schemas/agent/GatewayError.ts"
import { canonical } from "../../schemas/data/Json.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { ModelSource, type OpenModel } from "../../services/agent/ModelSource.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { MODEL_OWNER, SecretResolver } from "../../services/secret/SecretResolver.ts"
import { explain, fetchOrUnreachable } from "./ModelSource/errors.ts"
import { imagesMiddleware } from "./ModelSource/images.ts"
import { makeLargeMedia } from "./ModelSource/largeMedia.ts"
import type { ModelPlan, ProviderPackage } from "./ModelSource/providers.ts"
import { planModel } from "./ModelSource/providers.ts"

type Factory = (settings: {
  readonly apiKey?: string
  readonly baseURL?: string
  readonly fetch: typeof fetch
}) => (model: string) => LanguageModel

const isFactory = (value: unknown): value is Factory => typeof value === "function"

/** The location of the package; `undefined` when it is not installed. */
const find = (name: string): string | undefined => {
  try {
    return import.meta.resolve(name)
  } catch {
    return undefined
  }
}

const loadFactory = Effect.fnUntraced(function* ({ factory, name, optional, range }: ProviderPackage, modelId: string) {
  const place = find(name)
  if (place === undefined && optional) return undefined
  if (place === undefined) {
    return yield* new GatewayError({
      detail: `The model ${modelId} needs a package that is not installed. Next to mcp-live, run: npm install ${name}@${range} (with -g if mcp-live is installed with -g)`
    })
  }
  const loaded = yield* Effect.promise(() =>
    import(place).then(
      (module: unknown) => ({ module }),
      (error: unknown) => ({ error })
    )
  )
  if ("error" in loaded) {
    return yield* new GatewayError({ detail: `The package ${name} cannot be loaded: ${String(loaded.error)}` })
  }
  const value: unknown = Reflect.get(Object(loaded.module), factory)
  if (isFactory(value)) return value
  return yield* new GatewayError({
    detail: `The installed ${name} does not fit this version of mcp-live. Run: npm install ${name}@${range}`
  })
})

const make = Effect.gen(function* () {
  const secrets = yield* SecretResolver
  const redactor = yield* Redactor
  const sanitizer = yield* ContentSanitizer
  const environment = yield* ConfigProvider.ConfigProvider

  const variable = (name: string) =>
    Config.option(Config.String(name))
      .parse(environment)
      .pipe(Effect.orElseSucceed(() => Option.none<string>()))

  const configuredKey = (config: ModelConfig) =>
    config.apiKey === undefined
      ? Effect.undefined
      : secrets.resolve(MODEL_OWNER, config.apiKey).pipe(
          Effect.map(Redacted.value),
          Effect.mapError(
            ({ detail, reference }) =>
              new GatewayError({ detail: `The key of the model is not available: ${reference}: ${detail}` })
          )
        )

  /** The key from the configuration, else from the provider's variable; registered with the redactor before anybody can use it. */
  const findKey = Effect.fnUntraced(function* (config: ModelConfig, plan: ModelPlan) {
    let key = yield* configuredKey(config)
    for (const name of plan.keys) key ??= Option.getOrUndefined(yield* variable(name))
    if (key !== undefined) redactor.register(key)
    if (key === undefined && plan.keys.length > 0) {
      return yield* new GatewayError({
        detail: `There is no API key for ${plan.provider}: set ${plan.keys.join(" or ")}, or "apiKey" of the model in the config`
      })
    }
    return key
  })

  const load = Effect.fnUntraced(function* (config: ModelConfig, plan: ModelPlan, send: typeof fetch) {
    const key = yield* findKey(config, plan)
    const factory = plan.package === undefined ? undefined : yield* loadFactory(plan.package, config.id)
    if (factory !== undefined) {
      return factory({ fetch: send, ...(key !== undefined && { apiKey: key }) })(plan.model)
    }
    const { createOpenAICompatible } = yield* Effect.promise(() => import("@ai-sdk/openai-compatible"))
    const { wrapLanguageModel } = yield* Effect.promise(() => import("ai"))
    const provider = createOpenAICompatible({
      name: "openai-compatible",
      baseURL: plan.baseUrl ?? "",
      includeUsage: plan.askForUsage,
      fetch: send,
      ...(key !== undefined && { apiKey: key })
    })
    return wrapLanguageModel({ model: provider.chatModel(plan.model), middleware: imagesMiddleware() })
  })

  const opened = new Map<string, OpenModel>()
  let keyWasRefused = false

  return ModelSource.of({
    open: Effect.fn("ModelSource.open")(function* (config) {
      if (config.fault !== undefined) {
        return yield* new GatewayError({ detail: `The model cannot be used: ${formatIssue(config.fault)}` })
      }
      const identity = canonical(config)
      const known = opened.get(identity)
      if (known !== undefined) return known
      if (keyWasRefused) yield* secrets.forget(MODEL_OWNER)
      keyWasRefused = false
      const ollamaHost = Option.getOrUndefined(yield* variable("OLLAMA_HOST"))
      const plan = yield* Effect.fromResult(planModel(config, ollamaHost)).pipe(
        Effect.mapError((detail) => new GatewayError({ detail }))
      )
      const large = makeLargeMedia(fetchOrUnreachable)
      const model: OpenModel = {
        model: yield* load(config, plan, large.fetch),
        inPlaceOf: (bytes) =>
          Effect.acquireRelease(
            Effect.sync(() => large.nameOf(bytes)),
            (name) => Effect.sync(() => large.forget(name))
          ),
        explain: (error) => {
          const { keyRefused, ...failure } = explain(error, plan, (text) => sanitizer.label(text, ERROR_TEXT_MAX_CHARS))
          if (keyRefused) opened.delete(identity)
          keyWasRefused ||= keyRefused
          return failure
        }
      }
      opened.set(identity, model)
      return model
    })
  })
})

/** Opens models through the packages of the AI SDK, each loaded at the first message to its model. */
export const layer: Layer.Layer<ModelSource, never, SecretResolver | Redactor | ContentSanitizer> = Layer.effect(
  ModelSource,
  make
)
