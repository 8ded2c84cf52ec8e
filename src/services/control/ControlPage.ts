/** The page on which a person sees and steers this process, in a browser. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { PageUnavailable } from "../../schemas/control/Login.ts"
import type { PageLogouts } from "../fleet/PageLogouts.ts"
import type { TokenVerifier, Verified } from "../login/TokenVerifier.ts"
import type { PersonVisit } from "./Visitor.ts"

/** How people reach the page, and who they are. */
export interface PeopleOptions {
  /** The address of this gateway as browsers know it: the page is beside `/mcp`. */
  readonly resource: string
  readonly verifier: TokenVerifier["Service"]
  readonly visitOf: (verified: Verified) => PersonVisit
  /** Nodes with the same key accept each other's sessions; without one, they end with this process. */
  readonly key?: Buffer | undefined
  /** Of the other nodes of a fleet. */
  readonly logouts?: PageLogouts["Service"] | undefined
}

/** The page for people, behind a listener that has checked the `Host` of each request. */
export interface PeoplePage {
  readonly url: string
  /** Where people log in. */
  readonly issuers: ReadonlyArray<string>
  /** Answers the request of a browser; false if it is not for the page. */
  readonly answers: (incoming: IncomingMessage, response: ServerResponse) => boolean
  /** The same for one that becomes a WebSocket. `admit`: whether this client may have a connection. */
  readonly upgrades: (
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    admit: (whose: string) => boolean
  ) => boolean
}

/**
 * The page on which a person sees and steers this process. It uses the control contract, like the commands. Nothing listens before the first
 * address is asked for.
 */
export class ControlPage extends Context.Service<
  ControlPage,
  {
    /**
     * An address of this machine that lets one browser in, once and within a short time. `readOnly` lets it only look; a gateway whose page is for
     * looking never lets it do more.
     */
    readonly address: (asked: { readonly readOnly?: boolean | undefined }) => Effect.Effect<string, PageUnavailable>
    /** The page for people who log in, who see what is theirs and nothing else; until the Scope closes. */
    readonly forPeople: (options: PeopleOptions) => Effect.Effect<PeoplePage, PageUnavailable, Scope.Scope>
  }
>()("mcp-live/services/ControlPage") {}
