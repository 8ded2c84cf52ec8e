/** The server processes that live at this node, for its own agents and for other nodes. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { HostRefusal } from "../../schemas/content/HostRequest.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { LeaseEvent, NotHere, Place } from "../../schemas/fleet/ServerRpcs.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { RequestError } from "../../schemas/connection/RequestError.ts"
import type { ServerUnavailable } from "../../schemas/call/CallError.ts"
import type { RequestOptions } from "../connection/ServerConnector.ts"
import type { ServerPool, SupervisedServer } from "../connection/ServerPool.ts"

/** The pool of this process alone, without the servers of other nodes. */
export class NearPool extends Context.Service<NearPool, ServerPool["Service"]>()("mcp-live/services/NearPool") {}

export interface FarRequest {
  readonly lease: string
  readonly call: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly options: Omit<RequestOptions, "onProgress"> & { readonly progress: boolean }
}

export interface NearLease {
  readonly server: SupervisedServer
  /** Completes when the process has to be used elsewhere; it ends afterwards. */
  readonly ended: Effect.Effect<void>
  readonly isOver: () => boolean
}

export class HomeServers extends Context.Service<
  HomeServers,
  {
    /** A lease of this node itself. */
    readonly near: (place: Place, config: ServerConfig) => Effect.Effect<NearLease, NotHere, Scope.Scope>
    /** A lease of another node. */
    readonly far: (place: Place, lease: string, config: ServerConfig) => Stream.Stream<LeaseEvent, NotHere>
    readonly request: (
      place: Place,
      request: FarRequest
    ) => Effect.Effect<unknown, NotHere | ServerUnavailable | RequestError>
    readonly answer: (
      question: string,
      answer: { readonly result: JsonObject } | { readonly refusal: HostRefusal }
    ) => Effect.Effect<void>
    /** The server of a place, if it lives here. */
    readonly at: (place: Place) => Effect.Effect<SupervisedServer, NotHere>
    /** Takes nothing new, waits until what is under way has ended, and frees the places. */
    readonly handOver: Effect.Effect<void>
  }
>()("mcp-live/services/HomeServers") {}

/** Who at other nodes waits for an answer of a server, so that its questions can be passed on to them. */
export class FarCallers extends Context.Service<
  FarCallers,
  {
    readonly calling: (
      key: string,
      ask: (method: string, params: Readonly<Record<string, unknown>>) => Effect.Effect<JsonObject, HostRefusal>
    ) => Effect.Effect<void, never, Scope.Scope>
    /** How to ask the caller of that server, if there is one at another node, and no other. */
    readonly askerOf: (
      key: string
    ) =>
      | ((method: string, params: Readonly<Record<string, unknown>>) => Effect.Effect<JsonObject, HostRefusal>)
      | undefined
  }
>()("mcp-live/services/FarCallers") {}
