/**
 * Gets a valid token in place of an invalid one, without a person: from another process that has renewed it, with the refresh token, or with the
 * credentials of the program. It holds the lock of the store meanwhile, so that a refresh token is used only once. A temporary failure changes
 * nothing.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { NO_CREDENTIALS, union, type Credentials, type Tokens } from "../../../schemas/login/Credentials.ts"
import {
  REGISTERED_CLIENTS_MAX,
  RENEWAL_PREPARE_MS,
  TOKEN_KEEP_MIN_MS,
  TOKEN_RENEW_AGAIN_MS,
  TOKEN_RENEW_BEFORE_MS
} from "../../../schemas/defaults/Authorization.ts"
import { isUnattended, type OAuthConfig } from "../../../schemas/login/OAuthConfig.ts"
import type { Change } from "../../../services/login/TokenStore.ts"
import { knownClient, type Client, type ClientOptions } from "./clients.ts"
import type { Challenge } from "./challenge.ts"
import { discover, sameIssuer, type Discovered } from "./discovery.ts"
import { DPOP_ALGORITHM, openDpop, type Dpop } from "./dpop.ts"
import { afterRejection, refresh, Rejected, unattended, type GrantOptions } from "./grants.ts"
import { later, loginNeeded, refused, type AuthProblem } from "./problem.ts"
import type { Supplied } from "./suppliedAddresses.ts"
import { isNowTrusted, strangeIssuer, trusting } from "./trust.ts"

/** The server, for all work on its tokens. */
export interface Subject {
  readonly server: string
  readonly url: URL
  readonly oauth: OAuthConfig
  /** Whose account it is, where each person has their own; `null` for the user at the terminal. */
  readonly account?: string | null | undefined
  readonly supplied: Supplied
  readonly reveal: (text: string) => Effect.Effect<string, AuthProblem>
  /** The secrets of the operator were refused: they are read again next time. */
  readonly forget: Effect.Effect<void>
  readonly tidy: (text: string) => string
}

export interface Wanted {
  /** The token that was refused. */
  readonly failed: Tokens | undefined
  /** The token was given to this process, and no request with it has ever succeeded. */
  readonly isUnproven: boolean
  readonly challenge: Challenge | undefined
  /** Scopes that the token lacks. */
  readonly more: ReadonlyArray<string>
}

export interface Renewed {
  /** `undefined`: none yet, because the authorization server has to be recorded before it gets secrets. */
  readonly outcome: Tokens | AuthProblem | undefined
  /** The credentials from now on. */
  readonly credentials: Credentials | undefined
  /** Whether the tokens are new. */
  readonly isNew: boolean
}

/**
 * The scopes to request: the configured ones, else those of the challenge, else all that the server lists; and more if a person sees the request.
 * For a program, only the configured scopes are requested.
 */
export const scopesFor = (
  { oauth }: Subject,
  { authorizationServer, scopes }: Discovered,
  challenge: Challenge | undefined,
  more: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (isUnattended(oauth) && oauth.scopes !== undefined) return oauth.scopes
  const asked = oauth.scopes ?? (challenge !== undefined && challenge.scopes.length > 0 ? challenge.scopes : scopes)
  const all = union(more, asked)
  // For a refresh token, if that needs a scope of its own (OpenID Connect Core §11).
  const offline = !isUnattended(oauth) && all.length > 0 && authorizationServer.scopes.includes("offline_access")
  return offline ? union(all, ["offline_access"]) : all
}

export const findAuthorizationServer = Effect.fnUntraced(function* (
  subject: Subject,
  challenge: Challenge | undefined,
  current: Credentials | undefined
): Effect.fn.Return<Discovered, AuthProblem> {
  const discovered = yield* discover({ ...subject, knownIssuer: current?.authorization?.issuer }, challenge)
  const strange = strangeIssuer(subject, discovered, current)
  if (strange !== undefined) return yield* strange
  const algorithms = discovered.authorizationServer.dpopAlgorithms
  if (subject.oauth.dpop === true && algorithms !== undefined && !algorithms.includes(DPOP_ALGORITHM)) {
    return yield* refused(`its authorization server does not take DPoP proofs with ${DPOP_ALGORITHM}`)
  }
  return discovered
})

