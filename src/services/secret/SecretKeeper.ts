/** Stores secrets of this user where `secret://` references find them. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

/** Where a secret is stored. */
export const KEEPERS = ["file", "keychain"] as const
export type Keeper = (typeof KEEPERS)[number]

/** The secret could not be stored. The message holds no part of it. */
export class SecretNotKept extends Schema.TaggedError<SecretNotKept>()("SecretNotKept", {
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

export interface Secret {
  readonly server: string
  readonly name: string
}

/** A stored secret. */
export interface Kept {
  /** Without braces. */
  readonly reference: string
  /** It was not stored before. */
  readonly isNew: boolean
}

/** Stores secrets where `secret://` references find them. */
export class SecretKeeper extends Context.Service<
  SecretKeeper,
  {
    /**
     * Stores a secret of a server. The name of another one is never taken: the same value under the same name gives the same reference,
     * another value another one.
     */
    readonly keep: (
      keeper: Keeper,
      secret: Secret & { readonly value: Redacted.Redacted<string> }
    ) => Effect.Effect<Kept, SecretNotKept>
    /** The reference that a secret gets if its name is free. Stores nothing. */
    readonly referenceFor: (keeper: Keeper, secret: Secret) => string
    /** Removes a secret that `keep` has stored, by its reference. Does nothing for any other. */
    readonly forget: (reference: string) => Effect.Effect<void>
  }
>()("mcp-live/services/SecretKeeper") {}
