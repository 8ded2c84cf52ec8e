/** Who is let in by a server that speaks OAuth 2.1: logs a person in, keeps tokens fresh, sends them where they belong. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Granted, LoggedOut, LoginFailed, LoginPage } from "../../schemas/login/Login.ts"
import type { AuthRequired } from "../../schemas/connection/HttpError.ts"
import type { HttpLaunch, ServerConfig } from "../../schemas/connection/ServerConfig.ts"

/** What is needed of an answer. */
export interface Answered {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: { readonly cancel: () => Promise<void> } | null
}

export type Send<A extends Answered> = (url: string | URL, init?: RequestInit) => Promise<A>

/** A server that HTTP requests go to. */
export interface AuthorizedServer {
  readonly config: ServerConfig
  readonly launch: HttpLaunch
  /** Its address, with every reference resolved. */
  readonly url: URL
}

/** How the requests to one server are authorized. */
export interface Authorization {
  /**
   * Sends requests with the server's token, which is for its origin and goes to no other. A request that is refused for
   * want of a token, or of rights, was not executed: it is sent once more with a token that serves better, when there is
   * one to be had. However many are refused at once, in this process and in others, tokens are renewed once; a renewal
   * that began is brought to its end, whoever gave up waiting. Never opens a browser by itself.
   */
  readonly through: <A extends Answered>(send: Send<A>) => Send<A>
  /** Why the last request that was refused could not be helped; for the error that its caller gets. */
  readonly refusal: (status: 401 | 403) => Pick<AuthRequired, "remedy" | "detail" | "said">
}

/** How a person is shown the page of a login. */
export interface LoginOptions {
  /**
   * Shows the page to the person. What it gives back, if anything, is the address that they were sent to afterwards, or
   * the code in it; else it is waited for on this machine.
   */
  readonly show: (page: LoginPage) => Effect.Effect<string | void, LoginFailed>
  /** Of the address on this machine; as configured, else any, when left out. */
  readonly port?: number | undefined
}

/** Logs in at servers that speak OAuth 2.1, keeps tokens fresh and sends each to its own server alone. */
export class Authorizer extends Context.Service<
  Authorizer,
  {
    /** `undefined` where the configuration holds an `Authorization` header: then nothing else is sent. */
    readonly authorization: (server: AuthorizedServer) => Authorization | undefined
    /** Logs in anew, whatever is known. What is known stays until it went well. */
    readonly login: (server: ServerConfig, options: LoginOptions) => Effect.Effect<Granted, LoginFailed>
    /**
     * Forgets all that is kept of the server, and has the tokens revoked where the authorization server offers that. Which
     * authorization server gets the configuration's secrets stays, where only the first meeting said so.
     */
    readonly logout: (server: ServerConfig) => Effect.Effect<LoggedOut, LoginFailed>
    /** Completes when somebody has logged in, here or in another process, since this server refused us last. */
    readonly loggedIn: (server: ServerConfig) => Effect.Effect<void>
  }
>()("mcp-live/services/Authorizer") {}
