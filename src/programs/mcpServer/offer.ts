/** What an MCP client gets: the tools for agent requests, and how calls of them are answered. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { randomBytes } from "node:crypto"
import { ORDER_HISTORY_TURNS, ORDER_HISTORY_TURNS_MAX } from "../../schemas/defaults/Orders.ts"
import { INVALID_PARAMS } from "../../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import { RequestRefused } from "../../schemas/listener/ListenerError.ts"
import { isOpenClaw } from "../../schemas/agent/OrderChain.ts"
import { readSessionKey } from "../../schemas/agent/OrderInput.ts"
import type { OrderClient } from "../../schemas/agent/OrderSession.ts"
import { identityOfToken } from "../../schemas/login/Identity.ts"
import type { RequestContext, Handler, McpClient, McpOffer, Serve } from "../../services/listener/McpListener.ts"
import type { ReadPiece } from "../../services/agent/AnswerPieces.ts"
import { countOf } from "../../schemas/listener/MessageTrace.ts"
import { traceOf } from "../traced.ts"
import { place, sizeOf, type Behind, type Client } from "./place.ts"
import { errorResult, fromHistory, fromStatus } from "./answerResults.ts"
import { HISTORY, ORDER, STATUS, TOOLS } from "./tools.ts"

export interface Serving {
  /** The first call waits for it; nothing before that does. */
  readonly behind: Effect.Effect<Behind, RequestRefused>
  /** The client's name. Over stdio it has none and is the user who started us. */
  readonly principal?: string | undefined
  /** Whether the phases of each request are logged. */
  readonly verbose?: boolean | undefined
}

const TITLE = "OpenClaw"
const INSTRUCTIONS =
  "order_openclaw gives a message to an agent that has tools, a memory and a machine of its own, and returns its whole answer. To continue a conversation, pass the sessionKey of an answer with the next request. Parts that are too long for a result come as links: read them with resources/read."

/** Distinguishes requests in the log. */
const ID_BYTES = 4
const RESOURCE_NOT_FOUND = -32002
const NO_PIECE = "Resource not found: there is no such part of an answer to you, or it is no longer kept"

const invalid = (message: string) => new RequestRefused({ code: INVALID_PARAMS, message })

const readTurns = (given: unknown): number =>
  typeof given === "number" && Number.isInteger(given) && given >= 1
    ? Math.min(given, ORDER_HISTORY_TURNS_MAX)
    : ORDER_HISTORY_TURNS

/** Both tools need a session that the client names. */
const about = Effect.fnUntraced(function* ({ orders }: Behind, client: OrderClient, name: string, args: unknown) {
  const { sessionKey: given, turns } = isObject(args) ? args : {}
  const read = readSessionKey(given)
  if (Result.isFailure(read)) return errorResult(read.failure)
  if (read.success === undefined) return errorResult("sessionKey is missing")
  return name === STATUS
    ? fromStatus(yield* orders.status(read.success, client))
    : fromHistory(yield* orders.history(read.success, client, readTurns(turns)))
})

const lengthOf = (piece: ReadPiece): number => ("text" in piece ? piece.text : piece.blob).length

/** Reads a piece of an answer that was too long for its result. */
const read = (serving: Serving, client: Client): Handler =>
  Effect.fnUntraced(function* ({ uri }: JsonObject) {
    const { pieces } = yield* serving.behind
    const piece = yield* pieces.read(client, String(uri))
    const trace = yield* traceOf(serving.verbose === true, "piece")
    trace.say(`read by ${client.shown}: ${piece === undefined ? "not found" : countOf(lengthOf(piece), "character")}`)
    if (piece !== undefined) return { contents: [{ uri: String(uri), ...piece }] }
    return yield* new RequestRefused({ code: RESOURCE_NOT_FOUND, message: NO_PIECE, data: { uri } })
  })

const call = (serving: Serving, client: Client, clientName: string | undefined) =>
  Effect.fnUntraced(function* (
    params: JsonObject,
    exchange: RequestContext
  ): Effect.fn.Return<JsonObject, RequestRefused> {
    const { _meta: meta, arguments: args = {}, name } = params
    if (name !== ORDER && name !== STATUS && name !== HISTORY) {
      const shown = JSON.stringify(String(name).slice(0, 60).toWellFormed())
      return yield* invalid(`Unknown tool ${shown}; there are ${ORDER}, ${STATUS} and ${HISTORY}`)
    }
    const id = `${name === ORDER ? "order" : name} ${randomBytes(ID_BYTES).toString("hex")}`
    const trace = yield* traceOf(serving.verbose === true, id)
    trace.say(`received from ${client.shown}`)
    const behind = yield* Effect.result(serving.behind)
    // For the sender it is a failed request like any other.
    if (Result.isFailure(behind)) return errorResult(behind.failure.message)
    // There is one client on stdin, and many over HTTP.
    const isBelow = serving.principal !== undefined && behind.success.isBelowGateway()
    return name === ORDER
      ? yield* place(behind.success, {
          client,
          fromGateway: isBelow || isOpenClaw(clientName),
          args,
          meta,
          exchange,
          name: id,
          trace
        })
      : yield* Effect.tap(about(behind.success, client, name, args), (result) =>
          Effect.sync(() => trace.say(`answered: ${sizeOf(result)}`))
        )
  })

export const serveOrders =
  (serving: Serving): Serve =>
  ({ agent, identity, latest = () => identity, name, principal }: McpClient) => {
    // Over HTTP the client is named after its token; over stdio only by the name that it gives itself.
    const shown = serving.principal === undefined ? principal : (name ?? serving.principal)
    const ofToken = serving.principal === undefined ? identityOfToken(principal) : undefined
    const client: Client = {
      principal: serving.principal ?? principal,
      /** What its latest token says; rules of clients hold for tokens of the configuration, too. */
      get identity() {
        return latest() ?? ofToken
      },
      agent,
      shown
    }
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
