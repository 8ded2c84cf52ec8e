/**
 * The login of a person: discovery, the page that is shown, the check of the answer, the exchange of the code. Only then are the kept credentials
 * changed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import type { Credentials, ServerIdentity } from "../../../schemas/login/Credentials.ts"
import { LOGIN_TIMEOUT_MS } from "../../../schemas/defaults/Authorization.ts"
import { LoginFailed, type Granted } from "../../../schemas/login/Login.ts"
import { entrustsSecrets, isUnattended } from "../../../schemas/login/OAuthConfig.ts"
import type { TokenStoreFailed } from "../../../schemas/login/TokenStoreFailed.ts"
import type { LoginOptions, Redirecting } from "../../../services/login/Authorizer.ts"
import type { TokenStore } from "../../../services/login/TokenStore.ts"
import { challengeOf, type Challenge } from "./challenge.ts"
import { clientForLogin, metadataFor, type Client } from "./clients.ts"
import type { Discovered } from "./discovery.ts"
import { exchangeCode, type GrantOptions } from "./grants.ts"
import { openLoopback } from "./loopback.ts"
import { later, refused, unanswered, type AuthProblem } from "./problem.ts"
import { readPasted, readRedirect, type Expected, type Redirect } from "./redirect.ts"
import { dpopFor, findAuthorizationServer, scopesFor, withTokens, type Subject, type Wanted } from "./renewal.ts"
import { isNowTrusted, strangeIssuer, trusting } from "./trust.ts"

export interface LoginContext {
  readonly subject: Subject
  readonly identity: ServerIdentity
  readonly store: TokenStore["Service"]
}

export interface LoggedIn {
  readonly granted: Granted
  readonly credentials: Credentials
}

/** Sends a request without a token, because the refusal says what is required. */
const PROBE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
const PROBE_HEADERS = { accept: "application/json, text/event-stream", "content-type": "application/json" }

const probe = ({ supplied, url }: Subject): Effect.Effect<Challenge | undefined, AuthProblem> =>
  Effect.tryPromise({
    try: (signal) => supplied.head(url, { method: "POST", headers: PROBE_HEADERS, body: PROBE, signal }),
    catch: unanswered
  }).pipe(
    Effect.map(({ headers, status }) => (status === 401 ? challengeOf(headers.get("www-authenticate")) : undefined)),
    Effect.mapError(({ remedy }) =>
      remedy === "later"
        ? later("the server cannot be reached")
        : refused("its address leads where nothing may be sent")
    )
  )

/** Without PKCE, others could use an intercepted code. A server that does not mention PKCE does not support it. */
const checkLogin = ({ authorizationServer }: Discovered): AuthProblem | undefined => {
  if (authorizationServer.authorizationEndpoint === undefined) {
    return refused("its authorization server has no page for logins")
  }
  return authorizationServer.challengeMethods?.includes("S256") === true
    ? undefined
    : refused("its authorization server does not say that it takes PKCE with S256")
}

/** The port of a registered client, if it is free. Another port requires a new registration. */
const openRedirect = (
  { oauth }: Subject,
  { port, redirect }: Pick<LoginOptions, "port" | "redirect">,
  known: string | undefined
) => {
  if (redirect !== undefined) return Effect.succeed<Redirecting>(redirect)
  const wanted = port ?? oauth.redirectPort
  if (wanted !== undefined) return openLoopback(wanted)
  const before = known === undefined ? "" : (URL.parse(known)?.port ?? "")
  return before === "" ? openLoopback(0) : openLoopback(Number(before)).pipe(Effect.catch(() => openLoopback(0)))
}

/** The first answer counts: the redirect of the browser, or the address that the person pastes. */
const whatComesBack = (
  answered: Effect.Effect<URLSearchParams>,
  shown: Effect.Effect<string | void, LoginFailed>,
  expected: Expected
): Effect.Effect<Redirect, LoginFailed> =>
  Effect.raceFirst(
    Effect.map(answered, (params) => readRedirect(params, expected)),
    Effect.flatMap(shown, (pasted) =>
      typeof pasted === "string" ? Effect.succeed(readPasted(pasted, expected)) : Effect.never
    )
  )

const authorizationPage = Effect.fnUntraced(function* (
  { discovered, client, oauth, scopes }: GrantOptions,
  redirectUri: string,
  state: string
) {
  const { startAuthorization } = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
  return yield* Effect.tryPromise({
    try: () =>
      startAuthorization(discovered.authorizationServer.issuer, {
        metadata: metadataFor(discovered, oauth),
        clientInformation: { client_id: client.clientId },
        redirectUrl: redirectUri,
        ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
        state,
        resource: discovered.resource
      }),
    catch: () => refused("no login can be begun at its authorization server")
  })
})

