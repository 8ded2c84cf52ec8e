/** What provides the values of secrets. */
import type * as Effect from "effect/Effect"

export interface SecretProvider {
  /**
   * The value at `path`. Fails with a reason in plain words for the error message. The reason must not contain the value or a part of it,
   * nor output of a command or a server, which may quote it. The caller refuses values with a NUL or of white space only, and interrupts a
   * `read` that takes too long, which must then leave nothing behind.
   */
  readonly read: (path: string, version: string | undefined) => Effect.Effect<string, string>
  /** Whether values are kept for `SecretsConfig.ttlMs`, because asking again is expensive. False if left out. */
  readonly kept?: boolean
}

export type SecretProviders = Readonly<Record<string, SecretProvider>>

/** What the providers of this folder get. */
export interface ProviderContext {
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The home directory. */
  readonly home: string
  /**
   * Resolves the references in a text of `SecretsConfig`, and registers the value with the `Redactor`. Only `env`, `file`, `exec` and
   * `keychain` are allowed. Fails as `SecretProvider.read` does.
   */
  readonly reveal: (text: string) => Effect.Effect<string, string>
  /** Registers a credential that a provider found elsewhere (`VAULT_TOKEN`, a token of a login), so that it is masked. */
  readonly mask: (value: string) => void
}
