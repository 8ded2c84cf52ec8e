/** Resolves all references, or returns the first error: a sentence that says where the reference is, and never its value. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as SecretResolverLayer from "../../layers/secret/SecretResolver.ts"
import { isMaskedText } from "../../schemas/secret/MaskedText.ts"
import { needsConfig } from "../../schemas/secret/SecretReference.ts"
import { SecretResolver } from "../../services/secret/SecretResolver.ts"
import { redactorLayer } from "../cli/masking.ts"
import { hasReference, type Variables } from "./environment.ts"

type Command = readonly [string, ...ReadonlyArray<string>]

interface Wanted {
  readonly command: Command
  readonly env: Variables
  readonly config: string | undefined
  /** The variables that `secret://env` reads. */
  readonly surroundings: Readonly<Record<string, string | undefined>>
}

export type Resolved = { readonly command: Command; readonly env: Variables } | { readonly problem: string }

/** No server name contains a line break. */
const OWNER = "exec\n"

/** A variable whose value is a reference has no value of its own. */
const valuesOf = (env: Wanted["surroundings"]) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && !hasReference(value)))

const secretsOf = Effect.fnUntraced(function* (path: string | undefined) {
  const [source, { ConfigSource }] = yield* Effect.promise(() =>
    Promise.all([import("../../layers/config/ConfigSource.ts"), import("../../services/config/ConfigSource.ts")])
  )
  const layer = path === undefined ? source.layerOptional() : source.layer({ path })
  const { secrets } = yield* ConfigSource.use(({ load }) => load).pipe(
    Effect.provide(layer),
    Effect.mapError(({ message }) => message)
  )
  return secrets
})

const resolve = Effect.fnUntraced(function* ({ command, config, env, surroundings }: Wanted) {
  const texts = [...Object.values(env), ...command.slice(1)].filter(hasReference)
  const secrets = config !== undefined || texts.some(needsConfig) ? yield* secretsOf(config) : undefined
  const layer = SecretResolverLayer.layer({ config: secrets, env: valuesOf(surroundings) }).pipe(
    Layer.provide(redactorLayer)
  )
  return yield* Effect.gen(function* () {
    const resolver = yield* SecretResolver
    const reveal = (place: string, text: string) =>
      !hasReference(text)
        ? Effect.succeed(text)
        : resolver.resolve(OWNER, text).pipe(
            Effect.map((value) => Redacted.value(value)),
            Effect.mapError(
              ({ detail, reference }) => `${place} needs ${reference}: ${detail}${hint(reference, surroundings)}`
            ),
            Effect.filterOrFail(
              (value) => !isMaskedText(value, "secret"),
              () => `${place} is a mask, not a value: it was written back from a display`
            )
          )
    const variables = yield* Effect.forEach(
      Object.entries(env),
      ([name, text]) => Effect.map(reveal(name, text), (value): [string, string] => [name, value]),
      { concurrency: "unbounded" }
    )
    const [name, ...args] = command
    const revealed = yield* Effect.forEach(args, (text, i) => reveal(`argument ${i + 1}`, text))
    return { command: [name, ...revealed] as Command, env: Object.fromEntries(variables) }
  }).pipe(Effect.provide(layer))
})

/** With `TOKEN: "secret://env/TOKEN"` the writer expects the value of another environment. */
const hint = (reference: string, surroundings: Wanted["surroundings"]): string => {
  const [, name = ""] = /^secret:\/\/env\/(\w+)/.exec(reference) ?? []
  return hasReference(surroundings[name] ?? "")
    ? " to a value: it is a reference itself; give the secret under another name, or keep it elsewhere (secret://file/…)"
    : ""
}

/** Rejects when the signal aborts; programs that were asked for a value have ended then. */
export const resolveAll = (wanted: Wanted, signal: AbortSignal): Promise<Resolved> =>
  Effect.runPromise(
    resolve(wanted).pipe(
      Effect.catch((problem) => Effect.succeed({ problem })),
      // stdout and stderr belong to the command.
      Effect.provide(Logger.layer([]))
    ),
    { signal }
  )
