/** Pages of ours at which persons connect their accounts at servers. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { LoginFailed } from "../../schemas/login/Login.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"

/** A page that was made for one person and one server. */
export interface AccountPage {
  readonly url: string
  /** Its name in questions to clients; tells nothing of the address. */
  readonly id: string
  /** Completes when the account is connected. Fails when that was not possible, or when nobody did it in time. */
  readonly connected: Effect.Effect<void, LoginFailed>
}

/** Pages of ours at which persons connect their accounts at servers. */
export class AccountLogins extends Context.Service<
  AccountLogins,
  {
    /**
     * A page for whoever has this server: it works once, for some minutes, and for nobody else. The same one while it waits for its person.
     */
    readonly page: (server: ServerConfig) => Effect.Effect<AccountPage, LoginFailed>
    /** Answers the request of a browser; false if it is not for one of these pages. Host and Origin have been checked. */
    readonly answers: (incoming: IncomingMessage, response: ServerResponse) => boolean
    /** The name of the page, or of the login, in the request of a browser. */
    readonly nameIn: (incoming: IncomingMessage) => string | undefined
    /** The name of the cookie that the pages read. */
    readonly cookie: string
    /** The origin of the pages, as browsers know it. */
    readonly origin: string
  }
>()("mcp-live/services/AccountLogins") {}
