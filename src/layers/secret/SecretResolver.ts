/**
 * Resolves references to secrets, just before the values are used. Values from a command, a network or a keychain are kept for a while;
 * `env` and `file` are read each time. The syntax of references is in schemas/secret/SecretReference.ts. An embedding program may add
 * providers.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { homedir } from "node:os"
import {
  SECRET_MASK_MIN_CHARS,
  SECRET_TIMEOUT_MS,
  SECRETS_KEPT_MAX,
  SECRETS_LEARNED_AT_ONCE
} from "../../schemas/defaults/Secrets.ts"
import { isSameValue } from "../../schemas/config/ConfigDifference.ts"
import { formatIssue } from "../../schemas/config/ConfigIssue.ts"
import { SecretUnavailable } from "../../schemas/connection/ConnectError.ts"
import { type Malformed, parse, type Reference, type SECRET_PROVIDERS } from "../../schemas/secret/SecretReference.ts"
import { DEFAULT_SECRETS, type SecretsConfig } from "../../schemas/secret/SecretsConfig.ts"
import { serverOfOwner } from "../../schemas/connection/ServerConfig.ts"
import { Redactor } from "../../services/content/Redactor.ts"
import { SecretResolver } from "../../services/secret/SecretResolver.ts"
import * as AwsProvider from "./SecretResolver/awsProvider.ts"
import * as Answers from "./SecretResolver/cache.ts"
import * as EnvProvider from "./SecretResolver/envProvider.ts"
import * as ExecProvider from "./SecretResolver/execProvider.ts"
import * as FileProvider from "./SecretResolver/fileProvider.ts"
import { makeGiven } from "./SecretResolver/given.ts"
import * as GcpProvider from "./SecretResolver/gcpProvider.ts"
import * as KeychainProvider from "./SecretResolver/keychainProvider.ts"
import * as OpProvider from "./SecretResolver/opProvider.ts"
import type { ProviderContext, SecretProvider, SecretProviders } from "./SecretResolver/SecretProvider.ts"
import * as VaultProvider from "./SecretResolver/vaultProvider.ts"
import * as WithinTime from "./SecretResolver/withinTime.ts"

/** How secrets are reached. All members are optional. */
export interface Options {
  /** The configuration of the built-in providers, or a function that gives the present one. */
  readonly config?: SecretsConfig | (() => SecretsConfig | undefined) | undefined
  /** The variables that `secret://env/…` reads; by default those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The directory that `~` means in `secret://file/~/…`. */
  readonly home?: string
  /** More providers by name. They cannot replace the built-in ones. */
  readonly providers?: SecretProviders
}

