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
      return Effect.match(introspection === undefined ? issuer.readable : ask(issuer, NOBODYS), {
        onSuccess: () => [],
        onFailure: (error) => (error._tag === "IssuerAway" ? [{ issuer: name, detail: error.detail }] : [])
      })
    },
    { concurrency: "unbounded" }
  ).pipe(Effect.map((found) => found.flat()))
