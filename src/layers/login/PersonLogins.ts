/** The logins of people at servers, so that they can be forgotten: revoked where that is offered, and deleted in any case. */
import * as Effect from "effect/Effect"
import { accountOfPerson } from "../../schemas/connection/Isolation.ts"
import type { ServerIdentity } from "../../schemas/login/Credentials.ts"
import type { PersonStore } from "../../services/call/PersonStores.ts"
import { CredentialStore } from "../../services/login/CredentialStore.ts"

/** Revokes a login; false if that is not possible now, `undefined` if there is nothing to revoke or no place for it. */
export type Revoke = (identity: ServerIdentity) => Effect.Effect<boolean | undefined>

export const personLogins = (revoke: Revoke): Effect.Effect<PersonStore, never, CredentialStore> =>
  Effect.map(CredentialStore, ({ hold, ofAccount }) => {
    const removed = Effect.fnUntraced(function* (identity: ServerIdentity) {
      const revoked = yield* revoke(identity)
      if (revoked === false) {
        yield* Effect.logWarning(
          `the login at '${identity.server}' is deleted here, and could not be revoked: if that matters, revoke it there`
        )
      }
      yield* Effect.scoped(Effect.flatMap(hold(identity), ({ remove }) => remove))
    })
    return {
      what: "logins at servers",
      forget: ({ ids }) =>
        Effect.gen(function* () {
          const theirs = (yield* Effect.forEach(ids, (id) => ofAccount(accountOfPerson(id)))).flat()
          yield* Effect.forEach(theirs, removed, { discard: true })
          return theirs.length
        })
    }
  })
