/**
 * Checks access tokens with `jose`. A token that was found good is known by its digest until it expires, so that the next request with it
 * costs microseconds; one that was found bad, as well. Every check that fails says to the operator which one it was.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { errors, jwtVerify, type JWTPayload } from "jose"
import {
  INTROSPECTION_AGE_MS,
  INTROSPECTIONS_MAX,
  INTROSPECTIONS_WAITING_MAX,
  ISSUER_RETRY_MS,
  ISSUER_SKEW_S,
  TOKENS_BAD_MAX,
  TOKENS_GOOD_MAX,
  WRONG_ASKED_BURST,
  WRONG_ASKED_PER_MINUTE,
  WRONG_TOKENS_BURST,
  WRONG_TOKENS_PER_MINUTE,
  WRONG_TOKENS_RETRY_MS
} from "../../schemas/defaults/Clients.ts"
import { networkOf } from "../../schemas/connection/SenderNetwork.ts"
import { TOKEN_ALGORITHMS, type ClientsConfig } from "../../schemas/login/ClientsConfig.ts"
import { identityOf, principalOf, type Claims } from "../../schemas/login/Identity.ts"
import { IssuerAway, TokenRefused, TokenUnchecked } from "../../schemas/login/TokenRefused.ts"
import { NetworkGuard } from "../../services/connection/NetworkGuard.ts"
import { CLIENTS_OWNER, SecretResolver } from "../../services/secret/SecretResolver.ts"
import { TokenVerifier, type Presented, type Verified } from "../../services/login/TokenVerifier.ts"
import { makeAskingTurns } from "./TokenVerifier/askingTurns.ts"
import { audienceOf, isMeantFor, makeFirstSight, type Plausible } from "./TokenVerifier/firstSight.ts"
import { isGoodAt, isKnownAt, type Good, type Lasts } from "./TokenVerifier/good.ts"
import { loginAt, pageLogins } from "./TokenVerifier/personLogin.ts"
import { makeIssuer, type Issuer } from "./TokenVerifier/issuer.ts"
import { problemsOf } from "./TokenVerifier/problems.ts"
import { boundTo, makeProofs } from "./TokenVerifier/proof.ts"
import { makeRecent } from "./TokenVerifier/recent.ts"
import { bad, badNow, EXPIRED, NOT_YET, otherAudience, refusalOf } from "./TokenVerifier/refusals.ts"
import { digestOf, holderOf } from "./TokenVerifier/tokenShape.ts"
import { makeWrongTokens, type WrongTokens } from "./TokenVerifier/wrongTokens.ts"

const SECOND_MS = 1000

export interface Options {
  readonly config: Pick<ClientsConfig, "issuers">
  /** The address of this gateway, which is the audience where the configuration names none. */
  readonly resource: string
}

