/** Keeps the credentials of servers between runs, for every process of this user. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Credentials, ServerIdentity } from "../../schemas/login/Credentials.ts"
import type { TokenStoreFailed } from "../../schemas/login/TokenStoreFailed.ts"

/** Keeps the credentials of servers between runs, for every process of this user. */
export class TokenStore extends Context.Service<
  TokenStore,
  {
    /** What is kept now, also by another process since; `undefined` for nothing. */
    readonly read: (identity: ServerIdentity) => Effect.Effect<Credentials | undefined, TokenStoreFailed>
    /**
     * Reads, changes and writes, one at a time over all processes: what `change` sees nobody changes under its hands. What
     * it gives replaces the file as a whole; `undefined` leaves it. A failed `change` changes nothing. Once `change` has
     * given something it is written, whoever is interrupted.
     *
     * Who held the lock and died is succeeded; who is alive is waited for, and then it fails.
     */
    readonly modify: <A, E>(
      identity: ServerIdentity,
      change: (current: Credentials | undefined) => Effect.Effect<Change<A>, E>
    ) => Effect.Effect<A, E | TokenStoreFailed>
    /** Forgets everything of a server. Nothing to forget is no error. */
    readonly remove: (identity: ServerIdentity) => Effect.Effect<void, TokenStoreFailed>
    /** Looks at what is kept of this server now; what it gives completes when that has been changed, by whomever. */
    readonly watch: (identity: ServerIdentity) => Effect.Effect<Effect.Effect<void>>
    /** Whether what is written is encrypted with a key of the system's keychain. */
    readonly encrypts: Effect.Effect<boolean>
  }
>()("mcp-live/services/TokenStore") {}

/** What a change of credentials gives back, and what it leaves behind. */
export interface Change<A> {
  readonly value: A
  /** What is kept from now on. */
  readonly keep?: Credentials | undefined
}
