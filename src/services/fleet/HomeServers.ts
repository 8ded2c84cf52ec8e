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
    /** Which of these resources change from now on. Those in `missed` may have changed before: they count as changed. */
    readonly updates: (
      place: Place,
      uris: ReadonlyArray<string>,
      missed: ReadonlyArray<string>
    ) => Stream.Stream<string, NotHere>
    /** The server of a place, if it lives here. */
    readonly at: (place: Place) => Effect.Effect<SupervisedServer, NotHere>
    /** Takes nothing new, waits until what is under way has ended, and frees the places. */
    readonly handOver: Effect.Effect<void>
  }
>()("mcp-live/services/HomeServers") {}

export type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Effect.Effect<JsonObject, HostRefusal>

/** Who calls a server that lives here: this node, for its clients, or another one, for its own. Each knows which of them a call is for. */
export interface HomeCaller {
  readonly node: string
  /** Nothing for this node, whose host is asked. */
  readonly ask?: Ask | undefined
}

/** Whose calls are under way at the servers that live here, so that a question reaches the right node. */
export class HomeCallers extends Context.Service<
  HomeCallers,
  {
    readonly calling: <A, E, R>(key: string, caller: HomeCaller, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Whom a question of a server is for; why that is unknown; or nothing for a server that nobody has called here. */
    readonly whom: (key: string) => Effect.Effect<HomeCaller | string | undefined>
  }
>()("mcp-live/services/HomeCallers") {}

/** Whose call runs, where a server asks in its answer to it: then its questions are for nobody else. */
export class OwnCaller extends Context.Reference<HomeCaller | undefined>("mcp-live/services/OwnCaller", {
  defaultValue: () => undefined
}) {}
