/**
 * Where MCP clients reach us: stdin and stdout of this program, or a port of this machine. Clients of every revision from
 * 2024-11-05 to 2026-07-28 meet the same offer: what differs between the revisions (sessions, how a client is asked in the
 * middle of a request, how it hears of changes, tasks) ends here.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { AskRefused, ListenFailed, RequestRefused } from "../../schemas/listener/ListenerError.ts"
import type { Root } from "../../schemas/content/HostRequest.ts"
import type { Identity, Person } from "../../schemas/login/Identity.ts"
import type { TokenVerifier } from "../login/TokenVerifier.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { Intake } from "../../schemas/connection/JsonMessage.ts"
import type { LogMessage } from "../../schemas/connection/LogMessage.ts"
import type { Progress } from "../../schemas/call/Tool.ts"

/** Who is at the other end. Only what the listener itself has checked: what a client says of itself decides nothing. */
export interface McpClient {
  /** The same for the same holder of a token, whatever connections it makes; of its own for each client on stdio. */
  readonly principal: string
  /** The agent that its token is for. */
  readonly agent: string | undefined
  /** What the issuer of its token says of it: the client, the person behind it, groups, roles and scopes; nothing for other clients. */
  readonly identity?: Identity | undefined
  /** The same as its latest token says it. */
  readonly latest?: (() => Identity | undefined) | undefined
  /** The one name that its address ends with, `/mcp/NAME`; decoded, bounded, otherwise unchecked; nothing at `/mcp`. */
  readonly only: string | undefined
  /** What it calls itself, cleaned: for people to read. */
  readonly name: string | undefined
  /** The name of its session, where that may go on in another process. */
  readonly session?: string | undefined
  /** The client's roots, now and whenever it says that they have changed; nothing from one that has none. */
  readonly roots: Stream.Stream<ReadonlyArray<Root>>
}

/** What a client lets us ask it. */
export interface ClientAbilities {
  readonly elicitation: { readonly form: boolean; readonly url: boolean }
  readonly sampling: boolean
  readonly roots: boolean
}

export const ASKED_METHODS = ["elicitation/create", "sampling/createMessage", "roots/list"] as const
export type AskedMethod = (typeof ASKED_METHODS)[number]

/** One request of a client while it is answered. Interruption of the handler means that nobody waits for the answer. */
export interface RequestContext {
  readonly can: ClientAbilities
  /**
   * Asks the client in the middle of its request, in whatever way its revision has for that. Raw in both directions: the answer
   * is a stranger's. Fails when the client cannot be asked that, refuses, or is gone. `name` is what the question is called where
   * a revision has names for them: a client that knows it may bring the answer along (2026-07-28).
   */
  readonly ask: (method: AskedMethod, params: JsonObject, name?: string) => Effect.Effect<JsonObject, AskRefused>
  /** What a question in URL mode led to is done; for clients whose revision has that (2025-11-25). */
  readonly elicited?: ((elicitationId: string) => void) | undefined
  /** For a client that wants to know; nothing for others. Values must increase. */
  readonly progress: (progress: Progress) => void
  /**
   * For the client's log, where the offer says that it has `logs`: to a client that wants messages of this level. Up to
   * 2025-11-25 it sets the level for all that it asks for (before that it hears `info` and up); in 2026-07-28 each request names
   * one, and gets nothing where it does not. Goes out as it is, bounded; left out when the client does not read.
   */
  readonly log: (message: LogMessage) => void
}

/** Requests that an offer may answer. Parameters are of the protocol's shape, results raw as they go out. */
export const OFFERED_METHODS = [
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete"
] as const
export type OfferedMethod = (typeof OFFERED_METHODS)[number]

export type Handler = (params: JsonObject, exchange: RequestContext) => Effect.Effect<JsonObject, RequestRefused>

export type OfferChange =
  | { readonly kind: "tools" | "resources" | "prompts" }
  | { readonly kind: "resource"; readonly uri: string }

/** What one client is offered. The capabilities that are declared follow from what there are handlers for. */
export interface McpOffer {
  readonly name: string
  readonly title: string
  readonly instructions?: string | undefined
  readonly handlers: Readonly<Partial<Record<OfferedMethod, Handler>>>
  /** Told to the clients that want to know; `resource` to those that have subscribed to it. */
  readonly changes: Stream.Stream<OfferChange>
  /** Whether a client may have `tools/call` done as a task, and come back for the result. */
  readonly tasks: boolean
  /** Whether handlers have anything to say for the client's log. */
  readonly logs?: boolean | undefined
  /** How long a client over HTTP is waited for that has no request under way and no stream open; half an hour where nothing is said. */
  readonly idleMs?: number | undefined
}

