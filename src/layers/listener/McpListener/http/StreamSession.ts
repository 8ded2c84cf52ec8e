/**
 * A session over HTTP with SSE (2024-11-05): it begins with its stream and ends with it. What the client says comes as requests
 * of their own, each taken without an answer: that comes over the stream.
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/server"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ServerResponse } from "node:http"
import { isObject } from "../../../../schemas/data/Json.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { MESSAGES_PATH, type Caller } from "./addresses.ts"
import type { Disconnect } from "./Disconnect.ts"
import { makeEventStream, type EventStream } from "./eventStream.ts"
import { errorResponse, untilRead } from "./httpMessages.ts"
import { INVALID_REQUEST, UNDER_WAY } from "../requests/refusals.ts"
import { isMessage } from "../requests/mcpServer.ts"
import { openServer, type SessionOptions, type SessionServer } from "./sessionServer.ts"
import { cancelledIn, idOf } from "../requests/shapes.ts"

export class StreamSession {
  readonly who: Caller
  /** As long as it is there, its client is. */
  readonly isInUse = true
  readonly #options: SessionOptions
  readonly #stand: SessionServer
  readonly #stream: EventStream
  /** Requests that are not answered, and what is done when they are. */
  readonly #asked = new Map<RequestId, () => void>()
  #hasEnded = false

  private constructor(options: SessionOptions, stand: SessionServer, stream: EventStream) {
    this.#options = options
    this.who = options.who
    this.#stand = stand
    this.#stream = stream
  }

  /** With this as its stream; or why there is none. It has yet to begin. What its client calls itself it says too late. */
  static async open(options: SessionOptions, response: ServerResponse): Promise<StreamSession | RequestRefused> {
    const stand = await openServer({ ...options, read: () => untilRead(response) }, undefined)
    if (stand instanceof RequestRefused) return stand
    const { quotaOf, id, run, who } = options
    const endpoint = `${MESSAGES_PATH}?sessionId=${id}`
    const stream = makeEventStream({ response, holder: quotaOf(who), run, endpoint })
    const session = new StreamSession(options, stand, stream)
    const { send } = stream
    stream.send = (message) => {
      if (!("method" in message) && message.id !== undefined) session.#answered(message.id)
      return send(message)
    }
    stand.server.oninitialized = stand.look
    stand.server.onclose = () => session.end()
    await stand.server.connect(stream)
    stand.beginNews()
    return session
  }

  /** When it can be found. */
  begin(): void {
    this.#stream.begin()
  }

  #answered(id: RequestId): void {
    this.#asked.get(id)?.()
    this.#asked.delete(id)
  }

  /** Until it is answered over the stream, what came with it counts as received. */
  #ask(id: RequestId, away: Disconnect): void {
    const answered = new Promise<void>((resolve) => this.#asked.set(id, resolve))
    away.instead(() => void answered.then(() => away.end()))
  }

  /** One message of the client; what is asked is answered over the stream. */
  answer(body: unknown, away: Disconnect): Response {
    const { sdk } = this.#options
    if (!isObject(body) || !isMessage(sdk, body)) {
      return errorResponse(400, INVALID_REQUEST, "Invalid request: the body is no JSON-RPC message", idOf(body))
    }
    const id = idOf(body)
    if (id !== null && this.#asked.has(id)) return errorResponse(400, INVALID_REQUEST, UNDER_WAY)
    if (id !== null) this.#ask(id, away)
    // What is taken back, the SDK does not answer.
    const cancelled = cancelledIn(body)
    if (cancelled !== undefined) this.#answered(cancelled)
    this.#stream.onmessage?.(body as unknown as JSONRPCMessage)
    return new Response(null, { status: 202 })
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const answered of this.#asked.values()) answered()
    this.#asked.clear()
    this.#options.ended()
    void this.#stand.server.close().catch(() => {})
    this.#options.run(Scope.close(this.#stand.scope, Exit.void))
  }
}
