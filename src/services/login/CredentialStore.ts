/** Stores the credentials of servers as texts, for all who share the store. `TokenStore` reads, encrypts and writes them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ServerIdentity } from "../../schemas/login/Credentials.ts"

/** The credentials of one server, for whoever holds them. All fails with words. */
export interface HeldCredentials {
  readonly read: Effect.Effect<string | undefined, string>
  readonly write: (text: string) => Effect.Effect<void, string>
  /** It is no error if there is nothing. */
  readonly remove: Effect.Effect<void, string>
}

/** Stores the credentials of servers as texts, for all who share the store. */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** What encrypts them, in base64; `undefined` if that is for the keychain of the system. */
    readonly key: string | undefined
    /** What is stored now, including changes by others. Fails with words. */
    readonly read: (identity: ServerIdentity) => Effect.Effect<string | undefined, string>
    /**
     * Holds the credentials of a server for the caller's Scope: nobody else who shares the store can hold them meanwhile. Waits for others
     * for a while; what somebody had who died is taken over. Fails with words.
     */
    readonly hold: (identity: ServerIdentity) => Effect.Effect<HeldCredentials, string, Scope.Scope>
    /** Looks at what is stored now; the inner Effect completes when anybody has changed that. */
    readonly watch: (identity: ServerIdentity) => Effect.Effect<Effect.Effect<void>>
    /** Whose credentials are stored for this account. Fails with words. */
    readonly ofAccount: (account: string) => Effect.Effect<ReadonlyArray<ServerIdentity>, string>
    /** Only one at a time may make the key that encrypts them. Fails with words. */
    readonly holdKey: Effect.Effect<void, string, Scope.Scope>
  }
>()("mcp-live/services/CredentialStore") {}
