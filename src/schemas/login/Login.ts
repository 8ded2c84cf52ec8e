/** A person's login at a server: what they are shown, what comes of it, and how it can fail. Holds no secret. */
import * as Schema from "effect/Schema"

/** Where a person has to go in order to log in. */
export interface LoginPage {
  readonly server: string
  /** `https:`, or `http:` on this machine; checked, but a server's word: nothing for a shell, and no other program's. */
  readonly url: string
  /** Who asks them there. */
  readonly issuer: string
  /** What they are asked for; empty where the server does not say. */
  readonly scopes: ReadonlyArray<string>
  /** Where they are sent afterwards. */
  readonly redirectUri: string
}

/** What came of a login. */
export interface Granted {
  readonly issuer: string
  /** What was given, else what was asked for. */
  readonly scopes: ReadonlyArray<string>
  /** Milliseconds since 1970; `undefined` where the server does not say. */
  readonly expiresAt: number | undefined
  /** Whether it is renewed without a person. */
  readonly renewable: boolean
  /** Whether the tokens are bound to a key of ours. */
  readonly bound: boolean
  /** Whether it is kept encrypted. */
  readonly encrypted: boolean
}

/** What came of a logout. */
export interface LoggedOut {
  /** Whether there was anything to forget. */
  readonly known: boolean
  /** Whether the authorization server was told; `undefined` where it offers no way to. */
  readonly revoked: boolean | undefined
  /** The authorization server that stays written down, since it alone gets the secrets of the configuration. */
  readonly remains?: string | undefined
}

/** A login did not go well. Holds no secret. */
export class LoginFailed extends Schema.TaggedError<LoginFailed>()("LoginFailed", {
  server: Schema.String,
  /** Whether another attempt may go better. */
  passing: Schema.Boolean,
  /** In our own words. */
  detail: Schema.String,
  /** What the authorization server said to it, cleaned. */
  said: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const said = this.said === undefined ? "" : ` (${this.said})`
    return `No login at MCP server '${this.server}': ${this.detail}${said}`
  }
}
