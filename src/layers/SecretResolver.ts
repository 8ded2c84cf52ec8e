/**
 * Turns references into values, each just before it is used and each time anew: a rotated secret is seen by the next
 * connection. Built in are `env` and `file`; an embedding program may bring providers of its own. How references are
 * written is told in SecretResolver/reference.ts.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { homedir } from "node:os"
import { SECRET_TIMEOUT_MS } from "../schemas/Defaults.ts"
import { SecretUnavailable } from "../schemas/McpError.ts"
import { Redactor } from "../services/Redactor.ts"
import { SecretResolver } from "../services/SecretResolver.ts"
import * as EnvProvider from "./SecretResolver/envProvider.ts"
import * as FileProvider from "./SecretResolver/fileProvider.ts"
import { parse, type Reference } from "./SecretResolver/reference.ts"
import type { SecretProviders } from "./SecretResolver/SecretProvider.ts"

export interface Options {
  /** What `secret://env/…` reads; the environment of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What `~` stands for in `secret://file/~/…`. */
  readonly home?: string
  /** Further providers by name. They cannot replace `env` and `file`. */
  readonly providers?: SecretProviders
}

const make = Effect.fnUntraced(function* ({ env = process.env, home = homedir(), providers = {} }: Options) {
  const redactor = yield* Redactor
  const known: SecretProviders = { ...providers, env: EnvProvider.make(env), file: FileProvider.make(home) }
  const toldTooShort = new Set<string>()

  const read = Effect.fnUntraced(function* (owner: string, reference: Reference) {
    const value = yield* readFrom(known, reference).pipe(
      Effect.filterOrFail(isPresent, () => "it is empty"),
      Effect.filterOrFail(hasNoNul, () => "its value holds a NUL character"),
      Effect.mapError((detail) => new SecretUnavailable({ server: owner, reference: reference.written, detail }))
    )
    if (!redactor.register(value) && !toldTooShort.has(reference.written)) {
      toldTooShort.add(reference.written)
      yield* Effect.logWarning(`the value of ${reference.written} is too short to be masked in logs and results`)
    }
    return value
  })

  const resolve = Effect.fn("SecretResolver.resolve")(function* (owner: string, text: string) {
    const parsed = parse(text)
    if ("malformed" in parsed) {
      const { detail, written } = parsed.malformed
      return yield* new SecretUnavailable({ server: owner, reference: written, detail })
    }
    const pieces = yield* Effect.forEach(parsed.parts, (part) =>
      typeof part === "string" ? Effect.succeed(part) : read(owner, part)
    )
    const whole = pieces.join("")
    // Encodings of the whole need not hold one of its parts. The lines of a longer text around a value are no secret.
    const isOneLine = parsed.parts.every((part) => typeof part !== "string" || !/[\r\n]/.test(part))
    if (whole !== text && isOneLine) redactor.register(whole)
    return Redacted.make(whole)
  })

  return SecretResolver.of({ resolve, forget: () => Effect.void })
})

/** Spoken of in documentation, and not there yet: the message should not look as if the name were misspelled. */
const ANNOUNCED: ReadonlySet<string> = new Set(["gcp", "aws", "vault", "op", "keychain", "exec"])

const readFrom = (known: SecretProviders, { path, provider, version }: Reference): Effect.Effect<string, string> => {
  const source = Object.hasOwn(known, provider) ? known[provider] : undefined
  if (source === undefined) {
    return Effect.fail(
      ANNOUNCED.has(provider)
        ? `provider '${provider}' is not available in this version`
        : `there is no provider '${provider}' (there are ${Object.keys(known).join(", ")})`
    )
  }
  return source.read(path, version).pipe(
    // What a broken provider throws may quote the value.
    Effect.catchDefect(() => Effect.fail(`provider '${provider}' failed`)),
    Effect.timeoutOrElse({
      duration: Duration.millis(SECRET_TIMEOUT_MS),
      orElse: () => Effect.fail(`provider '${provider}' gave no answer within ${SECRET_TIMEOUT_MS / 1000} s`)
    })
  )
}

const isPresent = (value: string) => value.trim() !== ""
const hasNoNul = (value: string) => !value.includes("\0")

export const layer = (options: Options = {}): Layer.Layer<SecretResolver, never, Redactor> =>
  Layer.effect(SecretResolver, make(options))
