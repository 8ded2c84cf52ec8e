/** Where values come from. */
import type * as Effect from "effect/Effect"

export interface SecretProvider {
  /**
   * The value at `path`. Fails with the reason in plain words, which go into an error message: never with the value or a
   * part of it. Values of white space only, or with a NUL, are refused by the caller.
   */
  readonly read: (path: string, version: string | undefined) => Effect.Effect<string, string>
}

export type SecretProviders = Readonly<Record<string, SecretProvider>>
