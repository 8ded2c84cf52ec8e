/** Where values come from. */
import type * as Effect from "effect/Effect"

export interface SecretProvider {
  /**
   * The value at `path`. Fails with the reason in plain words, which go into an error message: never with the value or a
   * part of it, nor with words of a command or a server, which may quote it. Values of white space only, or with a NUL, are
   * refused by the caller, and so is an answer that takes too long: then `read` is interrupted and must leave nothing behind.
   */
  readonly read: (path: string, version: string | undefined) => Effect.Effect<string, string>
  /** Whether values are kept for `SecretsConfig.ttlMs`, because asking again costs. Not when left out. */
  readonly kept?: boolean
}

export type SecretProviders = Readonly<Record<string, SecretProvider>>

/** What the providers of this folder are given to work with. */
export interface ProviderContext {
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The home directory. */
  readonly home: string
  /**
   * The value of a text of `SecretsConfig`, with its references to `env`, `file`, `exec` and `keychain` resolved, known to
   * the `Redactor`; a reference to any other provider is refused. Fails as `SecretProvider.read` does.
   */
  readonly reveal: (text: string) => Effect.Effect<string, string>
  /** Makes a credential known that a provider found elsewhere (`VAULT_TOKEN`, a token it was given), so that it is masked. */
  readonly mask: (value: string) => void
}
