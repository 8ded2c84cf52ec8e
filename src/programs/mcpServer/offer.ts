/** What an MCP client is offered: the tools for orders, and how a call of theirs becomes one. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { performance } from "node:perf_hooks"
import type { AgentEvent } from "../../schemas/AgentEvent.ts"
import { ORDER_HISTORY_TURNS, ORDER_HISTORY_TURNS_MAX } from "../../schemas/defaults/Orders.ts"
import { INVALID_PARAMS } from "../../schemas/HostRequest.ts"
import { isObject, type JsonObject } from "../../schemas/Json.ts"
import { RequestRefused } from "../../schemas/ListenerError.ts"
import { overOf } from "../../schemas/AnswerPieces.ts"
import type { OrderPart } from "../../schemas/OrderAnswer.ts"
import { isOpenClaw } from "../../schemas/OrderChain.ts"
import { readOrder, readSessionKey } from "../../schemas/OrderInput.ts"
import { orderKey, type OrderClient } from "../../schemas/OrderSession.ts"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"
import type { AnswerPieces } from "../../services/AnswerPieces.ts"
import type { Exchange, Handler, McpClient, McpOffer, Serve } from "../../services/McpListener.ts"
import type { Orders } from "../../services/Orders.ts"
import { inTurns } from "../../system/inTurns.ts"
import { approveBy, type Asked, type Asking } from "./asking.ts"
import { errorResult, fromAnswer, fromFailure, fromHistory, fromStatus, partsOf, type Linked } from "./results.ts"
import { HISTORY, ORDER, STATUS, TOOLS } from "./tools.ts"

/** What is behind the offer. */
export interface Behind {
  readonly orders: Orders["Service"]
  readonly pieces: AnswerPieces["Service"]
  readonly asking: Asking
  /** Whether the gateway that answers is above this process: then all that comes in on stdin comes from there. */
  readonly isBelowGateway: () => boolean
  /** The runtime of an agent that a client's token is for. */
  readonly runtimeOf: (agent: string) => Effect.Effect<McpRuntimeShape, RequestRefused>
}

export interface Serving {
  /** Waited for by the first call, and by nothing before it. */
  readonly behind: Effect.Effect<Behind, RequestRefused>
  /** Who the client is: on stdio it has no name of its own, and is the user who has started us. */
  readonly principal?: string | undefined
}

const TITLE = "OpenClaw"
const INSTRUCTIONS =
  "order_openclaw gives a message to an agent that has tools, a memory and a machine of its own, and returns its whole answer. Give the sessionKey of an answer with the next order in order to go on with a conversation. What is too long for a result comes as links: read them with resources/read."

const RESOURCE_NOT_FOUND = -32002
const NO_PIECE = "Resource not found: there is no such piece of an answer of yours, or it is no longer kept"
const NOTHING_LINKED: Effect.Effect<Linked> = Effect.succeed(new Map())

/** With the name by which a person knows it. */
type Client = OrderClient & { readonly shown: string }

const invalid = (message: string) => new RequestRefused({ code: INVALID_PARAMS, message })

/** Ids of the calls that an order has under way, for questions of their servers. */
const follow =
  ({ calls }: Asked) =>
  (event: AgentEvent) => {
    if (event._tag === "ToolCall") calls.set(event.id, event.name)
    if (event._tag === "ToolResult") calls.delete(event.id)
  }

/** Never what was said: how much it was, for whom, and how it went. */
const logged = (client: OrderClient, sessionKey: string | undefined, sizes: string, at: number, how: string) =>
  Effect.logInfo(
    `order: session ${sessionKey === undefined ? "new" : orderKey(client, sessionKey).slice(0, 14)}, ${sizes} -> ${how}, ${Math.round(performance.now() - at)} ms`
  )

