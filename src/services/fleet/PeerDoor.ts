/**
 * The port of a node: connections between nodes of one fleet, mutually authenticated and encrypted with the fleet's secret. A stranger, a
 * node of another fleet and a node of another version get nothing.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Duplex } from "node:stream"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import type { PeerProtocol } from "../../schemas/fleet/PeerHello.ts"

/** Why there is no connection. */
export class PeerRefused extends Data.TaggedError("PeerRefused")<{
  /**
   * `gone`: nobody listens there, or another incarnation does. `silent`: no answer in time. `stranger`: it has another secret, or belongs to
   * another fleet. `version`: it speaks another contract.
   */
  readonly reason: "gone" | "silent" | "stranger" | "version"
  readonly detail: string
}> {
  override get message() {
    return this.detail
  }
}

export class PeerDoor extends Context.Service<
  PeerDoor,
  {
    /** The port, which the system may have chosen. */
    readonly port: number
    /** Whom connections are answered for, and who opens them. Connections for others are refused, and all are until this is called. */
    readonly become: (self: NodeId) => void
    /** The addresses of all other nodes, as `FleetNode` has them: a flood of strangers does not keep connections from there out. */
    readonly expect: (addresses: ReadonlyArray<string>) => void
    /** Takes the connections of one protocol, until the Scope closes. The socket belongs to `take`. */
    readonly accept: (
      protocol: PeerProtocol,
      take: (socket: Duplex, from: NodeId) => void
    ) => Effect.Effect<void, never, Scope.Scope>
    /** A new connection, which belongs to the caller. Without `to`, whoever is at that address may answer. */
    readonly dial: (
      address: string,
      to: NodeId | undefined,
      protocol: PeerProtocol
    ) => Effect.Effect<Duplex, PeerRefused>
  }
>()("mcp-live/services/PeerDoor") {}
