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

/** How long one request may take, and who hears of its progress. Times are milliseconds. */
export interface RequestOptions {
  /** Milliseconds of silence after which the request is cancelled; progress starts them again. */
  readonly idleMs: number
  /** Milliseconds after which it is cancelled whatever progress it reports. */
  readonly totalMs: number
  /** Asks the server for progress reports; raw, as the server sent them. */
  readonly onProgress?: ((params: Record<string, unknown>) => void) | undefined
  /** `tools/call` only: as a task, whose progress and end are looked for until it is done (2025-11-25, Tasks). */
  readonly asTask?: boolean | undefined
}

/** What a server says of its own accord. */
export type ServerEvent = { readonly _tag: "ListChanged" } | { readonly _tag: "ResourceUpdated"; readonly uri: string }

/** A live protocol connection: a resource of the Scope it was opened in. */
export interface ServerConnection {
  readonly info: ConnectionInfo
  readonly catalogue: Catalogue
  /**
   * Sends one request and gives its result as parsed, within the JSON bounds. Interruption tells the server that the
   * request is cancelled. A call is sent once, and once more only when the server said that it did not take it: it has lost
   * the HTTP session, or wants to be asked later (429). What may have run is never repeated. What the server asks the host
   * in the meantime is answered by `HostFeatures`, also where it comes back as `input_required`; while the host is at it, the
   * idle deadline stands still.
   */
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RequestOptions
  ) => Effect.Effect<unknown, RequestError>
  /** Lists tools, resources and prompts anew. */
  readonly discover: Effect.Effect<Catalogue, RequestError>
  /** Called for each `list_changed` and each update of a resource, undebounced. At most one listener. */
  readonly onEvent: (listener: (event: ServerEvent) => void) => void
  /** Asks to be told of changes of these resources, in place of those asked for before. Nothing where that is not offered. */
  readonly watchResources: (uris: ReadonlyArray<string>) => Effect.Effect<void, RequestError>
  /** Whether the server still answers; an error answer counts, only silence does not. */
  readonly ping: Effect.Effect<boolean>
  /** Never succeeds; fails when the connection is gone. */
  readonly closed: Effect.Effect<never, ServerExited | ConnectionLost>
}

/** Opens one connection to one MCP server. `mcp-live/testing` has one whose servers live in memory. */
export class ServerConnector extends Context.Service<
  ServerConnector,
  {
    /**
     * Resolves secrets, starts the process or dials, finds the protocol era, shakes hands, lists everything: whole, or not
     * at all. Takes no longer than `config.timeout`. The caller's Scope owns what was opened: closing it ends the HTTP
     * session or stops the whole process tree, and returns when it is gone. What its lists hold is taken from `room`; without
     * one there is the room of a single server.
     */
    readonly open: (config: ServerConfig, room?: ListRoom) => Effect.Effect<ServerConnection, ConnectError, Scope.Scope>
    /**
     * Completes when what ended all attempts has been mended without us, by a login, so that another attempt is worth
     * while; never for anything else. Left out where nothing of the kind is known.
     */
    readonly mended?: (config: ServerConfig, cause: ConnectError) => Effect.Effect<void> | undefined
  }
>()("mcp-live/services/ServerConnector") {}
