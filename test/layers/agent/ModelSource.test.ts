import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as ContentSanitizerLayer from "../../../src/layers/content/ContentSanitizer.ts"
import * as ModelSourceLayer from "../../../src/layers/agent/ModelSource.ts"
import { planModel } from "../../../src/layers/agent/ModelSource/providers.ts"
import type { ModelConfig } from "../../../src/schemas/config/GatewayConfig.ts"
import { serverNameProblem } from "../../../src/schemas/config/ServerBuild.ts"
import { ModelSource } from "../../../src/services/agent/ModelSource.ts"
import { Redactor } from "../../../src/services/content/Redactor.ts"
import { MODEL_OWNER, SecretResolver } from "../../../src/services/secret/SecretResolver.ts"
import { inOneTurn } from "../../support/redactor.ts"

const plan = (id: string, baseUrl?: string, ollamaHost?: string) =>
  Result.match(planModel({ id, baseUrl, apiKey: undefined }, ollamaHost), {
    onSuccess: (found) => [found.provider, found.model, found.baseUrl, found.keys] as const,
    onFailure: (sentence) => sentence
  })

const ollama = (host?: string, baseUrl?: string) => plan("ollama/llama3.2", baseUrl, host)

describe("planModel", () => {
  it("uses the base URL and the environment variable of a known provider", () => {
    assert.deepStrictEqual(plan("groq/llama-3"), [
      "groq",
      "llama-3",
      "https://api.groq.com/openai/v1",
      ["GROQ_API_KEY"]
    ])
    assert.deepStrictEqual(plan("openrouter/anthropic/claude"), [
      "openrouter",
      "anthropic/claude",
      "https://openrouter.ai/api/v1",
      ["OPENROUTER_API_KEY"]
    ])
  })

  it("sends the whole model name to a custom base URL, without a provider's key", () => {
    assert.deepStrictEqual(plan("openai/gpt", "https://proxy.example/v1"), [
      "https://proxy.example",
      "openai/gpt",
      "https://proxy.example/v1",
      []
    ])
  })

  it("finds Ollama at its default address, OLLAMA_HOST or the configured URL", () => {
    assert.deepStrictEqual(ollama(), ["ollama", "llama3.2", "http://127.0.0.1:11434/v1", []])
    assert.deepStrictEqual(ollama("0.0.0.0"), ["ollama", "llama3.2", "http://127.0.0.1:11434/v1", []])
    assert.deepStrictEqual(ollama("box:8080"), ["ollama", "llama3.2", "http://box:8080/v1", []])
    assert.deepStrictEqual(ollama("https://box/"), ["ollama", "llama3.2", "https://box:11434/v1", []])
    assert.deepStrictEqual(ollama("box", "http://other/v1"), ["ollama", "llama3.2", "http://other/v1", []])
  })

  it("explains what is wrong with an invalid model name or URL", () => {
    assert.match(String(plan("gpt")), /write 'provider\/gpt'/)
    assert.match(String(plan("antropic/claude")), /did you mean 'anthropic'/)
    assert.match(String(plan("openai/")), /'openai\/' does not name a model/)
    assert.match(String(plan("__proto__/x")), /unknown provider '__proto__'/)
    assert.match(String(plan("x", "file:///etc/passwd")), /not an http\(s\) URL/)
  })
})

const named = (id: string, given: Partial<ModelConfig> = {}): ModelConfig => ({
  id,
  baseUrl: undefined,
  apiKey: undefined,
  ...given
})

describe("ModelSource.open", () => {
  const registered: Array<string> = []
  const owners: Array<string> = []
  const forgotten: Array<string> = []
  const layer = (env: Record<string, string> = {}) =>
    ModelSourceLayer.layer.pipe(
      Layer.provide(
        Layer.mergeAll(
          Layer.succeed(SecretResolver, {
            resolve: (owner, text) =>
              Effect.sync(() => {
                owners.push(owner)
                return Redacted.make(text)
              }),
            know: () => Effect.void,
            forget: (owner) => Effect.sync(() => void forgotten.push(owner))
          }),
          ContentSanitizerLayer.layer,
          ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))
        )
      ),
      Layer.provide(
        Layer.succeed(Redactor, {
          register: (value) => registered.push(value) > 0,
          release: () => {},
          holdsForeign: () => false,
          isEmpty: () => false,
          version: () => 0,
          redact: (text) => text,
          ...inOneTurn
        })
      )
    )
  const open = (config: ModelConfig) => ModelSource.use((models) => models.open(config))
  const refused = { statusCode: 401, message: "no such key" }

  it.live("needs no optional provider package, and registers the key for masking", () =>
    Effect.gen(function* () {
      const { explain, model } = yield* open(named("openai/gpt"))
      assert.propertyVal(model, "modelId", "gpt")
      assert.include(explain(refused).sentence, "openai refused the API key")
      assert.include(registered, "sk-from-environment")
    }).pipe(Effect.provide(layer({ OPENAI_API_KEY: "sk-from-environment" })))
  )

  it.live("fails with the place of an unresolved reference in the configuration", () =>
    Effect.gen(function* () {
      const fault = { file: "openclaw.json", line: 3, path: "agents.defaults.model.apiKey", message: "it is not set" }
      const { message } = yield* Effect.flip(open(named("openai/gpt", { apiKey: "${NONE}", fault })))
      assert.include(message, "The model cannot be used: openclaw.json:3: agents.defaults.model.apiKey: it is not set")
    }).pipe(Effect.provide(layer({ OPENAI_API_KEY: "sk-from-environment" })))
  )

  it.live("opens equal models once, and another model for another URL, key or name", () =>
    Effect.gen(function* () {
      const config = named("m", { baseUrl: "http://127.0.0.1:1/v1", apiKey: "secret://env/K" })
      const first = yield* open(config)
      assert.strictEqual((yield* open({ ...config })).model, first.model)
      for (const other of [{ apiKey: "secret://env/L" }, { baseUrl: "http://127.0.0.1:2/v1" }, { id: "n" }]) {
        assert.notStrictEqual((yield* open({ ...config, ...other })).model, first.model)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("uses an owner for the key that cannot be the name of a server", () =>
    Effect.gen(function* () {
      owners.length = 0
      yield* open(named("m", { baseUrl: "http://127.0.0.1:1/v1", apiKey: "secret://env/K" }))
      assert.deepStrictEqual(owners, [MODEL_OWNER])
      assert.isDefined(serverNameProblem(MODEL_OWNER))
      assert.isUndefined(serverNameProblem("model"))
    }).pipe(Effect.provide(layer()))
  )

  it.live("resolves the key again after it was refused, but not after other errors", () =>
    Effect.gen(function* () {
      const config = named("m", { baseUrl: "http://127.0.0.1:1/v1", apiKey: "secret://env/K" })
      owners.length = 0
      const { explain, model } = yield* open(config)
      explain({ statusCode: 500, message: "trouble" })
      assert.strictEqual((yield* open(config)).model, model)
      assert.deepStrictEqual(forgotten, [])
      explain(refused)
      assert.notStrictEqual((yield* open(config)).model, model)
      assert.deepStrictEqual(forgotten, [MODEL_OWNER], "also where it is kept")
      assert.lengthOf(owners, 2)
    }).pipe(Effect.provide(layer()))
  )
})
