/** The RPC of a running OpenClaw gateway (WebSocket, protocol 4): what our agent and its tools reach it by. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { GatewayHello } from "../../schemas/agent/GatewayFrames.ts"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"

/** An event of the gateway. What is in it is as the gateway sent it, and not looked at yet. */
export interface GatewayEvent {
  readonly event: string
  readonly payload: unknown
}

/** Made again when it is lost. What was under way then fails; what is asked for meanwhile waits, within its deadline. */
export interface Link {
  /** One request, answered. Never sent twice. */
  readonly request: (
    method: string,
    params: Readonly<Record<string, unknown>>,
    options?: { readonly timeoutMs?: number | undefined }
  ) => Effect.Effect<unknown, GatewayError>
  /**
   * The events from when this Effect returns on, for the caller's Scope; of one connection: the stream fails when that is
   * lost, so that nobody waits for an event that was sent while nobody was there.
   */
  readonly events: Effect.Effect<Stream.Stream<GatewayEvent, GatewayError>, GatewayError, Scope.Scope>
  /** What the gateway said of itself; waits for a connection. */
  readonly hello: Effect.Effect<GatewayHello, GatewayError>
  /** Why there is no connection at this moment; `undefined` while there is one. */
  readonly trouble: Effect.Effect<GatewayError | undefined>
  /** An element each time a connection is there (again): who has told the gateway something for the time of a connection tells it anew. */
  readonly connected: Stream.Stream<GatewayHello>
}

/** What a node of the gateway says of itself when it connects. */
export interface NodeDescription {
  readonly displayName: string
  readonly caps: ReadonlyArray<string>
  readonly commands: ReadonlyArray<string>
}

export class GatewayLink extends Context.Service<
  GatewayLink,
  {
    /** As an operator: conversations, configuration. */
    readonly operator: Link
    /**
     * As a node that offers commands, for the caller's Scope. Each has a device of its own for that time, out of those that
     * are kept in the data directory: at most `GATEWAY_DEVICES_MAX` at once, over all processes of it.
     */
    readonly node: (about: NodeDescription) => Effect.Effect<Link, GatewayError, Scope.Scope>
    /** Where it is, as people are told: no more than protocol, machine and port. */
    readonly address: string
    /** Tells this gateway from others in what is kept; may be the name of a file. */
    readonly id: string
    /** Whether the gateway runs on this machine, and can reach what listens on its loopback. */
    readonly local: boolean
    /**
     * One file, by the address that the gateway gave for it: a path of its own, or an address of its own origin. Everything else
     * is refused, and so is what has more than so many bytes. Our token is not sent along.
     */
    readonly download: (address: string, maxBytes: number) => Effect.Effect<Uint8Array, GatewayError>
  }
>()("mcp-live/services/GatewayLink") {}
