/**
 * How a node uses a server process that lives at another one. Each request names the incarnation and the epoch of the place that it is meant
 * for: whoever is not that place any more answers `NotHere`, and nothing has been done.
 */
import * as Rpc from "effect/rpc/Rpc"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Schema from "effect/Schema"
import { ServerUnavailable } from "../call/CallError.ts"
import {
  ConnectTimeout,
  HandshakeFailed,
  InvalidLaunch,
  NoRoom,
  SecretUnavailable,
  ServerExited,
  SpawnFailed,
  StoppedByOperator,
  UnsupportedProtocol
} from "../connection/ConnectError.ts"
import { AddressBlocked, AuthRequired, HttpFailed, RedirectBlocked } from "../connection/HttpError.ts"
import {
  CallCancelled,
  CallTimeout,
  ConnectionLost,
  MessageTooLarge,
  ProtocolError
} from "../connection/RequestError.ts"
import { NodeId } from "./Node.ts"

/** Where a server process lives. */
export const Place = Schema.Struct({ node: NodeId, key: Schema.String, epoch: Schema.Int })
export type Place = typeof Place.Type

/** The process is not at that place, or not any more. Nothing has been done. */
export class NotHere extends Schema.TaggedError<NotHere>()("NotHere", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

const HTTP_ERRORS = [AuthRequired, HttpFailed, AddressBlocked, RedirectBlocked] as const

const FarConnectError = Schema.Union([
  SecretUnavailable,
  SpawnFailed,
  NoRoom,
  StoppedByOperator,
  InvalidLaunch,
  ConnectTimeout,
  ServerExited,
  HandshakeFailed,
  UnsupportedProtocol,
  ConnectionLost,
  ...HTTP_ERRORS
])

const FarRequestError = [
  ConnectionLost,
  ProtocolError,
  MessageTooLarge,
  CallTimeout,
  CallCancelled,
  ...HTTP_ERRORS
] as const

const FarState = Schema.Union([
  Schema.TaggedStruct("Disabled", {}),
  Schema.TaggedStruct("Idle", {}),
  Schema.TaggedStruct("Connecting", { attempt: Schema.Int }),
  Schema.TaggedStruct("Ready", { info: Schema.Any, since: Schema.Finite }),
  Schema.TaggedStruct("Backoff", { attempt: Schema.Int, until: Schema.Finite, cause: FarConnectError }),
  Schema.TaggedStruct("Failed", { cause: FarConnectError }),
  Schema.TaggedStruct("Closed", {})
])

const Params = Schema.Record(Schema.String, Schema.Any)

/** What the holder of a lease is told: the state of the server, and what belongs to its requests under way. */
export const LeaseEvent = Schema.Union([
  Schema.TaggedStruct("Snapshot", {
    state: FarState,
    /** Only when it has changed: it is large. */
    catalogue: Schema.optionalKey(Schema.Any),
    restarts: Schema.Int,
    lastError: Schema.optionalKey(Schema.String),
    relistMs: Schema.optionalKey(Schema.Finite)
  }),
  Schema.TaggedStruct("Progress", { call: Schema.String, params: Params }),
  /** The server asks whoever has called it, in this call as far as its node can tell. */
  Schema.TaggedStruct("Question", {
    question: Schema.String,
    call: Schema.optionalKey(Schema.String),
    method: Schema.String,
    params: Params
  })
])
export type LeaseEvent = typeof LeaseEvent.Type

export const SERVER_ACTIONS = ["wake", "refresh", "reset", "renew", "stop"] as const

export const ServerRpcs = RpcGroup.make(
  /** A lease for as long as the stream runs. `config` is that of the server, whose key is checked. */
  Rpc.make("ServerLease", {
    payload: { place: Place, lease: Schema.String, config: Schema.Any },
    success: LeaseEvent,
    error: NotHere,
    stream: true
  }),
  /** Waits for the connection, as a use does. */
  Rpc.make("ServerReady", { payload: { place: Place }, error: Schema.Union([NotHere, ServerUnavailable]) }),
  /** One request of a leased server. Its interruption cancels it there. */
  Rpc.make("ServerRequest", {
    payload: {
      place: Place,
      lease: Schema.String,
      call: Schema.String,
      method: Schema.String,
      params: Params,
      idleMs: Schema.Finite,
      totalMs: Schema.Finite,
      progress: Schema.Boolean,
      asTask: Schema.optionalKey(Schema.Boolean)
    },
    success: Schema.Any,
    error: Schema.Union([NotHere, ServerUnavailable, ...FarRequestError])
  }),
  /** The answer to a question of a server, or a refusal. */
  Rpc.make("ServerAnswer", {
    payload: {
      place: Place,
      question: Schema.String,
      result: Schema.optionalKey(Params),
      refusal: Schema.optionalKey(Schema.Struct({ code: Schema.Int, message: Schema.String }))
    },
    error: NotHere
  }),
  Rpc.make("ServerAct", { payload: { place: Place, action: Schema.Literals(SERVER_ACTIONS) }, error: NotHere }),
  /** Watches resources for as long as the stream runs, and tells which have changed. Those that nobody watched for a while (`missed`) count as changed. */
  Rpc.make("ServerUpdates", {
    payload: {
      place: Place,
      uris: Schema.Array(Schema.String),
      missed: Schema.optionalKey(Schema.Array(Schema.String))
    },
    success: Schema.String,
    error: NotHere,
    stream: true
  })
)