const make = Effect.fnUntraced(function* (options: Options) {
  const { env = process.env, home = homedir(), providers = {} } = options
  const configNow = () => (typeof options.config === "function" ? options.config() : options.config) ?? DEFAULT_SECRETS
  const redactor = yield* Redactor
  const withinTime = yield* WithinTime.make(SECRET_TIMEOUT_MS)
  const toldTooShort = new Set<string>()
  const learning = Semaphore.makeUnsafe(1)
  let learned = 0

  /** Making all forms of a value takes time: if thousands arrive together, some are made in each turn of the event loop. */
  const learn = (...value: Parameters<typeof redactor.register>) =>
    learning.withPermit(
      Effect.suspend(() => {
        const version = redactor.version()
        const isMasked = redactor.register(...value)
        const isEnough = redactor.version() !== version && ++learned % SECRETS_LEARNED_AT_ONCE === 0
        return Effect.as(isEnough ? Effect.yieldNow : Effect.void, isMasked)
      })
    )
  const given = makeGiven()

  const build = Effect.fnUntraced(function* (config: SecretsConfig) {
    const faults = new Map(Object.entries(config.faults ?? {}))

    /** Asks a provider: gives a usable value, or fails with the reason. */
    const ask = ([provider, path, version]: Answers.Question): Effect.Effect<string, string> =>
      withinTime(
        Effect.suspend(() => {
          const fault = faults.get(provider === "exec" ? `exec/${path}` : provider)
          return fault === undefined ? known[provider]!.read(path, version) : Effect.fail(formatIssue(fault))
        }),
        {
          late: `provider '${provider}' gave no answer within ${SECRET_TIMEOUT_MS / 1000} s`,
          // What a broken provider throws may contain the value.
          broken: `provider '${provider}' failed`
        }
      ).pipe(
        Effect.filterOrFail(isPresent, () => "it is empty"),
        Effect.filterOrFail(hasNoNul, () => "its value contains a NUL character")
      )

    const answers = yield* Answers.make(ask, config.ttlMs)

    // ---- the configuration of providers --------------------------------------------------------------------------------

    /** References in the configuration of providers lead to `sources` only, so there can be no cycle. */
    const contextOver = (sources: SecretProviders): ProviderContext => {
      const read = (reference: Reference): Effect.Effect<string, string> => {
        const { provider, written } = reference
        if (!Object.hasOwn(sources, provider)) {
          const allowed = Object.keys(sources).join(", ")
          return Effect.fail(`${written}: the configuration of a provider may only refer to ${allowed}`)
        }
        // Not from the cache: a failure would be kept twice, and a changed credential would be used for too long.
        return Effect.mapError(answers.fresh(questionOf(reference)), (detail) => `${written}: ${detail}`)
      }
      return {
        env,
        home,
        mask: (value) => void redactor.register(value),
        reveal: (text) =>
          assemble(text, {
            read: (reference) => Effect.tap(read(reference), (value) => learn(value)),
            refuse: ({ detail, written }) => `${written}: ${detail}`,
            onWhole: (whole) => learn(whole)
          })
      }
    }

    const plain = { env: EnvProvider.make(env), file: FileProvider.make(home) }
    const local = {
      ...plain,
      exec: ExecProvider.make(config.exec, contextOver(plain)),
      keychain: KeychainProvider.make()
    }
    const context = contextOver(local)
    const builtIn: Readonly<Record<(typeof SECRET_PROVIDERS)[number], SecretProvider>> = {
      ...local,
      gcp: GcpProvider.make(config.gcp, context),
      aws: AwsProvider.make(config.aws, context),
      vault: VaultProvider.make(config.vault, context),
      op: OpProvider.make(config.op, context)
    }
    const known: SecretProviders = { ...providers, ...builtIn }
    return { config, ask, answers, known }
  })

  let built = yield* build(configNow())
  /** Other settings of providers count at once, and drop what was kept. */
  const present = Effect.suspend(() => {
    const config = configNow()
    if (config === built.config) return Effect.succeed(built)
    if (isSameValue(config, built.config)) return Effect.succeed((built = { ...built, config }))
    return Effect.tap(build(config), (next) => Effect.sync(() => (built = next)))
  })

  // ---- the texts of servers ------------------------------------------------------------------------------------------

  const read = Effect.fnUntraced(function* (owner: string, reference: Reference, early: boolean) {
    const { provider, written } = reference
    const { answers, ask, known } = yield* present
    if (!Object.hasOwn(known, provider)) {
      return yield* Effect.fail(`there is no provider '${provider}' (there are ${Object.keys(known).join(", ")})`)
    }
    const question = questionOf(reference)
    if (!early) given.asked(owner, question)
    const value = yield* known[provider]!.kept === true ? answers.get(question, owner) : ask(question)
    if (!early) given.took(owner, question, value)
    if (!(yield* learn(value, owner)) && !toldTooShort.has(written) && toldTooShort.size < SECRETS_KEPT_MAX) {
      toldTooShort.add(written)
      yield* Effect.logWarning(`the value of ${written} is too short to be masked in logs and results`)
    }
    return value
  })

  return SecretResolver.of({
    resolve: Effect.fn("SecretResolver.resolve")((owner: string, text: string, { early = false } = {}) => {
      const unavailable = ({ written }: { readonly written: string }, detail: string) =>
        new SecretUnavailable({ server: serverOfOwner(owner), reference: written, detail })
      return assemble(text, {
        read: (reference) => Effect.mapError(read(owner, reference, early), (detail) => unavailable(reference, detail)),
        refuse: (malformed) => unavailable(malformed, malformed.detail),
        onWhole: (whole) => learn(whole, owner)
      }).pipe(Effect.map((whole) => Redacted.make(whole)))
    }),
    know: (owner, value, options) => Effect.asVoid(learn(value, owner, options)),
    forget: Effect.fn("SecretResolver.forget")((owner: string) =>
      Effect.flatMap(present, ({ answers }) => answers.forget(owner))
    ),
    rotated: Effect.fn("SecretResolver.rotated")(function* (owner: string, thorough: boolean) {
      const { answers, ask, known } = yield* present
      const questions = given.of(owner).filter(([provider]) => thorough || known[provider]?.kept !== true)
      // What is kept is the old value, for every owner that has it.
      if (thorough) yield* answers.forget(owner)
      const changed = yield* Effect.forEach(
        questions.filter(([provider]) => Object.hasOwn(known, provider)),
        (question) =>
          (known[question[0]]!.kept === true ? answers.get(question, owner) : ask(question)).pipe(
            Effect.map((value) => {
              const isOther = given.isOther(owner, question, value)
              // Whoever asks starts the server over: it must not be started over twice.
              if (isOther) given.took(owner, question, value)
              return isOther
            }),
            // What cannot be read now may be readable when the server is started.
            Effect.orElseSucceed(() => false)
          )
      )
      return changed.includes(true)
    })
  })
})

const questionOf = ({ path, provider, version }: Reference): Answers.Question => [provider, path, version]

const isPresent = (value: string) => value.trim() !== ""
const hasNoNul = (value: string) => !value.includes("\0")

interface Reading<E> {
  readonly read: (reference: Reference) => Effect.Effect<string, E>
  readonly refuse: (malformed: Malformed) => E
  /** Registers a text that contains a value, because an encoding of the whole need not contain the encoding of the value. */
  readonly onWhole: (whole: string) => Effect.Effect<unknown>
}

/** Replaces each reference in the text by its value, one after the other. */
const assemble = Effect.fnUntraced(function* <E>(text: string, { onWhole, read, refuse }: Reading<E>) {
  const parsed = parse(text)
  if ("malformed" in parsed) return yield* Effect.fail(refuse(parsed.malformed))
  const pieces = yield* Effect.forEach(parsed.parts, (part) =>
    typeof part === "string" ? Effect.succeed(part) : read(part)
  )
  const whole = pieces.join("")
  // The lines of a longer text around a value are not secret, nor is the text around a value that is too short to be masked.
  const isOneLine = parsed.parts.every((part) => typeof part !== "string" || !/[\r\n]/.test(part))
  const isSecret = parsed.parts.some(
    (part, index) => typeof part !== "string" && pieces[index]!.trim().length >= SECRET_MASK_MIN_CHARS
  )
  if (isOneLine && isSecret) yield* onWhole(whole)
  return whole
})

/** Resolves references with the built-in providers and those of `options`. */
export const layer = (options: Options = {}): Layer.Layer<SecretResolver, never, Redactor> =>
  Layer.effect(SecretResolver, make(options))
