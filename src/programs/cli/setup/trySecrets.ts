/**
 * Resolves each reference of a configuration once, as its servers and models would. Reports only whether there is a value;
 * the value is not used.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { withSample } from "../../../schemas/connection/PersonPlaceholder.ts"
import { SECRET_TRIAL_MS, SECRET_TRIALS_AT_ONCE } from "../../../schemas/defaults/Secrets.ts"
import type { AgentConfig, GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { isMaskedText } from "../../../schemas/secret/MaskedText.ts"
import { parse } from "../../../schemas/secret/SecretReference.ts"
import { formatKeyPath, type KeyPath } from "../../../schemas/config/KeyPath.ts"
import { MODEL_OWNER, SecretResolver } from "../../../services/secret/SecretResolver.ts"
import { redactorLayer } from "../masking.ts"

export interface Use {
  /** `null` for the model of an agent. */
  readonly server: string | null
  /** The agents that use the reference there. */
  readonly agents: ReadonlyArray<string>
  /** `env.TOKEN`, `headers.Authorization`, `args[1]`, `url`, `model.apiKey`. */
  readonly place: string
  /** As written, without the text around it. */
  readonly reference: string
}

export interface Trial extends Use {
  readonly ok: boolean
  readonly reason?: string
}

/** How many references of enabled servers depend on the person, each place once: nobody's value would be that of all. */
export const personalCount = (agents: ReadonlyArray<AgentConfig>): number =>
  new Set(
    agents.flatMap((agent) =>
      textsOf(agent).flatMap(([server, place, text]) => {
        const [filled, asWritten] = [referencesIn(withSample(text)), referencesIn(text)]
        return filled
          .filter((reference) => !asWritten.includes(reference))
          .map((reference) => JSON.stringify([server, place, reference]))
      })
    )
  ).size

const referencesIn = (text: string): ReadonlyArray<string> => {
  const parsed = parse(text)
  return "parts" in parsed ? parsed.parts.flatMap((part) => (typeof part === "string" ? [] : [part.written])) : []
}

type Text = readonly [server: string | null, place: KeyPath, text: string]

const textsOf = ({ model, servers }: AgentConfig): ReadonlyArray<Text> => [
  ...(model?.apiKey === undefined ? [] : [[null, ["model", "apiKey"], model.apiKey] as const]),
  ...servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ launch, name }): ReadonlyArray<Text> => {
      const named = (key: string, values: Readonly<Record<string, string>>) =>
        Object.entries(values).map(([item, text]): Text => [name, [key, item], text])
      return launch.kind === "stdio"
        ? [...named("env", launch.env), ...launch.args.map((text, index): Text => [name, ["args", index], text])]
        : [[name, ["url"], launch.url], ...named("headers", launch.headers)]
    })
]

/** Every use of a reference by the enabled servers and models of these agents, each once. */
export const usesOf = (agents: ReadonlyArray<AgentConfig>): ReadonlyArray<Use> => {
  const uses = new Map<string, Use & { readonly agents: Array<string> }>()
  for (const agent of agents) {
    for (const [server, path, text] of textsOf(agent)) {
      for (const reference of referencesIn(text)) {
        const place = formatKeyPath(path)
        const key = JSON.stringify([server, place, reference])
        const known = uses.get(key)
        if (known === undefined) uses.set(key, { server, agents: [agent.id], place, reference })
        else if (!known.agents.includes(agent.id)) known.agents.push(agent.id)
      }
    }
  }
  return [...uses.values()]
}

/**
 * The reason why there is no value, or `undefined`. In braces a reference means the same, whatever characters its path contains.
 */
const tryOne = Effect.fnUntraced(function* ({ reference, server }: Use) {
  const secrets = yield* SecretResolver
  return yield* secrets.resolve(server ?? MODEL_OWNER, `{${reference}}`).pipe(
    Effect.map((value) => (isMaskedText(Redacted.value(value), "secret") ? MASKED : undefined)),
    Effect.catch(({ detail }) => Effect.succeed<string | undefined>(detail)),
    Effect.timeoutOrElse({ duration: SECRET_TRIAL_MS, orElse: () => Effect.succeed<string | undefined>(LATE) })
  )
})

const MASKED = "its value is a mask, not a secret: it was written back from a display"
const LATE = `no answer within ${SECRET_TRIAL_MS / 1000} s`

/** Resolves each reference once, however often it is used. */
export const tryAll = Effect.fnUntraced(function* (uses: ReadonlyArray<Use>) {
  const distinct = new Map(uses.map((use) => [use.reference, use]))
  const tried = yield* Effect.forEach(
    [...distinct.values()],
    (use) => Effect.map(tryOne(use), (reason) => [use.reference, reason] as const),
    { concurrency: SECRET_TRIALS_AT_ONCE }
  )
  const reasons = new Map(tried)
  return uses.map((use): Trial => {
    const reason = reasons.get(use.reference)
    return reason === undefined ? { ...use, ok: true } : { ...use, ok: false, reason }
  })
})

/** With the secret providers of this configuration. Loaded here, because only this command needs them. */
export const layerFor = ({ secrets }: GatewayConfig) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const resolver = await import("../../../layers/secret/SecretResolver.ts")
      return resolver.layer({ config: secrets }).pipe(Layer.provide(redactorLayer))
    })
  )