export const dpopFor = ({ oauth }: Subject, current: Credentials | undefined): Effect.Effect<Dpop | undefined> =>
  oauth.dpop === true ? Effect.promise(() => openDpop(current?.dpopKey)) : Effect.undefined

/** Replaces the tokens of the credentials. Clients of other authorization servers stay, up to a limit. */
export const withTokens = (
  current: Credentials | undefined,
  { authorizationServer, resource }: Discovered,
  { clientId, registered }: Pick<Client, "clientId" | "registered">,
  tokens: Tokens | undefined,
  dpop: Dpop | undefined
): Credentials => {
  const { clients, dpopKey } = current ?? NO_CREDENTIALS
  const { issuer } = authorizationServer
  const all = registered === undefined ? clients : { ...clients, [issuer]: registered }
  const key = dpop?.key ?? dpopKey
  return {
    authorization: { issuer, resource, clientId, ...(tokens === undefined ? {} : { tokens }) },
    clients: Object.fromEntries(Object.entries(all).slice(-REGISTERED_CLIENTS_MAX)),
    wanted: tokens === undefined ? (current?.wanted ?? []) : [],
    ...(key === undefined ? {} : { dpopKey: key })
  }
}

/** Tokens that do not fit the present configuration do not count: of another client or issuer, or not bound. */
export const fitting = ({ oauth }: Subject, kept: Credentials | undefined): Credentials | undefined => {
  const authorization = kept?.authorization
  if (kept === undefined || authorization?.tokens === undefined) return kept
  const { clientId, issuer, tokens, ...rest } = authorization
  const fits =
    (oauth.dpop === true) === (tokens.tokenType === "DPoP") &&
    (oauth.clientId === undefined || oauth.clientId === clientId) &&
    (oauth.issuer === undefined || sameIssuer(oauth.issuer, issuer))
  return fits ? kept : { ...kept, authorization: { ...rest, clientId, issuer } }
}

/** A token that was given a moment ago counts as valid whatever its lifetime: otherwise each request would renew it. */
export const isFresh = ({ expiresAt, obtainedAt }: Tokens, now: number): boolean =>
  expiresAt === undefined ||
  expiresAt - TOKEN_RENEW_BEFORE_MS > now ||
  (obtainedAt <= now && now - obtainedAt < TOKEN_KEEP_MIN_MS)

/** Nobody sees the request of a program, so it requests only scopes that the operator has configured. */
const beyondCeiling = ({ oauth, tidy }: Subject, more: ReadonlyArray<string>, tokens: Tokens | undefined) => {
  if (!isUnattended(oauth) || oauth.scopes === undefined) return undefined
  const allowed = union(oauth.scopes, tokens?.scopes ?? [])
  const lacking = more.filter((scope) => !allowed.includes(scope))
  return lacking.length === 0
    ? undefined
    : refused(
        'it wants rights that its configuration does not allow: add them to "scopes" in "auth"',
        tidy(lacking.join(" "))
      )
}

/** Without configured scopes the server decides; each time it requires more, the log says so. */
const warnOfChoice = ({ oauth, server, tidy }: Subject, scopes: ReadonlyArray<string>, tokens: Tokens | undefined) => {
  const chosen = oauth.scopes === undefined ? scopes.filter((scope) => tokens?.scopes.includes(scope) !== true) : []
  return chosen.length === 0
    ? Effect.void
    : Effect.logWarning(
        `MCP server '${server}' chooses the rights of a token that nobody sees (${tidy(chosen.join(" "))}): bound them by "scopes" in "auth"`
      )
}

/**
 * The work before the request for a token. Others wait for the lock meanwhile; nothing is lost if it is interrupted.
 */
const inTime = <A>(work: Effect.Effect<A, AuthProblem>): Effect.Effect<A, AuthProblem> =>
  Effect.interruptible(work).pipe(
    Effect.timeoutOrElse({
      duration: RENEWAL_PREPARE_MS,
      orElse: () => Effect.fail(later("its authorization server takes too long to say how a token is asked for"))
    })
  )

