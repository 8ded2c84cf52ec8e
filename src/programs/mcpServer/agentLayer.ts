/** Everything behind the tools for agent requests: the agent, the queue, and the answers to questions of its servers. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as AnswerPiecesLayer from "../../layers/agent/AnswerPieces.ts"
import * as ConfigSource from "../../layers/config/ConfigSource.ts"
import { GatewayLive } from "../../layers/McpLive/GatewayLive.ts"
import * as OrdersLayer from "../../layers/agent/Orders.ts"
import * as RedactorLayer from "../../layers/content/Redactor.ts"
import * as ResultStoreLayer from "../../layers/call/ResultStore.ts"
import * as SessionTools from "../../layers/agent/SessionTools.ts"
import { ORDER_PIECES_HELD_MAX_BYTES, ORDER_PIECES_KEPT_MAX_BYTES } from "../../schemas/defaults/Orders.ts"
import { ordersDirectory } from "../../schemas/config/DataDirectory.ts"
import type { Said } from "../../schemas/agent/GatewayChoice.ts"
import type { Caller } from "../../schemas/call/Caller.ts"
import type { Root } from "../../schemas/content/HostRequest.ts"
import { RequestRefused } from "../../schemas/listener/ListenerError.ts"
import { AgentRuntimes } from "../../services/call/AgentRuntimes.ts"
import { AnswerPieces } from "../../services/agent/AnswerPieces.ts"
import { McpRuntime, type WholeRuntime } from "../../services/call/McpRuntime.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"
import { Orders } from "../../services/agent/Orders.ts"
import { listensAbove } from "../../system/ancestry.ts"
import { layerBackend, localAgent, localPort } from "../acp/backend.ts"
import { makeAsking } from "./asking.ts"
import type { Behind } from "./place.ts"
import { redactorLayer } from "../cli/masking.ts"

export interface Choice {
  readonly config: string | undefined
  readonly agent: string | undefined
  readonly roots: { readonly roots?: ReadonlyArray<Root> }
  /** The agent that answers. */
  readonly said: Said
  /** The number of programs above this one that take agent requests. */
  readonly depth: number
  /** Whose orders they are that say nothing of it: those of a client that this user started. */
  readonly caller?: Caller | undefined
  /** The number of clients that may send agent requests. */
  readonly clients: number
}

const INTERNAL_ERROR = -32603

/** Has its own store, which results of servers cannot fill. Secrets were masked before, so its content is sent as it is. */
const piecesIn = (directory: string) =>
  AnswerPiecesLayer.layer.pipe(
    Layer.provide(
      Layer.fresh(
        ResultStoreLayer.layer({
          directory,
          maxBytes: ORDER_PIECES_KEPT_MAX_BYTES,
          heldMaxBytes: ORDER_PIECES_HELD_MAX_BYTES
        })
      )
    ),
    Layer.provide(Layer.fresh(RedactorLayer.layer))
  )

/** For the caller's Scope. */
export const makeBehind = Effect.fnUntraced(function* ({ agent, caller, clients, config, depth, roots, said }: Choice) {
  const scope = yield* Effect.scope
  const asking = makeAsking()
  const optional = config === undefined ? ConfigSource.layerOptional() : undefined
  const replace = { redactor: redactorLayer, ...(optional === undefined ? {} : { config: optional }) }
  const directory = ordersDirectory()
  const runtimes = Layer.unwrap(
    Effect.map(localAgent(said, agent), (local) =>
      GatewayLive(
        {
          config,
          agent: local,
          caller,
          host: { ...roots, elicit: asking.elicit, unasked: asking.unasked },
          replace,
          telemetry: true
        },
        { kind: "mcp-server" }
      )
    )
  ).pipe(Layer.provide(optional ?? ConfigSource.layer({ path: config })))
  const layer = Layer.merge(OrdersLayer.layer({ directory, depth, clients }), piecesIn(directory)).pipe(
    Layer.provideMerge(layerBackend(said, agent, directory)),
    Layer.provideMerge(SessionTools.layer),
    Layer.provideMerge(runtimes)
  )

  const port = yield* localPort(said).pipe(Effect.provide(optional ?? ConfigSource.layer({ path: config })))
  let isBelow: boolean | undefined
  /** Computed once: the ancestors of a process do not increase. */
  const isBelowGateway = () => (isBelow ??= port !== undefined && listensAbove(port))

  return yield* Effect.gen(function* () {
    const runtime = yield* McpRuntime
    const runtimesOf = yield* AgentRuntimes
    const live = yield* LiveConfig
    /** Each is built once and lives as long as this program. */
    const taken = new Map<string, WholeRuntime>()
    const behind: Behind = {
      orders: yield* Orders,
      pieces: yield* AnswerPieces,
      asking,
      runtime,
      isBelowGateway,
      config: live.current,
      runtimeOf: Effect.fnUntraced(function* (id) {
        const known = taken.get(id)
        if (known !== undefined) return known
        const found = yield* runtimesOf.get(id).pipe(
          Effect.mapError(({ message }) => new RequestRefused({ code: INTERNAL_ERROR, message })),
          Effect.provideService(Scope.Scope, scope)
        )
        taken.set(id, found)
        return found
      })
    }
    return behind
  }).pipe(Effect.provide(yield* Layer.build(layer)))
})
