/** Keeps servers alive: one supervised server for each launch fingerprint, leased to whoever needs it. */
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

/** What a supervisor publishes: a new object for each change. */
export interface Snapshot {
  readonly state: ServerState
  /** The last known one; it outlives its connection. `undefined` before the first connection. */
  readonly catalogue: Catalogue | undefined
  /** Connections opened again after the first one. */
  readonly restarts: number
  /** Why the last connection or attempt ended. */
  readonly lastError: string | undefined
  /** Only while the lists keep changing: the time after which they are read again at the earliest. */
  readonly relistMs?: number | undefined
  /** In a fleet, of a server that nodes share: the node where its process lives; `null` while it has none. */
  readonly node?: string | null | undefined
}

/** One server with its state, whether it is up or not. */
export interface SupervisedServer {
  readonly config: ServerConfig
  /** The present snapshot, without suspending. */
  readonly snapshot: () => Snapshot
  /** The present snapshot, then each change. */
  readonly changes: Stream.Stream<Snapshot>
  /**
   * Runs `use` with the ready connection. Wakes a sleeping server and waits while it connects; fails at once while the server waits for
   * a restart or is given up. A server is not stopped for idleness while a use of it runs.
   */
  readonly use: <A, E, R>(
    use: (connection: ServerConnection) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ServerUnavailable, R>
  /** Starts a sleeping server without waiting for it. */
  readonly wake: Effect.Effect<void>
  /** Returns when the server is not connecting: Ready, Failed, in Backoff, Idle or Disabled. */
  readonly settled: Effect.Effect<void>
  /**
   * Lists a connected server again; does nothing if it is not connected. If a list cannot be read, the last good one stays, with a
   * warning in the log. One refresh runs at a time; requests that come while it runs share the next one.
   */
  readonly refresh: Effect.Effect<void>
  /** Prepares the lists for agents again, in turns, because new secrets must be masked. */
  readonly prepare: Effect.Effect<void>
  /** The URI of each resource that the server says has changed. */
  readonly resourceUpdates: Stream.Stream<string>
  /**
   * Subscribes to changes of these resources while the caller's Scope is open, after a restart, too. It is no error if the server does
   * not offer that or fails.
   */
  readonly watchResources: (uris: ReadonlyArray<string>) => Effect.Effect<void, never, Scope.Scope>
  /** Ends the connection or the wait, forgets past failures and starts over. */
  readonly reset: Effect.Effect<void>
  /** Completes when the last lease was released and nothing of it is left. */
  readonly gone: Effect.Effect<void>
  /** Completes when no use of a connection is under way. */
  readonly quiet: Effect.Effect<void>
  /**
   * Opens a new connection, without waiting for it: uses that are under way end first, within `RELOAD_DRAIN_MS`, and later ones wait. A
   * server that sleeps, or that the operator has stopped, stays as it is.
   */
  readonly renew: Effect.Effect<void>
  /** Ends the connection or the wait, and starts none until `reset`: the state is `Failed`. */
  readonly stop: Effect.Effect<void>
}

/** The server whose place another one takes. */
export interface Predecessor {
  /** What it offered, if the new one is started in the same way: it counts until the new one is ready. */
  readonly catalogue: Catalogue | undefined
  /** Completes when it is gone. The new one is not started before. */
  readonly gone: Effect.Effect<void>
}

/** What a lease brings besides the configuration. */
export interface LeaseOptions {
  /** Each connection takes one of these places. */
  readonly places?: Places | undefined
  readonly after?: Predecessor | undefined
}

/** Bounds how many servers run at a time for single clients. */
export interface Places {
  /** Takes a place for as long as the Scope is open. */
  readonly take: (config: ServerConfig) => Effect.Effect<void, NoRoom, Scope.Scope>
  /** Completes when there is a free place. */
  readonly free: Effect.Effect<void>
}

/**
 * Keeps servers alive: one supervised server for each launch fingerprint, leased to whoever needs it, and restarted when it fails.
 */
export class ServerPool extends Context.Service<
  ServerPool,
  {
    /**
     * A lease for the caller's Scope. Configurations with equal fingerprints share one server, unless they say `share: false` or have
     * different holders. Releasing the last lease stops the server. With `places`, each connection takes a place: without a free one
     * the server is down, and it starts when there is one again.
     */
    readonly lease: (
      config: ServerConfig,
      options?: LeaseOptions
    ) => Effect.Effect<SupervisedServer, never, Scope.Scope>
    /** The servers that are leased now. */
    readonly leased: () => ReadonlyArray<SupervisedServer>
  }
>()("mcp-live/services/ServerPool") {}
