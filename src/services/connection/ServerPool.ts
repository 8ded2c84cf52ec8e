/** Keeps servers alive: one supervised server per launch fingerprint, leased to whoever needs it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Catalogue } from "../../schemas/connection/Catalogue.ts"
import type { ServerUnavailable } from "../../schemas/call/CallError.ts"
import type { NoRoom } from "../../schemas/connection/ConnectError.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { ServerState } from "../../schemas/connection/ServerState.ts"
import type { ServerConnection } from "./ServerConnector.ts"

/** What a supervisor publishes; a new object for every change. */
export interface Snapshot {
  readonly state: ServerState
  /** The last one known; it outlives the connection it came from. `undefined` before the first connection. */
  readonly catalogue: Catalogue | undefined
  /** Connections opened again after the first one. */
  readonly restarts: number
  /** Why the last connection or attempt ended. */
  readonly lastError: string | undefined
  /** Left out unless the lists keep changing: they are read again no sooner than so long after the last time. */
  readonly relistMs?: number | undefined
}

/** One server with its present state, whether it is up or not. */
export interface SupervisedServer {
  readonly config: ServerConfig
  /** Without suspending: what holds now. */
  readonly snapshot: () => Snapshot
  /** The present snapshot, then each change. */
  readonly changes: Stream.Stream<Snapshot>
  /**
   * Runs `use` with the ready connection. Wakes a sleeping server and waits while it connects; fails at once while it
   * waits to be restarted or is given up. A server is not stopped for idleness while a use of it runs.
   */
  readonly use: <A, E, R>(
    use: (connection: ServerConnection) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ServerUnavailable, R>
  /** Starts a sleeping server without waiting for it. */
  readonly wake: Effect.Effect<void>
  /** Returns when the server is Ready, Failed, in Backoff, Idle or Disabled: when it is not on its way up. */
  readonly settled: Effect.Effect<void>
  /**
   * Lists anew what a connected server offers; nothing for one that is not connected. When a list cannot be read the last
   * good one stays, with a warning in the log. One refresh at a time: who comes meanwhile waits for the next one.
   */
  readonly refresh: Effect.Effect<void>
  /** Makes what agents need of its lists again where other secrets have become known since, in turns. */
  readonly prepare: Effect.Effect<void>
  /** The URI of each resource that the server says has changed. */
  readonly resourceUpdates: Stream.Stream<string>
  /**
   * Asks the server to tell of changes of these resources, as long as the caller's Scope is open, also after a restart.
   * A server that does not offer that, or cannot now, is not an error.
   */
  readonly watchResources: (uris: ReadonlyArray<string>) => Effect.Effect<void, never, Scope.Scope>
  /** Ends the present connection or wait, forgets past failures and starts over. */
  readonly reset: Effect.Effect<void>
}

/** How many servers may run at a time that are started for one client alone. */
export interface Places {
  /** One of them, for as long as the Scope is open. */
  readonly take: (config: ServerConfig) => Effect.Effect<void, NoRoom, Scope.Scope>
  /** Completes when one can be had. */
  readonly free: Effect.Effect<void>
}

/**
 * Keeps servers alive: one supervised server for each way to start it, leased to whoever needs it, restarted when it
 * fails.
 */
export class ServerPool extends Context.Service<
  ServerPool,
  {
    /**
     * A lease for the caller's Scope. Equal fingerprints share one server, unless the configuration says
     * `share: false` or they have different holders; the last lease released stops it. With `places` each of its connections
     * takes one of them: while there is none the server is down, and it comes up when there is one again.
     */
    readonly lease: (config: ServerConfig, places?: Places) => Effect.Effect<SupervisedServer, never, Scope.Scope>
  }
>()("mcp-live/services/ServerPool") {}
