/** Checks the access tokens of MCP clients: this gateway as an OAuth 2.1 resource server. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Identity } from "../../schemas/login/Identity.ts"
import type { IssuerAway, TokenRefused, TokenUnchecked } from "../../schemas/login/TokenRefused.ts"

/** What a request brings. */
export interface Presented {
  readonly scheme: "bearer" | "dpop"
  readonly token: string
  /** The header `DPoP`. */
  readonly proof: string | undefined
  readonly method: string
  /** The address of the request as the client knows it, without query and fragment. */
  readonly url: string
  /** The address that it came from, whose wrong tokens are counted. */
  readonly from?: string | undefined
}

/** A token that is good. */
export interface Verified {
  readonly identity: Identity
  readonly issuer: string
  /** The agent of the issuer's clients; `undefined` for that of the program. */
  readonly agent: string | undefined
  /** Unique for this person, client and issuer. */
  readonly principal: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Its issuer names no such time: it is good as long as the issuer says so, which is asked again at `expiresAt`. */
  readonly isOpenEnded: boolean
}

/** A login by which a person proves to this gateway who they are. */
export interface PersonLogin {
  /** The page of the issuer. */
  readonly url: string
  /** What the issuer sends the browser back with. */
  readonly state: string
  /** Who has logged in, from what came back with that state. Fails with words. */
  readonly subject: (params: URLSearchParams) => Effect.Effect<string, string>
}

/** What the answer to a login on the page is checked against. It is for nobody's eyes. */
export interface KeptLogin {
  readonly issuer: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Logins of people on the page. Whoever keeps a `KeptLogin` has to check that `state` comes back to the browser in which it was begun. */
export interface PageLogins {
  readonly issuers: ReadonlyArray<string>
  readonly begin: (
    issuer: string,
    redirectUri: string
  ) => Effect.Effect<{ readonly url: string; readonly kept: KeptLogin }, string>
  /** The access token of whoever has logged in, found good. Fails with words. */
  readonly finish: (
    kept: KeptLogin,
    redirectUri: string,
    params: URLSearchParams
  ) => Effect.Effect<{ readonly token: string; readonly verified: Verified }, string>
}

/** Checks the access tokens of MCP clients: this gateway as an OAuth 2.1 resource server. */
export class TokenVerifier extends Context.Service<
  TokenVerifier,
  {
    /** The issuers, for the metadata of the resource (RFC 9728). */
    readonly issuers: ReadonlyArray<string>
    /** The scopes that clients should ask for. */
    readonly scopes: ReadonlyArray<string>
    /** The algorithms of DPoP proofs that are accepted. */
    readonly proofAlgorithms: ReadonlyArray<string>
    /** A bearer token that was found good a moment ago, and still is; costs some microseconds. */
    readonly known: (token: string) => Verified | undefined
    /**
     * Why a token from this address is refused without being checked: it is wrong at first sight (such as an expired one) or was found wrong
     * before, or too many from there were wrong. `undefined` for one that has to be checked. Costs some microseconds.
     */
    readonly refusal: (token: string, from: string) => TokenRefused | TokenUnchecked | undefined
    /**
     * Checks a token: a JWT by the keys of its issuer (RFC 9068), any other token by introspection (RFC 7662) where that is
     * configured; and the proof of a token that is bound to a key (RFC 9449). Keys and metadata are kept, and read again when a key is
     * unknown, within bounds: a flood of bad tokens costs the issuer a request now and then. After many bad tokens from an address, new
     * ones from there are checked at a limited rate.
     */
    readonly verify: (presented: Presented) => Effect.Effect<Verified, TokenRefused | IssuerAway | TokenUnchecked>
    /** Begins a login of a person (OpenID Connect) where the issuer has `login`; `undefined` elsewhere. Fails with words. */
    readonly login: (
      issuer: string,
      redirectUri: string,
      stateOf?: (random: string) => string
    ) => Effect.Effect<PersonLogin, string> | undefined
    /** Logins on the page; `undefined` where no issuer has `page`. */
    readonly page?: PageLogins | undefined
    /** The issuers that cannot be used now, and why: reads their metadata and keys, or asks them about a token that nobody has. */
    readonly problems: Effect.Effect<ReadonlyArray<{ readonly issuer: string; readonly detail: string }>>
    /** Whether a token that was good is so still; asks the issuer again where only it knows. */
    readonly isStillGood: (token: string) => Effect.Effect<boolean>
  }
>()("mcp-live/services/TokenVerifier") {}
