/**
 * A session over HTTP (up to 2025-11-25): a client's connection that is made of many requests. It belongs to the holder of
 * the token that opened it, and ends when its client says so, when nobody has used it for long, or with the listener.
 */
import type { RequestId, Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { LISTENER_RETRY_MS, LISTENER_SESSION_IDLE_MS } from "../../schemas/Defaults.ts"
import { isObject } from "../../schemas/Json.ts"
import { RequestRefused } from "../../schemas/ListenerError.ts"
import type { McpOffer, Serve } from "../../services/McpListener.ts"
import type { Away } from "./Away.ts"
import type { Run } from "./Call.ts"
import { Calls } from "./Calls.ts"
import { makeGuest, nameIn } from "./guest.ts"
import type { Holder } from "./Holder.ts"
import { errorResponse } from "./httpMessages.ts"
import { made, runnerIn } from "./made.ts"
import { makeServer, tasksOf, tellOfTask, type Desk, type Sdk } from "./mcpServer.ts"
import { INVALID_REQUEST, UNDER_WAY } from "./refusals.ts"
import { cancelledIn } from "./shapes.ts"
import { Streams } from "./Streams.ts"
import { Subscriptions } from "./Subscriptions.ts"
import { tell } from "./tell.ts"
import type { Who } from "./tokens.ts"
import type { Label } from "../../schemas/ServerText.ts"

export interface SessionOptions {
  readonly sdk: Sdk
  readonly id: string
  readonly who: Who
  readonly serve: Serve
  readonly label: Label
  readonly read: Desk["read"]
  readonly holderOf: (who: Who) => Holder
  /** The listener's, in which the session's own lies. */
  readonly scope: Scope.Scope
  readonly run: Run
  readonly ended: () => void
}

const FORGOTTEN = "There is no such event, or what came after it is not kept any more"

const requestIds = (body: unknown): ReadonlyArray<unknown> =>
  (Array.isArray(body) ? body : [body]).flatMap((message: unknown) =>
    isObject(message) && typeof message["method"] === "string" && message["id"] !== undefined ? [message["id"]] : []
  )

export class Session {
  readonly who: Who
  readonly #options: SessionOptions
  readonly #scope: Scope.Closeable
  readonly #server: Server
  readonly #transport: WebStandardStreamableHTTPServerTransport
  readonly #underWay: Map<RequestId, () => void>
  readonly #streams: Streams
  readonly #look: () => void
  #requests = 0
  #idle: Fiber.Fiber<unknown, unknown> | undefined
  #hasEnded = false

  private constructor(
    options: SessionOptions,
    scope: Scope.Closeable,
    server: Server,
    transport: WebStandardStreamableHTTPServerTransport,
    underWay: Map<RequestId, () => void>,
    streams: Streams,
    look: () => void
  ) {
    this.#options = options
    this.who = options.who
    this.#scope = scope
    this.#server = server
    this.#transport = transport
    this.#underWay = underWay
    this.#streams = streams
    this.#look = look
    transport.onclose = ((before) => () => {
      before?.()
      this.end()
    })(transport.onclose)
  }

  /** For the client that sends this first message; or why there is none. */
  static async open(options: SessionOptions, body: unknown): Promise<Session | RequestRefused> {
    const { id, label, sdk, serve, who } = options
    const scope = Scope.forkUnsafe(options.scope)
    // Ends after everything that uses it.
    const resources = Scope.forkUnsafe(scope)
    const run = await runnerIn(options.run, scope)
    const guest = makeGuest({ ...who, name: nameIn(body) }, label, run)
    const offer = await made(run, Scope.provide(serve(guest.client), resources))
    if (offer instanceof RequestRefused) {
      options.run(Scope.close(scope, Exit.void))
      return offer
    }
    const underWay = new Map<RequestId, () => void>()
    const subscriptions = new Subscriptions()
    const server: Server = makeServer({
      sdk,
      era: "legacy",
      offer,
      calls: new Calls(run),
      tasks: tasksOf(offer, run, options.holderOf(who), (task) => tellOfTask(server, task)),
      subscriptions,
      read: options.read,
      underWay: (request, interrupt) => {
        underWay.set(request, interrupt)
        return () => void underWay.delete(request)
      }
    })
    const { look } = guest.follow(server)
    const streams = new Streams(options.run, options.holderOf(who))
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: streams,
      retryInterval: LISTENER_RETRY_MS
    })
    await server.connect(transport)
    run(Session.#news(offer, server, subscriptions))
    return new Session(options, scope, server, transport, underWay, streams, look)
  }

  static #news(offer: McpOffer, server: Server, subscriptions: Subscriptions): Effect.Effect<void> {
    return Stream.runForEach(offer.changes, (change) =>
      Effect.promise(async () => {
        if (change.kind === "resource" && !subscriptions.has(change.uri)) return
        await tell(server, change).catch(() => {})
      })
    )
  }

  /** Whether a request of its own is answered, or a stream open. */
  get isInUse(): boolean {
    return this.#requests > 0
  }

  /** Whether the client got through its first message. */
  get isOpen(): boolean {
    return !this.#hasEnded && this.#transport.sessionId !== undefined
  }

  async answer(request: Request, body: unknown, away: Away): Promise<Response> {
    const messages: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
    const cancelled = messages.flatMap((message) => cancelledIn(message) ?? [])
    // The SDK would leave a request's stream open for ever: it is answered. One of the same batch begins before that.
    const cancel = () => cancelled.forEach((id) => this.#underWay.get(id)?.())
    if (cancelled.length > 0 && cancelled.length === messages.length) {
      cancel()
      return new Response(null, { status: 202 })
    }
    const rest = cancelled.length === 0 ? body : messages.filter((message) => cancelledIn(message) === undefined)
    const ids = requestIds(rest) as ReadonlyArray<RequestId>
    if (ids.some((id) => this.#underWay.has(id))) return errorResponse(400, INVALID_REQUEST, UNDER_WAY)
    const last = request.method === "GET" ? request.headers.get("last-event-id") : null
    if (last !== null && !this.#streams.resume(last, away)) return errorResponse(400, INVALID_REQUEST, FORGOTTEN)
    const handle = () => this.#transport.handleRequest(request, { parsedBody: rest })
    const isOver = () => !ids.some((id) => this.#underWay.has(id))
    const answer = await (ids.length === 0 ? handle() : this.#streams.answer(away, isOver, handle))
    if (cancelled.length > 0) setImmediate(cancel)
    // Now it can be asked things that no request of its own is about.
    if (request.method === "GET" && last === null && answer.ok) setImmediate(this.#look)
    return answer
  }

  /** While this has not been called as often as `enter`, the session is not idle. */
  leave(): void {
    this.#requests--
    if (this.#requests > 0 || this.#hasEnded) return
    const over = Effect.andThen(
      Effect.sleep(LISTENER_SESSION_IDLE_MS),
      Effect.sync(() => this.end())
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
    void this.#server.close().catch(() => {})
    this.#options.run(Scope.close(this.#scope, Exit.void))
  }
}
