/**
 * A session over HTTP (up to 2025-11-25): a client's connection that is made of many requests. It belongs to the holder of
 * the token that opened it, and ends when its client says so, when nobody has used it for long, or with the listener.
 */
import type { RequestId, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { LISTENER_RETRY_MS } from "../../../../schemas/defaults/Listener.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { Caller } from "./addresses.ts"
import type { Disconnect } from "./Disconnect.ts"
import { nameIn } from "../requests/guest.ts"
import { errorResponse } from "./httpMessages.ts"
import { INVALID_REQUEST, UNDER_WAY } from "../requests/refusals.ts"
import { openServer, type SessionOptions, type SessionServer } from "./sessionServer.ts"
import { cancelledIn } from "../requests/shapes.ts"
import { Streams } from "./Streams.ts"

const FORGOTTEN = "There is no such event, or what came after it is not kept any more"

const requestIds = (body: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(body) ? body : [body]).flatMap((message: unknown) =>
    isObject(message) && typeof message["method"] === "string" && message["id"] !== undefined ? [message["id"]] : []
  )

/** Whoever keeps it keeps nothing else of what the client has sent: timers that are begun in an answer may keep it for an hour. */
const noneOf = (ids: ReadonlyArray<RequestId>, underWay: SessionServer["underWay"]) => () =>
  !ids.some((id) => underWay.has(id))

export class Session {
  readonly who: Caller
  readonly #options: SessionOptions
  readonly #stand: SessionServer
  readonly #transport: WebStandardStreamableHTTPServerTransport
  readonly #streams: Streams
  #requests = 0
  #idle: Fiber.Fiber<unknown, unknown> | undefined
  #hasEnded = false

  private constructor(
    options: SessionOptions,
    stand: SessionServer,
    transport: WebStandardStreamableHTTPServerTransport,
    streams: Streams
  ) {
    this.#options = options
    this.who = options.who
    this.#stand = stand
    this.#transport = transport
    this.#streams = streams
    transport.onclose = ((before) => () => {
      before?.()
      this.end()
    })(transport.onclose)
  }

  /** For the client that sends this first message; or why there is none. */
  static async open(options: SessionOptions, body: unknown): Promise<Session | RequestRefused> {
    const stand = await openServer(options, nameIn(body))
    if (stand instanceof RequestRefused) return stand
    const { quotaOf, id, run, sdk, who } = options
    const streams = new Streams(run, quotaOf(who))
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: streams,
      retryInterval: LISTENER_RETRY_MS
    })
    await stand.server.connect(transport)
    stand.beginNews()
    return new Session(options, stand, transport, streams)
  }

  /** Whether a request of its own is answered, or a stream open. */
  get isInUse(): boolean {
    return this.#requests > 0
  }

  /** Whether the client got through its first message. */
  get isOpen(): boolean {
    return !this.#hasEnded && this.#transport.sessionId !== undefined
  }

  async answer(request: Request, body: unknown, away: Disconnect): Promise<Response> {
    const messages: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
    const cancelled = messages.flatMap((message) => cancelledIn(message) ?? [])
    // The SDK would leave a request's stream open for ever: it is answered. One of the same batch begins before that.
    const cancel = () => cancelled.forEach((id) => this.#stand.underWay.get(id)?.())
    if (cancelled.length > 0 && cancelled.length === messages.length) {
      cancel()
      return new Response(null, { status: 202 })
    }
    const rest = cancelled.length === 0 ? body : messages.filter((message) => cancelledIn(message) === undefined)
    const { underWay } = this.#stand
    const ids = requestIds(rest) as ReadonlyArray<RequestId>
    if (ids.some((id) => underWay.has(id))) return errorResponse(400, INVALID_REQUEST, UNDER_WAY)
    const last = request.method === "GET" ? request.headers.get("last-event-id") : null
    const resumed = last === null ? undefined : this.#streams.resume(last, away)
    if (last !== null && resumed === undefined) return errorResponse(400, INVALID_REQUEST, FORGOTTEN)
    if (resumed?.of !== undefined) this.#options.resumed(request, resumed.of)
    const handle = () => this.#transport.handleRequest(request, { parsedBody: rest })
    const isOver = noneOf(ids, underWay)
    const answer = await (ids.length === 0 ? handle() : this.#streams.answer(request, away, isOver, handle))
    if (cancelled.length > 0) setImmediate(cancel)
    // Now it can be asked things that no request of its own is about.
    if (request.method === "GET" && last === null && answer.ok) setImmediate(this.#stand.look)
    return answer
  }

  /** While this has not been called as often as `enter`, the session is not idle. */
  leave(): void {
    this.#requests--
    this.#endLater()
  }

  #endLater(): void {
    if (this.#requests > 0 || this.#hasEnded) return
    const { idleMs, isIdle } = this.#stand
    const over = Effect.andThen(
      Effect.sleep(idleMs),
      Effect.sync(() => (isIdle() ? this.end() : this.#endLater()))
    )
    this.#idle = this.#options.run(over)
  }

  enter(): void {
    this.#requests++
    this.#idle?.interruptUnsafe()
    this.#idle = undefined
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#idle?.interruptUnsafe()
    this.#streams.end()
    this.#options.ended()
    void this.#stand.server.close().catch(() => {})
    this.#options.run(Scope.close(this.#stand.scope, Exit.void))
  }
}
