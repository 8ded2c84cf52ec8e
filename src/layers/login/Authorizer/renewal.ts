/**
 * One way from a token that does not serve to one that does, without a person: what another process has renewed in the
 * meantime, the refresh token, or the program's own credentials. All of it happens under the lock of the store, so that a
 * refresh token that may be used once is used once. A failure that passes leaves everything as it is.
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

/** What a server is, for everything that is done about its tokens. */
export interface Subject {
  readonly server: string
  readonly url: URL
  readonly oauth: OAuthConfig
  readonly supplied: Supplied
  readonly reveal: (text: string) => Effect.Effect<string, AuthProblem>
  /** The operator's secrets were refused: they are read anew next time. */
  readonly forget: Effect.Effect<void>
  readonly tidy: (text: string) => string
}

export interface Wanted {
  /** The token that was sent, and did not serve. */
  readonly failed: Tokens | undefined
  /** It was given to this process, and no request with it was ever let in. */
  readonly isUnproven: boolean
  readonly challenge: Challenge | undefined
  /** Rights beyond those of the token, where it lacks some. */
  readonly more: ReadonlyArray<string>
}

export interface Renewed {
  /** `undefined`: none yet. Who gets our secrets was found out, and has to be written down before they go there. */
  readonly outcome: Tokens | AuthProblem | undefined
  /** What holds from now on. */
  readonly credentials: Credentials | undefined
  /** Whether the tokens were given to us just now. */
  readonly isNew: boolean
}

/**
 * What tokens are asked for: as configured, else as the server wants it, else everything that it names; and more, where a
 * person sees what is asked. A program gets what was configured for it, whatever the server wants.
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
  // To be let in again without a person, where that is a right of its own (OpenID Connect Core §11).
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

/** Credentials with these tokens in place of others. What belongs to other authorization servers stays, within a bound. */
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

/** Tokens that the present configuration would not have asked for are none: of another client, another issuer, not bound. */
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

/** Also one that was given a moment ago, whatever its lifetime: or each request would renew it. */
export const isFresh = ({ expiresAt, obtainedAt }: Tokens, now: number): boolean =>
  expiresAt === undefined ||
  expiresAt - TOKEN_RENEW_BEFORE_MS > now ||
  (obtainedAt <= now && now - obtainedAt < TOKEN_KEEP_MIN_MS)

/** Nobody sees what a program asks for: rights that the operator did not write down are not asked for. */
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

/** Without a list of the operator the server's own word decides: that is said each time it wants more. */
const warnOfChoice = ({ oauth, server, tidy }: Subject, scopes: ReadonlyArray<string>, tokens: Tokens | undefined) => {
  const chosen = oauth.scopes === undefined ? scopes.filter((scope) => tokens?.scopes.includes(scope) !== true) : []
  return chosen.length === 0
    ? Effect.void
    : Effect.logWarning(
        `MCP server '${server}' chooses the rights of a token that nobody sees (${tidy(chosen.join(" "))}): bound them by "scopes" in "auth"`
      )
}

/**
 * What comes before a token is asked for. While it lasts others wait for the lock, and nothing is lost when it is given up.
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
  // Refused although it should serve: another one of the same kind would be refused as well.
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
  // A refresh cannot widen what was given (RFC 6749 §6).
  if (!isSame || client === undefined || tokens?.refreshToken === undefined || more.length > 0) {
    if (more.length > 0) return yield* loginNeeded("it wants more rights", subject.tidy(more.join(" ")))
    return yield* loginNeeded(
      failed === undefined
        ? "nobody has logged in yet"
        : isSame
          ? "the last login has run out"
          : "it has another authorization server now"
    )
  }
  const renewed = yield* Effect.result(refresh({ ...grant(client), scopes: tokens.scopes }, tokens.refreshToken))
  if (renewed._tag === "Success") return done(client, renewed.success)
  if (!(renewed.failure instanceof Rejected)) return yield* renewed.failure
  // Used up, revoked, or we are not known any more: nobody need try it again.
  const isUnknown = renewed.failure.code === "invalid_client" || renewed.failure.code === "unauthorized_client"
  const forgotten = withTokens(current, discovered, client, undefined, dpop)
  const { [discovered.authorizationServer.issuer]: _, ...others } = forgotten.clients
  return {
    outcome: afterRejection(renewed.failure),
    credentials: isUnknown ? { ...forgotten, clients: others } : forgotten,
    isNew: false
  }
})

/** What is done about a token while nobody else does anything about it. */
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