const place = Effect.fnUntraced(function* (
  { asking, orders, pieces, runtimeOf }: Behind,
  client: Client,
  fromGateway: boolean,
  args: unknown,
  meta: unknown,
  exchange: Exchange
) {
  const at = performance.now()
  const read = yield* inTurns(readOrder(args))
  if (Result.isFailure(read)) {
    yield* Effect.logInfo(`order: refused, ${read.failure.split(/[:;"]|,\s/, 1)[0]?.trim()}`)
    return errorResult(read.failure)
  }
  const order = read.success
  const found = client.agent === undefined ? undefined : yield* Effect.result(runtimeOf(client.agent))
  if (found !== undefined && Result.isFailure(found)) return errorResult(found.failure.message)
  const as = found?.success
  const asked: Asked = { exchange, calls: new Map() }
  const linked = (parts: ReadonlyArray<OrderPart>) => {
    const over = overOf(parts)
    return over.length === 0 ? NOTHING_LINKED : pieces.keep(client, over)
  }
  let told = 0
  const sizes = `${order.message.length} characters, ${order.attachments.length} attachments`
  return yield* Effect.acquireUseRelease(
    Effect.sync(() => asking.orders.add(asked)),
    () =>
      orders.place(order, client, {
        as,
        meta,
        fromGateway,
        approve: approveBy(exchange),
        client: client.shown,
        onEvent: follow(asked),
        tell: (message) => exchange.progress({ progress: ++told, total: undefined, message })
      }),
    () => Effect.sync(() => asking.orders.delete(asked))
  ).pipe(
    Effect.tap(({ end, parts, sessionKey }) => logged(client, sessionKey, sizes, at, `${parts.length} parts, ${end}`)),
    Effect.tapError(({ _tag }) => logged(client, order.sessionKey, sizes, at, _tag)),
    Effect.onInterrupt(() => logged(client, order.sessionKey, sizes, at, "cancelled")),
    Effect.flatMap((answer) => {
      const parts = partsOf(answer)
      return Effect.map(linked(parts), (over) => fromAnswer(answer, parts, over))
    }),
    Effect.catch((error) =>
      Effect.map(error._tag === "OrderFailed" ? linked(error.said) : NOTHING_LINKED, (over) => fromFailure(error, over))
    )
  )
})

const readTurns = (given: unknown): number =>
  typeof given === "number" && Number.isInteger(given) && given >= 1
    ? Math.min(given, ORDER_HISTORY_TURNS_MAX)
    : ORDER_HISTORY_TURNS

/** Both want a session that the client names. */
const about = Effect.fnUntraced(function* ({ orders }: Behind, client: OrderClient, name: string, args: unknown) {
  const { sessionKey: given, turns } = isObject(args) ? args : {}
  const read = readSessionKey(given)
  if (Result.isFailure(read)) return errorResult(read.failure)
  if (read.success === undefined) return errorResult("sessionKey is missing")
  return name === STATUS
    ? fromStatus(yield* orders.status(read.success, client))
    : fromHistory(yield* orders.history(read.success, client, readTurns(turns)))
})

/** A piece of an answer that was too long for its result. */
const read = (serving: Serving, client: OrderClient): Handler =>
  Effect.fnUntraced(function* ({ uri }: JsonObject) {
    const { pieces } = yield* serving.behind
    const piece = yield* pieces.read(client, String(uri))
    if (piece !== undefined) return { contents: [{ uri: String(uri), ...piece }] }
    return yield* new RequestRefused({ code: RESOURCE_NOT_FOUND, message: NO_PIECE, data: { uri } })
  })

const call = (serving: Serving, client: Client, clientName: string | undefined) =>
  Effect.fnUntraced(function* (params: JsonObject, exchange: Exchange): Effect.fn.Return<JsonObject, RequestRefused> {
    const { _meta: meta, arguments: args = {}, name } = params
    if (name !== ORDER && name !== STATUS && name !== HISTORY) {
      const shown = JSON.stringify(String(name).slice(0, 60).toWellFormed())
      return yield* invalid(`Unknown tool ${shown}; there are ${ORDER}, ${STATUS} and ${HISTORY}`)
    }
    const behind = yield* Effect.result(serving.behind)
    // For whoever has sent it, it is a failed order as every other.
    if (Result.isFailure(behind)) return errorResult(behind.failure.message)
    // One client at stdin, and many over HTTP.
    const isBelow = serving.principal !== undefined && behind.success.isBelowGateway()
    return name === ORDER
      ? yield* place(behind.success, client, isBelow || isOpenClaw(clientName), args, meta, exchange)
      : yield* about(behind.success, client, name, args)
  })

export const serveOrders =
  (serving: Serving): Serve =>
  ({ agent, name, principal }: McpClient) => {
    // Over HTTP it has the name of its token; on stdio only that which it gives itself.
    const shown = serving.principal === undefined ? principal : (name ?? serving.principal)
    const client: Client = { principal: serving.principal ?? principal, agent, shown }
    const offer: McpOffer = {
      name: "mcp-live",
      title: TITLE,
      instructions: INSTRUCTIONS,
      handlers: {
        "tools/list": () => Effect.succeed({ tools: TOOLS }),
        "tools/call": call(serving, client, name),
        "resources/read": read(serving, client)
      },
      changes: Stream.empty,
      tasks: true
    }
    return Effect.succeed(offer)
  }
