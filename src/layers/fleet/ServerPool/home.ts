/** One stay of a server at a place, as this node uses it: near, with the server itself, or far, over the connection to its node. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { HostRefusal, REFUSED } from "../../../schemas/content/HostRequest.ts"
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ServerState } from "../../../schemas/connection/ServerState.ts"
import type { NodeUnreachable } from "../../../schemas/fleet/FleetError.ts"
import type { LeaseEvent, NotHere, Place, SERVER_ACTIONS } from "../../../schemas/fleet/ServerRpcs.ts"
import type { RequestOptions } from "../../../services/connection/ServerConnector.ts"
import type { Snapshot, SupervisedServer } from "../../../services/connection/ServerPool.ts"
import type { HostFeatures } from "../../../services/content/HostFeatures.ts"
import type { PeerClient, Peers } from "../../../services/fleet/Peers.ts"

export type Action = (typeof SERVER_ACTIONS)[number]

export interface Near {
  readonly kind: "near"
  readonly place: Place
  readonly server: SupervisedServer
  /** Its process has to be used elsewhere. */
  readonly isOver: () => boolean
}

export interface Far {
  readonly kind: "far"
  readonly place: Place
  readonly lease: string
  readonly client: PeerClient
  /** Calls under way: who hears their reports, and in whose context questions about them are answered. */
  readonly calls: Map<
    string,
    { readonly context: Context.Context<never>; readonly onProgress: RequestOptions["onProgress"] }
  >
}

export type Home = Near | Far

const snapshotOf = (
  { catalogue, lastError, relistMs, restarts, state }: Extract<LeaseEvent, { readonly _tag: "Snapshot" }>,
  last: Snapshot,
  node: string
): Snapshot => ({
  state: state as ServerState,
  catalogue: catalogue === undefined ? last.catalogue : (catalogue as Catalogue),
  restarts,
  lastError,
  relistMs,
  node
})

interface Following {
  readonly config: ServerConfig
  readonly peers: Peers["Service"]
  readonly host: HostFeatures["Service"]
  readonly last: () => Snapshot
  readonly publish: (snapshot: Snapshot) => Effect.Effect<void>
  readonly arrived: (home: Home) => Effect.Effect<void>
}

/** Answers a question of the server at this node, where its caller is. */
const answered = ({ config, host }: Following, { calls, client, place }: Far, event: LeaseEvent) => {
  if (event._tag !== "Question") return Effect.void
  const { call = "", method, params, question } = event
  return host.answer(config, method, params).pipe(
    Effect.provideContext(calls.get(call)?.context ?? Context.empty()),
    Effect.matchCauseEffect({
      onSuccess: (result) => client.ServerAnswer({ place, question, result: { ...result } }),
      onFailure: (cause) => {
        const refusal = Option.getOrElse(
          Cause.findErrorOption(cause),
          () => new HostRefusal({ code: REFUSED, message: "the client of this call could not be asked" })
        )
        return client.ServerAnswer({ place, question, refusal: { code: refusal.code, message: refusal.message } })
      }
    }),
    Effect.ignore
  )
}

/** Uses a server at another node until its place, or the connection, ends. */
export const followFar = (following: Following, place: Place): Effect.Effect<void, NotHere | NodeUnreachable> =>
  Effect.gen(function* () {
    const { arrived, config, last, peers, publish } = following
    const client = yield* peers.rpc(place.node)
    const home: Far = { kind: "far", place, lease: randomUUID(), client, calls: new Map() }
    let isFirst = true
    yield* client.ServerLease({ place, lease: home.lease, config }).pipe(
      Stream.runForEach((event) => {
        if (event._tag === "Progress") {
          return Effect.sync(() => home.calls.get(event.call)?.onProgress?.({ ...event.params }))
        }
        if (event._tag === "Question") return Effect.forkScoped(answered(following, home, event))
        const told = publish(snapshotOf(event, last(), place.node.name))
        if (!isFirst) return told
        isFirst = false
        return Effect.andThen(told, arrived(home))
      }),
      // The connection broke: whether the node is dead is found out by whoever looks for the next place.
      Effect.catchTag("RpcClientError", () => Effect.void),
      // A node that ends interrupts what it answers, which reaches this node as an interruption, though nobody here is interrupted.
      Effect.catchCauseIf(Cause.hasInterruptsOnly, () => Effect.void)
    )
  }).pipe(Effect.scoped)