const make = Effect.fnUntraced(function* ({ config, resource }: Options) {
  const clock = yield* Clock.Clock
  const guard = yield* NetworkGuard
  const secrets = yield* SecretResolver
  const issuers = yield* Effect.forEach(config.issuers, (each) => makeIssuer(each, guard))
  const proves = yield* makeProofs()
  const good = makeRecent<Good>(TOKENS_GOOD_MAX)
  const refused = makeRecent<TokenRefused>(TOKENS_BAD_MAX)
  const asking = makeAskingTurns(INTROSPECTIONS_MAX, INTROSPECTIONS_WAITING_MAX)
  /** Tokens that are known do not wait behind those of strangers: otherwise a flood of them would keep a revoked one alive. */
  const askingAgain = Semaphore.makeUnsafe(INTROSPECTIONS_MAX)
  const now = () => clock.currentTimeMillisUnsafe()
  const wrong = makeWrongTokens(now, { burst: WRONG_TOKENS_BURST, perMinute: WRONG_TOKENS_PER_MINUTE })
  const wrongAsked = makeWrongTokens(now, { burst: WRONG_ASKED_BURST, perMinute: WRONG_ASKED_PER_MINUTE })
  const atFirstSight = makeFirstSight(issuers, resource, now)

  const verifiedAs = (issuer: Issuer, claims: Claims, lasts: Lasts): Verified | TokenRefused => {
    const identity = identityOf(claims, issuer.config)
    if (typeof identity === "string") return bad(identity)
    const missing = issuer.config.scopes.filter((scope) => !identity.scopes.includes(scope))
    if (missing.length > 0) {
      const detail = `it has not the scopes ${missing.join(", ")}`
      return new TokenRefused({ fault: "insufficient_scope", detail, scopes: issuer.config.scopes })
    }
    const { agent, issuer: name } = issuer.config
    return { identity, issuer: name, agent, principal: principalOf(identity, name), ...lasts }
  }

  // ---- JWT access tokens (RFC 9068) --------------------------------------------------------------------------------

  /** What follows costs more than the sender paid for the token. */
  const counted = (budget: WrongTokens, from: string | undefined, isKnown: boolean, holder?: string) =>
    Effect.suspend((): Effect.Effect<() => void, TokenUnchecked> => {
      if (from === undefined || isKnown) return Effect.succeed(() => {})
      const wasRight = budget.check(from, holder)
      return wasRight === undefined
        ? Effect.fail(new TokenUnchecked({ from: networkOf(from), retryInMs: WRONG_TOKENS_RETRY_MS }))
        : Effect.succeed(wasRight)
    })

  const ofJwt = Effect.fnUntraced(function* (
    token: string,
    { algorithms, issuer, said }: Plausible,
    isKnown: boolean,
    from: string | undefined
  ) {
    const wasRight = yield* counted(wrong, from, isKnown, holderOf(said))
    const keys = yield* issuer.keys
    const { payload } = yield* Effect.tryPromise({
      try: () =>
        jwtVerify(token, keys, {
          issuer: issuer.config.issuer,
          audience: [...audienceOf(issuer.config, resource)],
          algorithms,
          clockTolerance: ISSUER_SKEW_S,
          requiredClaims: ["exp", "sub"],
          currentDate: new Date(now())
        }),
      catch: (error) =>
        error instanceof IssuerAway
          ? error
          : error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)
            ? refusalOf(error)
            : new IssuerAway({
                issuer: issuer.config.issuer,
                detail: "cannot be reached (keys)",
                retryInMs: ISSUER_RETRY_MS
              })
    })
    const lasts = { expiresAt: Number(payload.exp) * SECOND_MS, isOpenEnded: false }
    const found = yield* kept(issuer, payload, lasts, Infinity)
    // Only the issuer knows whether it was revoked.
    const active =
      issuer.config.introspection === undefined
        ? found
        : yield* inTurn(issuer, isKnown, `holder ${holderOf(payload)}`, askOne(issuer, token))
    if (active === undefined) return yield* bad("its issuer says that it is not active")
    wasRight()
    return { ...found, askAgainAt: active.askAgainAt }
  })

  const kept = Effect.fnUntraced(function* (
    issuer: Issuer,
    claims: Claims | JWTPayload,
    lasts: Lasts,
    askAgainAt: number
  ) {
    const verified = verifiedAs(issuer, claims, lasts)
    if (verified instanceof TokenRefused) return yield* verified
    const bound = boundTo(claims)
    if (bound === "unknown") return yield* bad("it is bound to something that cannot be checked here")
    return { verified, key: bound.thumbprint, askAgainAt } satisfies Good
  })

  // ---- other tokens (RFC 7662) -------------------------------------------------------------------------------------

  const askOne = Effect.fnUntraced(function* (issuer: Issuer, token: string) {
    const written = issuer.config.introspection!.clientSecret
    const secret = yield* Effect.mapError(
      secrets.resolve(CLIENTS_OWNER, written),
      ({ detail }) =>
        new IssuerAway({
          issuer: issuer.config.issuer,
          detail: `cannot be asked: the secret is not available (${detail})`,
          retryInMs: ISSUER_RETRY_MS
        })
    )
    const claims = yield* issuer.introspect(token, Redacted.value(secret))
    if (claims === undefined) return undefined
    const { aud, exp, iss, nbf } = claims
    const asked = now()
    if (iss !== undefined && iss !== issuer.config.issuer) return yield* bad("its issuer is another one")
    const accepted = audienceOf(issuer.config, resource)
    if (!isMeantFor(aud, accepted)) return yield* bad(otherAudience(accepted))
    if (typeof nbf === "number" && nbf * SECOND_MS > asked + ISSUER_SKEW_S * SECOND_MS) return yield* badNow(NOT_YET)
    const isOpenEnded = typeof exp !== "number"
    const expiresAt = isOpenEnded ? asked + INTROSPECTION_AGE_MS : exp * SECOND_MS
    if (expiresAt <= asked - ISSUER_SKEW_S * SECOND_MS) return yield* bad(EXPIRED)
    return yield* kept(
      issuer,
      { ...claims, sub: claims["sub"] ?? claims["client_id"] },
      { expiresAt, isOpenEnded },
      asked + INTROSPECTION_AGE_MS
    )
  })

  const introspected = Effect.fnUntraced(function* (token: string) {
    let problem: IssuerAway | undefined
    for (const issuer of issuers) {
      if (issuer.config.introspection === undefined) continue
      const answer = yield* Effect.catchTag(askOne(issuer, token), "IssuerAway", (away) => Effect.succeed(away))
      if (answer instanceof IssuerAway) problem ??= answer
      else if (answer !== undefined) return answer
    }
    return yield* problem ?? bad("no issuer says that it is active")
  })

  /** So many at a time, and so many that wait; strangers in the turns of their senders. */
  const inTurn = <A, E>(
    { config: { issuer } }: Issuer,
    isKnown: boolean,
    sender: string,
    asks: Effect.Effect<A, E>
  ): Effect.Effect<A, E | IssuerAway> => {
    if (isKnown) return askingAgain.withPermit(asks)
    const detail = "is asked about too many tokens"
    return asking.inTurn(
      sender,
      asks,
      Effect.suspend(() => Effect.fail(new IssuerAway({ issuer, detail, retryInMs: ISSUER_RETRY_MS })))
    )
  }

  const ofOpaque = Effect.fnUntraced(function* (token: string, isKnown: boolean, from: string | undefined) {
    const first = issuers.find(({ config: { introspection } }) => introspection !== undefined)!
    const wasRight = yield* counted(wrongAsked, from, isKnown)
    const found = yield* inTurn(first, isKnown, networkOf(from ?? ""), introspected(token))
    wasRight()
    return found
  })

  // ---- all of them -------------------------------------------------------------------------------------------------

  const checked = Effect.fnUntraced(function* (token: string, from?: string) {
    const digest = digestOf(token)
    const before = good.get(digest)
    if (before !== undefined && isGoodAt(before, now())) return before
    const seen = refused.get(digest) ?? atFirstSight(token)
    if (seen instanceof TokenRefused) {
      good.delete(digest)
      return yield* seen
    }
    const isKnown = before !== undefined && isKnownAt(before, now())
    return yield* (seen === "opaque" ? ofOpaque(token, isKnown, from) : ofJwt(token, seen, isKnown, from)).pipe(
      Effect.tap((found) => Effect.sync(() => good.set(digest, found))),
      Effect.tapError((error) =>
        Effect.sync(() => {
          if (error._tag !== "TokenRefused") return
          good.delete(digest)
          // One that is not valid yet may be so later, and a key may be new: both are asked again.
          if (error.isFinal !== false) refused.set(digest, error)
        })
      ),
      // Who is known stays in while the issuer cannot be asked.
      Effect.catchTag("IssuerAway", (away) => (isKnown ? Effect.succeed(before) : Effect.fail(away)))
    )
  })

  /** The last one: whoever sends many is refused with the same. */
  let unchecked: TokenUnchecked | undefined

  const refusal = (token: string, from: string): TokenRefused | TokenUnchecked | undefined => {
    const digest = digestOf(token)
    if (good.get(digest) !== undefined) return undefined
    const seen = refused.get(digest) ?? atFirstSight(token)
    if (seen instanceof TokenRefused) return seen
    const mayCheck = seen === "opaque" ? wrongAsked.mayCheck(from) : wrong.mayCheck(from, holderOf(seen.said))
    if (mayCheck) return undefined
    const sender = networkOf(from)
    if (unchecked?.from !== sender) {
      unchecked = new TokenUnchecked({ from: sender, retryInMs: WRONG_TOKENS_RETRY_MS })
    }
    return unchecked
  }

  const verify = Effect.fnUntraced(function* (presented: Presented) {
    const found = yield* checked(presented.token, presented.from)
    const { key, verified } = found
    if (presented.scheme === "bearer") {
      return key === undefined ? verified : yield* bad("it is bound to a key, and was sent without a proof of it")
    }
    if (key === undefined) return yield* bad("it is not bound to a key")
    yield* proves(presented, key)
    return verified
  })

  return TokenVerifier.of({
    issuers: config.issuers.map(({ issuer }) => issuer),
    scopes: [...new Set(config.issuers.flatMap(({ scopes }) => scopes))],
    proofAlgorithms: TOKEN_ALGORITHMS,
    known: (token) => {
      const found = good.get(digestOf(token))
      return found?.key === undefined && found !== undefined && isGoodAt(found, now()) ? found.verified : undefined
    },
    refusal,
    verify: Effect.fn("TokenVerifier.verify")(verify),
    login: (name, redirectUri, stateOf) =>
      loginAt(
        issuers.find(({ config: one }) => one.issuer === name),
        secrets,
        redirectUri,
        stateOf
      ),
    page: pageLogins(issuers, resource, (token) =>
      verify({ scheme: "bearer", token, proof: undefined, method: "GET", url: resource })
    ),
    problems: problemsOf(issuers, askOne),
    isStillGood: (token) =>
      checked(token).pipe(
        Effect.as(true),
        // An issuer that does not answer takes nobody's stream away: its answer counts when there is one.
        Effect.catch((error) => Effect.succeed(error._tag !== "TokenRefused"))
      )
  })
})

/** Accepts the tokens of the issuers in the configuration. */
export const layer = (options: Options): Layer.Layer<TokenVerifier, never, NetworkGuard | SecretResolver> =>
  Layer.effect(TokenVerifier, make(options))