/** Another authorization server may have been recorded while the person was away. */
const entrust = (
  { identity, store, subject }: LoginContext,
  discovered: Discovered,
  { clientId }: Client
): Effect.Effect<void, AuthProblem | TokenStoreFailed> =>
  entrustsSecrets(subject.oauth)
    ? store.modify(identity, (kept) => {
        const strange = strangeIssuer(subject, discovered, kept)
        if (strange !== undefined) return Effect.fail(strange)
        return Effect.succeed(
          isNowTrusted(subject, kept)
            ? { value: undefined, keep: trusting(kept, discovered, clientId) }
            : { value: undefined }
        )
      })
    : Effect.void

const interact = Effect.fnUntraced(function* (
  { identity, store, subject }: LoginContext,
  options: LoginOptions,
  wanted: Wanted | undefined
) {
  const current = yield* store.read(identity)
  const challenge = wanted?.challenge ?? (yield* probe(subject))
  const discovered = yield* findAuthorizationServer(subject, challenge, current)
  const problem = checkLogin(discovered)
  if (problem !== undefined) return yield* problem
  const { authorizationServer } = discovered
  const { answered, redirectUri, stateOf } = yield* openRedirect(
    subject,
    options,
    current?.clients[authorizationServer.issuer]?.redirectUri
  )
  const more = [...(wanted?.more ?? []), ...(current?.wanted ?? [])]
  const scopes = scopesFor(subject, discovered, challenge, more)
  const now = yield* Clock.currentTimeMillis
  const client = yield* clientForLogin({ ...subject, discovered, current }, redirectUri, scopes, now)
  const dpop = yield* dpopFor(subject, current)
  const grant: GrantOptions = { ...subject, discovered, client, scopes, dpop: dpop?.session }
  const random = randomBytes(32).toString("base64url")
  const state = stateOf?.(random) ?? random
  const { authorizationUrl, codeVerifier } = yield* authorizationPage(grant, redirectUri, state)
  const shown = options.show({
    server: subject.server,
    url: authorizationUrl.href,
    issuer: subject.tidy(authorizationServer.issuer),
    scopes: scopes.map(subject.tidy),
    redirectUri
  })
  const redirect = yield* whatComesBack(answered(state), shown, {
    state,
    authorizationServer,
    tidy: subject.tidy
  }).pipe(
    Effect.timeoutOrElse({
      duration: LOGIN_TIMEOUT_MS,
      orElse: () => Effect.fail(later(`nobody logged in within ${LOGIN_TIMEOUT_MS / 60_000} minutes`))
    })
  )
  if ("problem" in redirect) return yield* redirect.problem
  const { code, iss } = redirect
  // From here on the code is used, and its tokens must not be lost.
  return yield* Effect.uninterruptible(
    Effect.gen(function* () {
      yield* entrust({ identity, store, subject }, discovered, client)
      const tokens = yield* exchangeCode(grant, { code, iss, verifier: codeVerifier, redirectUri })
      const credentials = yield* store.modify(identity, (kept) => {
        const keep = withTokens(kept, discovered, client, tokens, dpop)
        return Effect.succeed({ value: keep, keep })
      })
      const granted: Granted = {
        issuer: subject.tidy(authorizationServer.issuer),
        scopes: tokens.scopes.map(subject.tidy),
        expiresAt: tokens.expiresAt,
        renewable: tokens.refreshToken !== undefined,
        bound: tokens.tokenType === "DPoP",
        encrypted: yield* store.encrypts
      }
      return { granted, credentials }
    })
  )
}, Effect.scoped)

/** Logs in, whatever is known about the server before. */
export const logIn = (
  context: LoginContext,
  options: LoginOptions,
  wanted?: Wanted
): Effect.Effect<LoggedIn, LoginFailed> => {
  const { subject } = context
  const { server } = subject
  if (isUnattended(subject.oauth)) {
    const detail = `it is let in without a person (grant "${subject.oauth.grant}"): there is nothing to log in`
    return Effect.fail(new LoginFailed({ server, passing: false, detail }))
  }
  return interact(context, options, wanted).pipe(
    Effect.catchTags({
      AuthProblem: ({ detail, remedy, said }) =>
        Effect.fail(
          new LoginFailed({ server, passing: remedy === "later", detail, ...(said === undefined ? {} : { said }) })
        ),
      TokenStoreFailed: ({ detail }) =>
        Effect.fail(
          new LoginFailed({
            server,
            passing: false,
            detail: `what is kept of it cannot be used (${detail}); "mcp-live logout" forgets it`
          })
        )
    })
  )
}