/**
 * Makes the offer for a client, in the Scope of its connection; where a revision has none, in that of its principal at its
 * address. A client with a name (`only`) that it refuses is told that there is nothing at that address.
 */
export type Serve = (client: McpClient) => Effect.Effect<McpOffer, RequestRefused, Scope.Scope>

export interface ClientToken {
  readonly token: Redacted.Redacted
  readonly principal: string
  readonly agent?: string | undefined
}

export interface HttpOptions {
  /** 0 for one that is free. */
  readonly port: number
  /** Nobody else is let in. */
  readonly tokens: ReadonlyArray<ClientToken>
  /** The principals of `tokens` that are let in no more: all of them, whenever that changes. What they have open is closed, and what is done for them ends. */
  readonly revoked?: Stream.Stream<ReadonlySet<string>> | undefined
  /** Which token a client needs, and where it is found: part of a sentence that everybody gets to read who has none. */
  readonly whichToken?: string | undefined
  /** Whether there are addresses with a name; without this there is nothing at them. */
  readonly named?: boolean | undefined
  /** The address that is listened on: this machine's loopback, unless it says another. */
  readonly address?: string | undefined
  /** Names that a request may be for besides that address, as its `Host` header has them; any port where they have none. */
  readonly hosts?: ReadonlyArray<string> | undefined
  /** Origins of pages that may ask. If there is such a list, the first page that is refused is logged; likewise for `hosts`. */
  readonly origins?: ReadonlyArray<string> | undefined
  /**
   * Whether clients of the revisions with sessions get one, which they do where nothing is said. Without, each of their messages
   * stands for itself, they cannot be asked anything, and there is no HTTP with SSE.
   */
  readonly sessions?: boolean | undefined
  /** The path at which it says to anybody that it is there, below it whether it takes requests (`/ready`); `/health` where nothing is said. */
  readonly health?: string | undefined
  /** What may come in; sized for calls where nothing is said. */
  readonly intake?: Intake | undefined
  /** Clients with access tokens of issuers are let in, too. */
  readonly logins?: Logins | undefined
  /** Pages for browsers, which bring no token. */
  readonly pages?: Pages | undefined
  /**
   * What the rules make of a client, at each of its requests: its agent, which may be another one from now on, or that nobody lets it in.
   */
  readonly admits?: ((client: Holder) => Admitted | undefined) | undefined
}

/** Pages for browsers. Whoever makes them decides who may do what there. */
export interface Pages {
  /** Where browsers see them. */
  readonly origin: string
  /** The name in a request for one of them, which in a fleet tells its node. */
  readonly nameIn: (incoming: IncomingMessage) => string | undefined
  /** The cookies that go with a request to another node, and no others do. */
  readonly passedCookies: ReadonlyArray<string>
  /** Answers a request for one of them; false for any other. */
  readonly answers: (incoming: IncomingMessage, response: ServerResponse) => boolean
  /** Takes over the connection of a request for a WebSocket; false for any other. `admit`: whether this client may have a connection. */
  readonly upgrades?:
    | ((incoming: IncomingMessage, socket: Duplex, head: Buffer, admit: (whose: string) => boolean) => boolean)
    | undefined
}

/** Who sends a request, as far as its token says. */
export interface Holder extends Pick<McpClient, "principal" | "agent"> {
  readonly identity?: Identity | undefined
}

export type Admitted = Pick<McpClient, "agent">

/** This gateway as a protected resource (RFC 9728). */
export interface Logins {
  readonly verifier: TokenVerifier["Service"]
  /** The address of this gateway, as clients know it. */
  readonly resource: string
  /** Is told of the token of each request that is let in, and of its person. */
  readonly seen?: ((person: Person, token: string, expiresAt: number) => void) | undefined
}

export class McpListener extends Context.Service<
  McpListener,
  {
    /**
     * Serves the client at stdin and stdout, and returns when it has closed stdin. From here on stdout carries messages and nothing
     * else, whatever anybody prints. What was under way when it left is interrupted. A message that breaks a bound of `intake`
     * (sized for calls where nothing is said) is answered with an error and passed over.
     */
    readonly stdio: (serve: Serve, intake?: Intake) => Effect.Effect<void>
    /**
     * Serves clients over HTTP until the Scope closes, on this machine's loopback where no address is named: Streamable HTTP,
     * and HTTP with SSE for those of 2024-11-05. Gives the address of the first. Host, Origin and token of every request are
     * checked; sessions, connections, bodies and what is under way are bounded, and no client's bodies hold up others'. Whether it is there it says to anybody. What is
     * under way for a client of 2025-11-25 whose connection breaks goes on for a while, and the client can come back for it.
     */
    readonly http: (serve: Serve, options: HttpOptions) => Effect.Effect<string, ListenFailed, Scope.Scope>
  }
>()("mcp-live/services/McpListener") {}
