/** Why issuers cannot be used, for whoever looks for that before a token comes. */
import * as Effect from "effect/Effect"
import type { IssuerAway, TokenRefused } from "../../../schemas/login/TokenRefused.ts"
import type { Issuer } from "./issuer.ts"

/** One that is asked about tokens says that it does not know this one. */
const NOBODYS = "a token that nobody has"

export const problemsOf = (
  issuers: ReadonlyArray<Issuer>,
  ask: (issuer: Issuer, token: string) => Effect.Effect<unknown, IssuerAway | TokenRefused>
) =>
  Effect.forEach(
    issuers,
    (issuer) => {
      const { introspection, issuer: name } = issuer.config
      // One whose address for questions is written down needs no metadata for them.
      const readable =
        introspection?.url === undefined
          ? issuer.readable
          : Effect.matchEffect(issuer.metadata, { onFailure: () => Effect.void, onSuccess: () => issuer.readable })
      const asked = introspection === undefined ? Effect.void : ask(issuer, NOBODYS)
      return Effect.match(Effect.andThen(readable, asked), {
        onSuccess: () => [],
        onFailure: (error) => (error._tag === "IssuerAway" ? [{ issuer: name, detail: error.detail }] : [])
      })
    },
    { concurrency: "unbounded" }
  ).pipe(Effect.map((found) => found.flat()))
