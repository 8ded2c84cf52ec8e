/** A person's login at a server: the page, the outcome, and the error. Contains no secret. */
import * as Schema from "effect/Schema"

/** The page where a person has to log in. */
export interface LoginPage {
  readonly server: string
  /**
   * `https:`, or `http:` on this machine. It is checked, but comes from the server: do not pass it to a shell or another program.
   */
  readonly url: string
  /** The authorization server. */
  readonly issuer: string
  /** The requested scopes; empty when the server does not say. */
  readonly scopes: ReadonlyArray<string>
  /** Where they are redirected afterwards. */
  readonly redirectUri: string
}

/** The outcome of a login. */
export interface Granted {
  readonly issuer: string
  /** The granted scopes, or if unknown, the requested ones. */
  readonly scopes: ReadonlyArray<string>
  /** Milliseconds since 1970; `undefined` when the server does not say. */
  readonly expiresAt: number | undefined
  /** Whether it is refreshed without a person. */
  readonly renewable: boolean
  /** Whether the tokens are bound to a key of ours. */
  readonly bound: boolean
  /** Whether it is stored encrypted. */
  readonly encrypted: boolean
}

/** The outcome of a logout. */
export interface LoggedOut {
  /** Whether there was anything to delete. */
  readonly known: boolean
  /** Whether the authorization server revoked the tokens; `undefined` when it does not offer that. */
  readonly revoked: boolean | undefined
  /** The authorization server that stays recorded, because only it may get the secrets of the configuration. */
  readonly remains?: string | undefined
}

/** A login failed. Contains no secret. */
export class LoginFailed extends Schema.TaggedError<LoginFailed>()("LoginFailed", {
  server: Schema.String,
  /** Whether another attempt may succeed. */
  passing: Schema.Boolean,
  /** In our own words. */
  detail: Schema.String,
  /** What the authorization server said about it, cleaned. */
  said: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const said = this.said === undefined ? "" : ` (${this.said})`
    return `No login at MCP server '${this.server}': ${this.detail}${said}`
  }
}
