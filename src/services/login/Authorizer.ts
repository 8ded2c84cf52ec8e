/** Logs in at servers that use OAuth 2.1, keeps tokens fresh, and sends each token to its own server only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Granted, LoggedOut, LoginFailed, LoginPage } from "../../schemas/login/Login.ts"
import type { AuthRequired } from "../../schemas/connection/HttpError.ts"
import type { HttpLaunch, ServerConfig } from "../../schemas/connection/ServerConfig.ts"

/** The parts of a response that are needed. */
export interface Answered {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: { readonly cancel: () => Promise<void> } | null
}

export type Send<A extends Answered> = (url: string | URL, init?: RequestInit) => Promise<A>

/** A server over HTTP. */
export interface AuthorizedServer {
  readonly config: ServerConfig
  readonly launch: HttpLaunch
  /** Its address, with every reference resolved. */
  readonly url: URL
}

/** Authorizes the requests to one server. */
export interface Authorization {
  /**
   * Sends requests with the server's token, to the server's own web origin only. A request that is refused for lack of a
   * token or of scopes was not executed: it is sent once more with a better token, if one can be had. However many requests
   * are refused at once, in this process and others, tokens are refreshed once; a refresh that has begun is completed even if
   * all callers give up. Never opens a browser.
   */
  readonly through: <A extends Answered>(send: Send<A>) => Send<A>
  /** Why the last refused request could not be saved; for the error that its caller gets. */
  readonly refusal: (status: 401 | 403) => Pick<AuthRequired, "remedy" | "detail" | "said" | "account">
}

/** How to show a person the login page. */
export interface LoginOptions {
  /**
   * Shows the page to the person. May return the address that they were redirected to, or the code in it; otherwise the
   * redirect is awaited on this machine.
   */
  readonly show: (page: LoginPage) => Effect.Effect<string | void, LoginFailed>
  /** Port of the address on this machine. Default: the configured one, else any. */
  readonly port?: number | undefined
  /** Where the person is redirected to instead of an address on this machine. */
  readonly redirect?: Redirecting | undefined
}

/** An address to which a login redirects. */
export interface Redirecting {
  readonly redirectUri: string
  /** What the answer is known by, made of something that nobody can guess. */
  readonly stateOf?: ((random: string) => string) | undefined
  /** The parameters of the first request with this state. */
  readonly answered: (state: string) => Effect.Effect<URLSearchParams>
}

/** Logs in at servers that use OAuth 2.1, keeps tokens fresh, and sends each token to its own server only. */
export class Authorizer extends Context.Service<
  Authorizer,
  {
    /** `undefined` when the configuration sets an `Authorization` header: then nothing else is sent. */
    readonly authorization: (server: AuthorizedServer) => Authorization | undefined
    /** Logs in again, whatever is stored. The stored credentials stay until the new login has succeeded. */
    readonly login: (server: ServerConfig, options: LoginOptions) => Effect.Effect<Granted, LoginFailed>
    /**
     * Deletes everything stored for the server, and revokes the tokens where the authorization server offers that. One thing
     * stays: the authorization server that gets the configured secrets, if only the first contact named it.
     */
    readonly logout: (server: ServerConfig) => Effect.Effect<LoggedOut, LoginFailed>
    /** Whether there is a login that may work, as far as is stored; `null` if that cannot be read. */
    readonly isLoggedIn: (server: ServerConfig) => Effect.Effect<boolean | null>
    /** Completes when somebody has logged in, in this or another process, after this server last refused us. */
    readonly loggedIn: (server: ServerConfig) => Effect.Effect<void>
  }
>()("mcp-live/services/Authorizer") {}
