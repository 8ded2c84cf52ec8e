/**
 * The known model providers, and the plan for one configured model: its URL, its name at the provider, and the variable with
 * its key. Contacts and loads nothing.
 */
import * as Result from "effect/Result"
import type { ModelConfig } from "../../../schemas/config/GatewayConfig.ts"
import { nearest } from "../../../schemas/call/Names.ts"

/** An adapter that users install themselves. */
export interface ProviderPackage {
  readonly name: string
  /** The versions that fit the agent loop. */
  readonly range: string
  readonly factory: string
  /** Without the package, the provider's OpenAI-compatible URL is used. */
  readonly optional: boolean
}

interface Provider {
  /** Environment variables that may hold the key; messages name the first. Empty when no key is needed. */
  readonly keys: ReadonlyArray<string>
  /** The OpenAI-compatible URL. */
  readonly baseUrl?: string
  readonly package?: ProviderPackage
  /** Whether the provider rejects a request for usage in a stream (it reports it anyway). */
  readonly usageUnasked?: boolean
}

const OLLAMA_PORT = "11434"

const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    package: { name: "@ai-sdk/anthropic", range: "4", factory: "createAnthropic", optional: false }
  },
  google: {
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    package: { name: "@ai-sdk/google", range: "4", factory: "createGoogle", optional: false }
  },
  openai: {
    keys: ["OPENAI_API_KEY"],
    baseUrl: "https://api.openai.com/v1",
    package: { name: "@ai-sdk/openai", range: "4", factory: "createOpenAI", optional: true }
  },
  deepseek: { keys: ["DEEPSEEK_API_KEY"], baseUrl: "https://api.deepseek.com/v1" },
  groq: { keys: ["GROQ_API_KEY"], baseUrl: "https://api.groq.com/openai/v1" },
  mistral: { keys: ["MISTRAL_API_KEY"], baseUrl: "https://api.mistral.ai/v1", usageUnasked: true },
  ollama: { keys: [], baseUrl: `http://127.0.0.1:${OLLAMA_PORT}/v1` },
  openrouter: { keys: ["OPENROUTER_API_KEY"], baseUrl: "https://openrouter.ai/api/v1" },
  together: { keys: ["TOGETHER_API_KEY"], baseUrl: "https://api.together.xyz/v1" },
  xai: { keys: ["XAI_API_KEY"], baseUrl: "https://api.x.ai/v1" }
}

export interface ModelPlan {
  /** For messages: the provider's name, or the URL of an OpenAI-compatible one. */
  readonly provider: string
  /** The model's name at the provider. */
  readonly model: string
  readonly baseUrl: string | undefined
  readonly package: ProviderPackage | undefined
  readonly keys: ReadonlyArray<string>
  readonly askForUsage: boolean
}

/** `OLLAMA_HOST` as Ollama's own tools read it: with or without scheme and port, `0.0.0.0` for a server on this machine. */
const ollamaUrl = (host: string): string => {
  const withScheme = /^https?:\/\//.test(host) ? host : `http://${host}`
  const withPort = /:\d+\/?$/.test(withScheme) ? withScheme : `${withScheme.replace(/\/$/, "")}:${OLLAMA_PORT}`
  return `${withPort.replace("//0.0.0.0", "//127.0.0.1").replace(/\/$/, "")}/v1`
}

const isHttpUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/**
 * A custom URL is treated as OpenAI-compatible. It gets the model name as written (except for `ollama/`), and never a
 * provider's key from the environment: that key belongs to the provider's own URL.
 */
export const planModel = (config: ModelConfig, ollamaHost: string | undefined): Result.Result<ModelPlan, string> => {
  const divider = config.id.indexOf("/")
  const [prefix, rest] = divider < 0 ? ["", config.id] : [config.id.slice(0, divider), config.id.slice(divider + 1)]
  const isOllama = prefix === "ollama"
  const ownUrl = config.baseUrl ?? (isOllama && ollamaHost !== undefined ? ollamaUrl(ollamaHost) : undefined)
  if (ownUrl !== undefined) {
    return isHttpUrl(ownUrl)
      ? Result.succeed({
          provider: isOllama ? "ollama" : new URL(ownUrl).origin,
          model: isOllama ? rest : config.id,
          baseUrl: ownUrl,
          package: undefined,
          keys: [],
          askForUsage: true
        })
      : Result.fail(`The address of model '${config.id}' is not an http(s) URL: ${ownUrl}`)
  }
  if (rest === "") return Result.fail(`'${config.id}' does not name a model: write 'provider/model'`)
  const provider = Object.hasOwn(PROVIDERS, prefix) ? PROVIDERS[prefix] : undefined
  if (provider !== undefined) {
    return Result.succeed({
      provider: prefix,
      model: rest,
      baseUrl: provider.baseUrl,
      package: provider.package,
      keys: provider.keys,
      askForUsage: provider.usageUnasked !== true
    })
  }
  const known = Object.keys(PROVIDERS)
  const near = nearest(prefix, known)
  return Result.fail(
    prefix === ""
      ? `Model '${config.id}' does not say whose it is: write 'provider/${config.id}' (${known.join(", ")}) or give it a baseUrl`
      : `Model '${config.id}' names an unknown provider '${prefix}'${near === null ? "" : ` (did you mean '${near}'?)`}; known: ${known.join(", ")}. Any other OpenAI-compatible server works with a baseUrl`
  )
}
