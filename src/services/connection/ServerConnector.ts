/** Opens one connection to one MCP server. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Catalogue } from "../../schemas/connection/Catalogue.ts"
import type { ListRoom } from "../../schemas/connection/ListRoom.ts"
import type { ConnectError, ServerExited } from "../../schemas/connection/ConnectError.ts"
import type { ConnectionLost, RequestError } from "../../schemas/connection/RequestError.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { ConnectionInfo } from "../../schemas/connection/ServerState.ts"

/** How long one request may take, and who gets its progress. Times are in milliseconds. */
export interface RequestOptions {
  /** The request is cancelled after so much silence; progress starts the time again. */
  readonly idleMs: number
  /** The request is cancelled after this time, whatever progress it reports. */
  readonly totalMs: number
  /** Asks the server for progress reports, which arrive as the server sent them. */
  readonly onProgress?: ((params: Record<string, unknown>) => void) | undefined
  /** `tools/call` only: runs the call as a task, and follows it until it is done (2025-11-25, Tasks). */
  readonly asTask?: boolean | undefined
  /**
   * `tools/call` only: asked when the node of a fleet where the server lived is dead, and the call may have been executed there. The call is
   * sent to the next place of the server if the answer is yes; without this, and after a no, it fails.
   */
  readonly mayRunAgain?: Effect.Effect<boolean> | undefined
}

/** Changes that a server announces. */
export type ServerEvent = { readonly _tag: "ListChanged" } | { readonly _tag: "ResourceUpdated"; readonly uri: string }

/** A live connection. It is a resource of the Scope in which it was opened. */
export interface ServerConnection {
  readonly info: ConnectionInfo
  readonly catalogue: Catalogue
  /**
   * Sends one request and gives its result as parsed, within the JSON bounds. Interruption cancels the request at the server. A call is
   * sent once, and once more only if the server said that it did not take it: it has lost the HTTP session, or wants to be asked later
   * (429). A call that may have run is never repeated. `HostFeatures` answers the server's requests in the meantime, including
   * `input_required`; while it does, the idle deadline does not advance.
   */
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RequestOptions
  ) => Effect.Effect<unknown, RequestError>
  /** Lists tools, resources and prompts again. */
  readonly discover: Effect.Effect<Catalogue, RequestError>
  /** Sets the one listener, which is called for each `list_changed` and each update of a resource, without debouncing. */
  readonly onEvent: (listener: (event: ServerEvent) => void) => void
  /** Subscribes to changes of these resources instead of the last ones. Does nothing if the server does not offer that. */
  readonly watchResources: (uris: ReadonlyArray<string>) => Effect.Effect<void, RequestError>
  /** Whether the server still answers. An error counts as an answer. */
  readonly ping: Effect.Effect<boolean>
  /** Never succeeds; fails when the connection is gone. */
  readonly closed: Effect.Effect<never, ServerExited | ConnectionLost>
}

/** Opens one connection to one MCP server. `mcp-live/testing` has one whose servers live in memory. */
export class ServerConnector extends Context.Service<
  ServerConnector,
  {
    /**
     * Resolves secrets, starts the process or connects, agrees on a protocol and lists everything, completely or not at all, within
     * `config.timeout`. The connection belongs to the caller's Scope: closing it ends the HTTP session or stops the whole process
     * tree, and returns when it is gone. The memory of its lists is taken from `room`; without one, there is room for a single server.
     */
    readonly open: (config: ServerConfig, room?: ListRoom) => Effect.Effect<ServerConnection, ConnectError, Scope.Scope>
    /**
     * Completes when the cause for which a server was given up is gone, after a login for example, so that another attempt may succeed.
     * Never completes for other causes.
     */
    readonly mended?: (config: ServerConfig, cause: ConnectError) => Effect.Effect<void> | undefined
  }
>()("mcp-live/services/ServerConnector") {}
