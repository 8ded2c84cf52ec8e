/** Stores the credentials of servers for all processes of this user. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Credentials, ServerIdentity } from "../../schemas/login/Credentials.ts"
import type { TokenStoreFailed } from "../../schemas/login/TokenStoreFailed.ts"

/** Stores the credentials of servers for all processes of this user. */
export class TokenStore extends Context.Service<
  TokenStore,
  {
    /** What is stored now, including changes by other processes; `undefined` when nothing is. */
    readonly read: (identity: ServerIdentity) => Effect.Effect<Credentials | undefined, TokenStoreFailed>
    /**
     * Reads, changes and writes, one caller at a time over all processes. The result of `change` replaces the whole file;
     * `undefined` leaves it. A failed `change` changes nothing. Once `change` has returned, the result is written even if the
     * caller is interrupted.
     *
     * The lock of a dead process is taken over. A living one is waited for; after a while this fails.
     */
    readonly modify: <A, E>(
      identity: ServerIdentity,
      change: (current: Credentials | undefined) => Effect.Effect<Change<A>, E>
    ) => Effect.Effect<A, E | TokenStoreFailed>
    /** Deletes everything stored for a server. It is no error if there is nothing. */
    readonly remove: (identity: ServerIdentity) => Effect.Effect<void, TokenStoreFailed>
    /** Reads what is stored for this server now; the inner Effect completes when anybody has changed that. */
    readonly watch: (identity: ServerIdentity) => Effect.Effect<Effect.Effect<void>>
    /** Whether files are encrypted with a key from the system's keychain. */
    readonly encrypts: Effect.Effect<boolean>
  }
>()("mcp-live/services/TokenStore") {}

/** What a change of credentials returns and stores. */
export interface Change<A> {
  readonly value: A
  /** What to store from now on. */
  readonly keep?: Credentials | undefined
}
