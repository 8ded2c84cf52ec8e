/**
 * Opens the configured model: finds its key, loads the adapter it needs, and hands out something that the agent loop can
 * call. The adapters are heavy, so they are imported only here, at the first message to a model.
 */
import type { LanguageModel } from "ai"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { GatewayError } from "../../schemas/GatewayError.ts"
import type { ModelConfig } from "../../schemas/GatewayConfig.ts"
import { Redactor } from "../../services/Redactor.ts"
import { SecretResolver } from "../../services/SecretResolver.ts"
import { fetchOrUnreachable } from "./errors.ts"
import { imagesMiddleware } from "./images.ts"
import type { ModelPlan, ProviderPackage } from "./providers.ts"
import { planModel } from "./providers.ts"

export interface OpenModel {
  readonly plan: ModelPlan
  readonly model: LanguageModel
}

type Factory = (settings: {
  readonly apiKey?: string
  readonly baseURL?: string
  readonly fetch: typeof fetch
}) => (model: string) => LanguageModel

const isFactory = (value: unknown): value is Factory => typeof value === "function"

const isMissingModule = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"

const loadFactory = Effect.fnUntraced(function* ({ factory, name, optional, range }: ProviderPackage, modelId: string) {
  const loaded = yield* Effect.promise(() =>
    import(name).then(
      (module: unknown) => ({ module }),
      (error: unknown) => ({ error })
    )
  )
  if ("error" in loaded) {
    const missing = isMissingModule(loaded.error)
    if (missing && optional) return undefined
    return yield* new GatewayError({
      detail: missing
        ? `The model ${modelId} needs a package that is not installed. Beside mcp-live, run: npm install ${name}@${range} (with -g if mcp-live is installed with -g)`
        : `The package ${name} cannot be loaded: ${String(loaded.error)}`
    })
  }
  const value: unknown = Reflect.get(Object(loaded.module), factory)
  if (isFactory(value)) return value
  return yield* new GatewayError({
    detail: `The installed ${name} does not fit this version of mcp-live. Run: npm install ${name}@${range}`
  })
})

export const makeOpenModel = Effect.gen(function* () {
  const secrets = yield* SecretResolver
  const redactor = yield* Redactor
  const environment = yield* ConfigProvider.ConfigProvider

  const variable = (name: string) =>
    Config.option(Config.String(name))
      .parse(environment)
      .pipe(Effect.orElseSucceed(() => Option.none<string>()))

  const configuredKey = (config: ModelConfig) =>
    config.apiKey === undefined
      ? Effect.undefined
      : secrets.resolve("model", config.apiKey).pipe(
          Effect.map(Redacted.value),
          Effect.mapError(
            ({ detail, reference }) =>
              new GatewayError({ detail: `The key of the model is not available: ${reference}: ${detail}` })
          )
        )

  /** The key from the config, else from the provider's variable; known to the redactor before anybody can use it. */
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

  return Effect.fnUntraced(function* (config: ModelConfig) {
    const ollamaHost = Option.getOrUndefined(yield* variable("OLLAMA_HOST"))
    const plan = yield* Effect.fromResult(planModel(config, ollamaHost)).pipe(
      Effect.mapError((detail) => new GatewayError({ detail }))
    )
    const key = yield* findKey(config, plan)
    const factory = plan.package === undefined ? undefined : yield* loadFactory(plan.package, config.id)
    if (factory !== undefined) {
      const model = factory({ fetch: fetchOrUnreachable, ...(key !== undefined && { apiKey: key }) })(plan.model)
      return { plan, model } satisfies OpenModel
    }
    const { createOpenAICompatible } = yield* Effect.promise(() => import("@ai-sdk/openai-compatible"))
    const { wrapLanguageModel } = yield* Effect.promise(() => import("ai"))
    const provider = createOpenAICompatible({
      name: "openai-compatible",
      baseURL: plan.baseUrl ?? "",
      includeUsage: plan.askForUsage,
      fetch: fetchOrUnreachable,
      ...(key !== undefined && { apiKey: key })
    })
    const model = wrapLanguageModel({ model: provider.chatModel(plan.model), middleware: imagesMiddleware() })
    return { plan, model } satisfies OpenModel
  })
})