const attempt = Effect.fnUntraced(function* (
  subject: Subject,
  { challenge, failed, isUnproven, more }: Wanted,
  current: Credentials | undefined,
  now: number
): Effect.fn.Return<Renewed, AuthProblem> {
  const tokens = current?.authorization?.tokens
  const forbidden = beyondCeiling(subject, more, tokens)
  if (forbidden !== undefined) return yield* forbidden
  const discovered = yield* inTime(findAuthorizationServer(subject, challenge, current))
  const isSame = current?.authorization?.issuer === discovered.authorizationServer.issuer
  // The token was refused although it should be valid: another one of the same kind would be refused too.
  const isNew = tokens !== undefined && isFresh(tokens, now) && now - tokens.obtainedAt < TOKEN_RENEW_AGAIN_MS
  if (isSame && isNew && isUnproven && more.length === 0) {
    return yield* refused("it refuses the token that its authorization server has only just given")
  }
  const options: ClientOptions = { ...subject, discovered, current }
  const client = yield* inTime(knownClient(options, now))
  const dpop = yield* dpopFor(subject, current)
  const scopes = scopesFor(subject, discovered, challenge, more)
  const grant = (known: Client): GrantOptions => ({
    ...subject,
    discovered,
    client: known,
    scopes,
    dpop: dpop?.session
  })
  const done = (known: Client, fresh: Tokens): Renewed => ({
    outcome: fresh,
    credentials: withTokens(current, discovered, known, fresh, dpop),
    isNew: true
  })

  if (isUnattended(subject.oauth)) {
    if (client === undefined) return yield* refused('it needs a "clientId" in "auth"')
    if (isNowTrusted(subject, current)) {
      return { outcome: undefined, credentials: trusting(current, discovered, client.clientId), isNew: false }
    }
    yield* warnOfChoice(subject, scopes, tokens)
    const given = unattended(grant(client), subject.reveal).pipe(
      Effect.tapError(({ remedy }) => (remedy === "config" ? subject.forget : Effect.void))
    )
    return done(client, yield* given)
  }
  // A refresh cannot add scopes (RFC 6749 §6).
  if (!isSame || client === undefined || tokens?.refreshToken === undefined || more.length > 0) {
    if (more.length > 0) return yield* loginNeeded("it wants more rights", subject.tidy(more.join(" ")))
    return yield* loginNeeded(
      failed === undefined
        ? typeof subject.account === "string"
          ? `${subject.account} has not connected an account yet`
          : "nobody has logged in yet"
        : isSame
          ? typeof subject.account === "string"
            ? `the login of ${subject.account} has run out`
            : "the last login has run out"
          : "it has another authorization server now"
    )
  }
  const renewed = yield* Effect.result(refresh({ ...grant(client), scopes: tokens.scopes }, tokens.refreshToken))
  if (renewed._tag === "Success") return done(client, renewed.success)
  if (!(renewed.failure instanceof Rejected)) return yield* renewed.failure
  // The refresh token is used or revoked, or the client is unknown: a retry is useless.
  const isUnknown = renewed.failure.code === "invalid_client" || renewed.failure.code === "unauthorized_client"
  const forgotten = withTokens(current, discovered, client, undefined, dpop)
  const { [discovered.authorizationServer.issuer]: _, ...others } = forgotten.clients
  return {
    outcome: afterRejection(renewed.failure),
    credentials: isUnknown ? { ...forgotten, clients: others } : forgotten,
    isNew: false
  }
})

/** Renews the token, under the lock. */
export const renew =
  (subject: Subject, wanted: Wanted) =>
  (kept: Credentials | undefined): Effect.Effect<Change<Renewed>, AuthProblem> =>
    Effect.gen(function* () {
      const current = fitting(subject, kept)
      const now = yield* Clock.currentTimeMillis
      const { failed, more } = wanted
      const tokens = current?.authorization?.tokens
      const isOther = tokens !== undefined && tokens.accessToken !== failed?.accessToken
      const covers = tokens !== undefined && more.every((scope) => tokens.scopes.includes(scope))
      if (isOther && covers && isFresh(tokens, now))
        return { value: { outcome: tokens, credentials: current, isNew: false } }
      const renewed = yield* attempt(subject, wanted, current, now)
      return renewed.credentials === undefined || renewed.credentials === current
        ? { value: renewed }
        : { value: renewed, keep: renewed.credentials }
    })
