/** One agent request: reads it, passes it to the agent, follows it, and turns its answer into a result. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { performance } from "node:perf_hooks"
import { overOf } from "../../schemas/agent/AnswerPieces.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { RequestRefused } from "../../schemas/listener/ListenerError.ts"
import { countOf, type MessageTrace } from "../../schemas/listener/MessageTrace.ts"
import type { OrderPart } from "../../schemas/agent/OrderAnswer.ts"
import { readOrder, type OrderInput } from "../../schemas/agent/OrderInput.ts"
import { orderKey, type OrderClient } from "../../schemas/agent/OrderSession.ts"
import { formatBytes } from "../../schemas/content/Rendering.ts"
import { sizeInBytes } from "../../schemas/data/Base64.ts"
import type { AnswerPieces } from "../../services/agent/AnswerPieces.ts"
import type { RequestContext } from "../../services/listener/McpListener.ts"
import type { McpRuntimeShape, WholeRuntime } from "../../services/call/McpRuntime.ts"
import type { Orders } from "../../services/agent/Orders.ts"
import { inTurns } from "../../system/inTurns.ts"
import { approveBy, type Asking } from "./asking.ts"
import { errorResult, fromAnswer, fromFailure, partsOf, type Linked } from "./answerResults.ts"

/** What the tools need. */
export interface Behind {
  readonly orders: Orders["Service"]
  readonly pieces: AnswerPieces["Service"]
  readonly asking: Asking
  /** Of the agent that answers clients whose token names none. */
  readonly runtime: McpRuntimeShape
  /** Whether the gateway that answers is an ancestor of this process: then everything on stdin comes from it. */
  readonly isBelowGateway: () => boolean
  /** The runtime of the agent that a client's token names. */
  readonly runtimeOf: (agent: string) => Effect.Effect<WholeRuntime, RequestRefused>
  /** The configuration as it is now. */
  readonly config: () => GatewayConfig
}

/** With the name that people know. */
export type Client = OrderClient & { readonly shown: string }

const SHOWN_KEY_CHARS = 14
const NOTHING_LINKED: Effect.Effect<Linked> = Effect.succeed(new Map())

/** The beginning of the stored key: neither the client's own key, nor enough to find the conversation. */
const shownKey = (client: OrderClient, sessionKey: string | undefined): string =>
  sessionKey === undefined ? "new" : orderKey(client, sessionKey).slice(0, SHOWN_KEY_CHARS)

/** Logs sizes and the outcome, never the content. */
const logged = (
  name: string,
  client: OrderClient,
  sessionKey: string | undefined,
  sizes: string,
  at: number,
  how: string
) =>
  Effect.logInfo(
    `${name}: session ${shownKey(client, sessionKey)}, ${sizes} -> ${how}, ${Math.round(performance.now() - at)} ms`
  )

const sizesOf = ({ attachments, message }: OrderInput): string => {
  const bytes = attachments.reduce((sum, { data }) => sum + sizeInBytes(data), 0)
  const media = attachments.length === 0 ? "" : ` of ${formatBytes(bytes)}`
  return `message of ${formatBytes(Buffer.byteLength(message))}, ${countOf(attachments.length, "attachment")}${media}`
}

/** Works for results of all tools. */
export const sizeOf = (result: JsonObject): string => {
  const content = result["content"] as ReadonlyArray<JsonObject>
  const links = content.filter(({ type }) => type === "resource_link").length
  const chars = content.reduce((sum, { data, text }) => sum + String(data ?? text ?? "").length, 0)
  const linked = links === 0 ? "" : `, ${countOf(links, "link")}`
  return `${countOf(content.length - links, "part")} of ${countOf(chars, "character")}${linked}`
}

/** One call of `order_openclaw`. */
export interface Placing {
  readonly client: Client
  readonly fromGateway: boolean
  readonly args: unknown
  readonly meta: unknown
  readonly exchange: RequestContext
  /** The name of the request in the log. */
  readonly name: string
  readonly trace: MessageTrace
}

export const place = Effect.fnUntraced(function* (
  { asking, orders, pieces, runtime, runtimeOf }: Behind,
  { args, client, exchange, fromGateway, meta, name, trace }: Placing
) {
  const at = performance.now()
  const read = yield* inTurns(readOrder(args))
  if (Result.isFailure(read)) {
    yield* Effect.logInfo(`${name}: refused, ${read.failure.split(/[:;"]|,\s/, 1)[0]?.trim()}`)
    return errorResult(read.failure)
  }
  const order = read.success
  // Without rules, the agent of a client on stdin needs nothing of its own.
  const wanted = client.agent ?? (client.identity === undefined ? undefined : runtime.agent)
  const found = wanted === undefined ? undefined : yield* Effect.result(runtimeOf(wanted))
  if (found !== undefined && Result.isFailure(found)) return errorResult(found.failure.message)
  const as = found?.success
  const linked = (parts: ReadonlyArray<OrderPart>) => {
    const over = overOf(parts)
    return over.length === 0 ? NOTHING_LINKED : pieces.keep(client, over)
  }
  const taken = `for agent ${(as ?? runtime).agent}, session ${shownKey(client, order.sessionKey)}`
  trace.say(`taken from ${client.shown} ${taken}: ${sizesOf(order)}`)
  let told = 0
  const sizes = `${order.message.length} characters, ${order.attachments.length} attachments`
  const asked = { exchange, client: client.shown, tools: (as ?? runtime).allTools }
  const placed = asking.during(asked, (hear) =>
    orders.place(order, client, {
      as,
      meta,
      fromGateway,
      approve: approveBy(exchange),
      client: client.shown,
      onQueued: (before) => trace.say(`queued: ${countOf(before, "order")} of this client before it`),
      onBegun: (session) => trace.say(`begins in session ${session.slice(0, SHOWN_KEY_CHARS)}`),
      onModelAsked: trace.modelAsked,
      onEvent: (event) => {
        hear(event)
        trace.event(event)
      },
      tell: (message) => exchange.progress({ progress: ++told, total: undefined, message })
    })
  )
  return yield* placed.pipe(
    Effect.tap(({ end, parts, sessionKey }) =>
      logged(name, client, sessionKey, sizes, at, `${parts.length} parts, ${end}`)
    ),
    Effect.tapError(({ _tag }) => logged(name, client, order.sessionKey, sizes, at, _tag)),
    Effect.onInterrupt(() => logged(name, client, order.sessionKey, sizes, at, "cancelled")),
    Effect.flatMap((answer) => {
      const parts = partsOf(answer)
      return Effect.map(linked(parts), (over) => fromAnswer(answer, parts, over))
    }),
    Effect.catch((error) =>
      Effect.map(error._tag === "OrderFailed" ? linked(error.said) : NOTHING_LINKED, (over) => fromFailure(error, over))
    ),
    Effect.tap((result) => Effect.sync(() => trace.say(`answered: ${sizeOf(result)}`)))
  )
})
