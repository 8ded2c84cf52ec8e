/** Ends a login: revokes the tokens if the authorization server supports it (RFC 7009), and forgets them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { NO_CREDENTIALS, type Credentials, type Tokens } from "../../../schemas/login/Credentials.ts"
import { LoginFailed, type LoggedOut } from "../../../schemas/login/Login.ts"
import { knownClient, metadataFor, type Client } from "./clients.ts"
import type { Discovered } from "./discovery.ts"
import type { LoginContext } from "./login.ts"
import { unanswered, type AuthProblem } from "./problem.ts"
import { findAuthorizationServer, type Subject } from "./renewal.ts"
import { trustOf } from "./trust.ts"

const FORM = "application/x-www-form-urlencoded"

/** Authenticates as at the token endpoint (RFC 7009 §2.1). */
const proveWhoWeAre = async (
  { client, discovered, endpoint, oauth }: Subject & { client: Client; discovered: Discovered; endpoint: URL },
  headers: Headers,
  form: URLSearchParams
): Promise<void> => {
  const { addClientAuthentication, authMethod, clientId, clientSecret } = client
  const metadata = metadataFor(discovered, oauth)
  if (addClientAuthentication !== undefined) return addClientAuthentication(headers, form, endpoint, metadata)
  const { selectClientAuthMethod } = await import("@modelcontextprotocol/client")
  const information = {
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    ...(authMethod === undefined ? {} : { token_endpoint_auth_method: authMethod })
  }
  const method = selectClientAuthMethod(information, metadata.token_endpoint_auth_methods_supported ?? [])
  if (method === "client_secret_basic") {
    headers.set("authorization", `Basic ${Buffer.from(`${clientId}:${clientSecret ?? ""}`).toString("base64")}`)
    return
  }
  form.set("client_id", clientId)
  if (method === "client_secret_post") form.set("client_secret", clientSecret ?? "")
}

const revoke = Effect.fnUntraced(function* (
  subject: Subject,
  current: Credentials,
  { accessToken, refreshToken }: Tokens
): Effect.fn.Return<boolean | undefined, AuthProblem> {
  const discovered = yield* findAuthorizationServer(subject, undefined, current)
  const endpoint = discovered.authorizationServer.revocationEndpoint
  // Tokens are sent only to the server that issued them.
  if (endpoint === undefined || discovered.authorizationServer.issuer !== current.authorization?.issuer)
    return undefined
  const client = yield* knownClient({ ...subject, discovered, current }, yield* Clock.currentTimeMillis)
  if (client === undefined) return undefined
  const send = (token: string, hint: string) =>
    Effect.tryPromise({
      try: async (signal) => {
        const headers = new Headers({ "content-type": FORM, accept: "application/json" })
        const form = new URLSearchParams({ token, token_type_hint: hint })
        await proveWhoWeAre({ ...subject, client, discovered, endpoint }, headers, form)
        return subject.supplied.fetch(endpoint, { method: "POST", headers, body: form.toString(), signal })
      },
      catch: unanswered
    }).pipe(Effect.map(({ ok }) => ok))
  // Most servers revoke the access tokens together with the refresh token; they are revoked explicitly nevertheless.
  const refreshed = refreshToken === undefined ? true : yield* send(refreshToken, "refresh_token")
  const accessed = yield* send(accessToken, "access_token")
  return refreshed && accessed
})

/** Whether they contain anything except the recorded authorization server. */
const isKnown = ({ authorization, clients, wanted, dpopKey }: Credentials): boolean =>
  authorization?.tokens !== undefined || Object.keys(clients).length > 0 || wanted.length > 0 || dpopKey !== undefined

/** Forgets first and then revokes: otherwise tokens that another process renews in between would not be revoked. */
export const logOut = Effect.fnUntraced(function* ({
  identity,
  store,
  subject
}: LoginContext): Effect.fn.Return<LoggedOut, LoginFailed> {
  let current: Credentials | undefined
  const taken = yield* Effect.result(
    store.modify(identity, (kept) => {
      current = kept
      const value = trustOf(subject, kept)
      return Effect.succeed(kept === undefined ? { value } : { value, keep: value ?? NO_CREDENTIALS })
    })
  )
  const remains = taken._tag === "Success" ? taken.success?.authorization?.issuer : undefined
  // Credentials that cannot be read or written can still be forgotten.
  if (remains === undefined) {
    yield* store
      .remove(identity)
      .pipe(Effect.mapError(({ detail }) => new LoginFailed({ server: subject.server, passing: false, detail })))
  }
  const tokens = current?.authorization?.tokens
  const revoked =
    current === undefined || tokens === undefined
      ? undefined
      : yield* revoke(subject, current, tokens).pipe(Effect.orElseSucceed(() => false))
  return {
    known: taken._tag === "Failure" || (current !== undefined && isKnown(current)),
    revoked,
    ...(remains === undefined ? {} : { remains: subject.tidy(remains) })
  }
})
