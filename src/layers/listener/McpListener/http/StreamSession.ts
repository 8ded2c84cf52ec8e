/**
 * A session over HTTP with SSE (2024-11-05): it begins with its stream and ends with it. What the client says comes as requests of
 * their own, each accepted without an answer: that comes on the stream. A client that does not read is cut off: at once when there
 * is too much for it, and after a while in any case.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { isObject } from "../../../../schemas/data/Json.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { isMessage, type JSONRPCMessage, type RequestId, type Transport } from "../requests/sdk.ts"
import { INVALID_REQUEST, UNDER_WAY } from "../requests/refusals.ts"
import { cancelledIn, idOf } from "../requests/shapes.ts"
import { MESSAGES_PATH, type Caller } from "./addresses.ts"
import type { Exchange } from "./Exchange.ts"
import { emptyAnswer, errorAnswer, type Answer } from "./httpMessages.ts"
import { untilRead, type EventStream } from "./responses.ts"
import { openServer, type SessionOptions } from "./sessionServer.ts"

export class StreamSession implements Transport {
  readonly id: string
  readonly who: Caller
  /** As long as it is there, its client is. */
  readonly isInUse = true
  onmessage?: Transport["onmessage"]
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly end: () => void
  readonly #options: SessionOptions
  readonly #stream: EventStream
  /** Requests that are not answered, with what they came with. */
  readonly #asked = new Map<RequestId, Exchange>()
  #isClosed = false

  private constructor(options: SessionOptions, stream: EventStream) {
    this.#options = options
    this.id = options.id
    this.who = options.who
    this.end = options.end
    this.#stream = stream
  }

  /** With this as its stream, which has yet to begin. What its client calls itself it says too late. */
  static open(options: SessionOptions, exchange: Exchange): Effect.Effect<StreamSession, RequestRefused, Scope.Scope> {
    return Effect.gen(function* () {
      const { beginNews, look, server, use } = yield* openServer(options, undefined, "sse")
      use.enter()
      const session = new StreamSession(options, options.open.open(exchange, "all"))
      server.oninitialized = look
      yield* Effect.promise(() => server.connect(session))
      exchange.whenClosed(session.end)
      beginNews()
      return session
    })
  }

  /** Whether something is done for its client. */
  get isBusy(): boolean {
    return this.#asked.size > 0
  }

  /** When it can be found. */
  begin(): void {
    this.#stream.begin(`event: endpoint\ndata: ${MESSAGES_PATH}?sessionId=${this.#options.id}\n\n`)
  }

  /** One message of the client; what is asked is answered on the stream. */
  answer(exchange: Exchange, body: unknown): Answer {
    if (!isObject(body) || !isMessage(this.#options.sdk, body)) {
      return errorAnswer(400, INVALID_REQUEST, "Invalid request: the body is not a JSON-RPC message", idOf(body))
    }
    const id = idOf(body)
    if (id !== null && this.#asked.has(id)) return errorAnswer(400, INVALID_REQUEST, UNDER_WAY)
    if (id !== null) {
      // Until it is answered on the stream, what came with it counts as received.
      this.#asked.set(id, exchange)
      exchange.instead(() => {})
      exchange.read = () => untilRead(this.#stream.response)
    }
    // The SDK does not answer what is cancelled.
    const cancelled = cancelledIn(body)
    if (cancelled !== undefined) this.#answered(cancelled)
    this.onmessage?.(body as unknown as JSONRPCMessage, { request: exchange as unknown as Request })
    return emptyAnswer(202)
  }

  #answered(id: RequestId): void {
    this.#asked.get(id)?.end()
    this.#asked.delete(id)
  }

  // ---- the SDK's ---------------------------------------------------------------------------------------------------

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message) && message.id !== undefined) this.#answered(message.id)
    if (this.#isClosed || this.#stream.response.destroyed) throw new Error("the client has left")
    this.#stream.message(message)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const id of this.#asked.keys()) this.#answered(id)
    this.#stream.end()
    this.onclose?.()
  }
}
