/** The RPC of a running OpenClaw gateway (WebSocket, protocol 4). Our agent and its tools use it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { GatewayHello } from "../../schemas/agent/GatewayFrames.ts"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"

/** An event of the gateway. `payload` is unchecked. */
export interface GatewayEvent {
  readonly event: string
  readonly payload: unknown
}

/**
 * A connection that is made again when it is lost. Requests under way then fail; new ones wait for the next connection,
 * within their timeout.
 */
export interface Link {
  /** Sends one request, never twice, and returns the response. */
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    options?: { readonly timeoutMs?: number | undefined }
  ) => Effect.Effect<unknown, GatewayError>
  /**
   * The events from the moment this Effect returns, for the caller's Scope. The stream belongs to one connection and fails
   * when that is lost: events may have been missed then.
   */
  readonly events: Effect.Effect<Stream.Stream<GatewayEvent, GatewayError>, GatewayError, Scope.Scope>
  /** What the gateway said about itself. Waits for a connection. */
  readonly hello: Effect.Effect<GatewayHello, GatewayError>
  /** Why there is no connection now; `undefined` while there is one. */
  readonly trouble: Effect.Effect<GatewayError | undefined>
  /** Emits at each new connection. What you told the gateway for the time of a connection, tell it again. */
  readonly connected: Stream.Stream<GatewayHello>
}

/** How a node describes itself when it connects. */
export interface NodeDescription {
  readonly displayName: string
  readonly caps: ReadonlyArray<string>
  readonly commands: ReadonlyArray<string>
}

export class GatewayLink extends Context.Service<
  GatewayLink,
  {
    /** For conversations and configuration. */
    readonly operator: Link
    /**
     * Connects as a node that offers commands, for the caller's Scope. For that time each node has its own device identity,
     * one of those in the data directory: at most `GATEWAY_DEVICES_MAX` at once, over all processes that share it.
     */
    readonly node: (about: NodeDescription) => Effect.Effect<Link, GatewayError, Scope.Scope>
    /** The address as shown to people: protocol, machine and port only. */
    readonly address: string
    /** Identifies this gateway in stored data; safe as a file name. */
    readonly id: string
    /** Whether the gateway runs on this machine, and so can reach ports on its loopback. */
    readonly local: boolean
    /**
     * Downloads one file by the address that the gateway gave: a path, or a URL of its own web origin. Refuses everything
     * else, and files of more than `maxBytes`. Does not send our token.
     */
    readonly download: (address: string, maxBytes: number) => Effect.Effect<Uint8Array, GatewayError>
  }
>()("mcp-live/services/GatewayLink") {}
