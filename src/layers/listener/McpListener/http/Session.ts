/**
 * A session over Streamable HTTP (up to 2025-11-25): the connection of a client that is made of many requests. It belongs to the
 * holder of the token that opened it, and ends when its client says so, when nobody has used it for long, or with the listener.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { isObject } from "../../../../schemas/data/Json.ts"
import { putNewest } from "../../../../schemas/data/Newest.ts"
import { LISTENER_EVENTS_MAX } from "../../../../schemas/defaults/Listener.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { SessionRecord } from "../../../../schemas/listener/SessionRecord.ts"
import type { Repeat } from "../../../../services/call/CallJournal.ts"
import { nameIn } from "../requests/guest.ts"
import { askedAt, CALL, lostAnswers, repeatedBy, type Asked } from "../requests/lost.ts"
import type { JSONRPCMessage, RequestId } from "../requests/sdk.ts"
import { INVALID_REQUEST, NOT_NOW, UNDER_WAY } from "../requests/refusals.ts"
import { cancelledIn } from "../requests/shapes.ts"
import type { Caller } from "./addresses.ts"
import type { Exchange } from "./Exchange.ts"
import { emptyAnswer, errorAnswer, type Answer, type Said } from "./httpMessages.ts"
import { EVENTS, messageFault, revisionFault } from "./legacyFaults.ts"
import { SessionStreams } from "./SessionStreams.ts"
import { openServer, type SessionOptions, type SessionServer } from "./sessionServer.ts"

/** What a client is told about a session that it does not have, whoever has it: it begins a new one. */
const SESSION_NOT_FOUND = -32_001

export const notFound = () => errorAnswer(404, SESSION_NOT_FOUND, "Session not found")

/** What a client means that names no revision. */
const USUAL_REVISION = "2025-03-26"

const paramsIn = (body: unknown): SessionRecord["initialize"] =>
  isObject(body) && isObject(body["params"]) ? (body["params"] as SessionRecord["initialize"]) : {}

const replayed = (index: number, method: string, params: object): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id: `replayed ${index}`,
  method,
  params: { ...params }
})

const idsIn = (messages: ReadonlyArray<unknown>): ReadonlyArray<RequestId> =>
  messages.flatMap((message) =>
    isObject(message) && typeof message["method"] === "string" && message["id"] !== undefined
      ? [message["id"] as RequestId]
      : []
  )

export class Session {
  readonly id: string
  readonly who: Caller
  readonly end: () => void
  readonly #options: SessionOptions
  readonly #server: SessionServer
  readonly #streams: SessionStreams
  /** What its client said first. */
  readonly #initialize: SessionRecord["initialize"]
  #isOpen = false
  /** Calls that are run again after their node had died, with how often they ran; and the event that the client comes back with for one, with the first one here. */
  readonly #again = new Map<RequestId, number>()
  readonly #returns = new Map<string, string>()
  /** Whether it was at another node before. */
  #isRevived = false

  private constructor(
    options: SessionOptions,
    server: SessionServer,
    streams: SessionStreams,
    initialize: SessionRecord["initialize"]
  ) {
    this.#options = options
    this.#initialize = initialize
    this.id = options.id
    this.who = options.who
    this.end = options.end
    this.#server = server
    this.#streams = streams
  }

  /** For the client that sends this first message. */
  static open(options: SessionOptions, body: unknown): Effect.Effect<Session, RequestRefused, Scope.Scope> {
    return Effect.gen(function* () {
      const { directory, id, open, quotaOf, sdk, who } = options
      let session: Session | undefined
      const changed = () => session?.changed()
      const runsBefore = (id: RequestId) => session?.runsBefore(id) ?? 0
      const told = directory === undefined ? undefined : changed
      const opened = yield* openServer(options, nameIn(body), "http", told, runsBefore)
      const streams = new SessionStreams({
        id,
        open,
        run: opened.run,
        holder: quotaOf(who),
        revisions: sdk.SUPPORTED_PROTOCOL_VERSIONS,
        isLabelled: directory !== undefined
      })
      yield* Effect.promise(() => opened.server.connect(streams))
      opened.beginNews()
      session = new Session(options, opened, streams, paramsIn(body))
      return session
    })
  }

  /** Makes it what it was at another node, by saying again what its client said there. */
  revive({ initialize, level, subscriptions }: SessionRecord): Effect.Effect<void> {
    return Effect.promise(async () => {
      await this.#streams.replay([
        replayed(1, "initialize", initialize),
        { jsonrpc: "2.0", method: "notifications/initialized" },
        ...(level === undefined ? [] : [replayed(2, "logging/setLevel", { level })]),
        ...subscriptions.map((uri, index) => replayed(index + 3, "resources/subscribe", { uri }))
      ])
      this.#isRevived = true
      this.#isOpen = true
    })
  }

  /** What another node needs to open it again. */
  get record(): SessionRecord {
    const { wishes } = this.#server
    const { only, principal } = this.who
    const { all } = wishes.subscriptions
    return { id: this.id, principal, only, initialize: this.#initialize, level: wishes.saidLevel, subscriptions: all }
  }

  /** Tells the other nodes, once another one may have to know. */
  changed(): Promise<void> | undefined {
    const { directory, run } = this.#options
    if (!this.#isOpen || directory === undefined) return undefined
    return new Promise((resolve) => run(directory.keep(this.record)).addObserver(() => resolve()))
  }

  /** Whether something is done for its client. */
  get isBusy(): boolean {
    return this.#streams.isAnswering || this.#server.isBusy()
  }

  /** Whether a request of its own is answered, or a stream open. */
  get isInUse(): boolean {
    return this.#server.use.isUsed
  }

  /** Whether the client got through its first message. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** This request uses the session from now on: nothing ends it as unused, however long the body takes to arrive. */
  hold(exchange: Exchange): void {
    this.#server.use.enter()
    exchange.whenClosed(() => this.#server.use.leave())
  }

  /** Gives an answer in one piece, or answers by itself. */
  answer(exchange: Exchange, body: unknown): Said {
    switch (exchange.method) {
      case "POST":
        return this.#take(exchange, Array.isArray(body) ? body : [body])
      case "GET":
        return this.#listen(exchange)
      default:
        return this.#close(exchange)
    }
  }

  #take(exchange: Exchange, all: ReadonlyArray<unknown>): Answer | undefined {
    const cancelled = all.flatMap((message) => cancelledIn(message) ?? [])
    // The SDK would not answer a cancelled request, and its stream would stay open. One of the same batch begins before that.
    const cancel = () => cancelled.forEach((id) => this.#server.cancel(id))
    if (cancelled.length > 0 && cancelled.length === all.length) {
      cancel()
      return emptyAnswer(202)
    }
    const messages = cancelled.length === 0 ? all : all.filter((message) => cancelledIn(message) === undefined)
    const ids = idsIn(messages)
    if (ids.some((id) => this.#streams.isAsked(id))) return errorAnswer(400, INVALID_REQUEST, UNDER_WAY)
    const fault = this.#faultIn(exchange, messages)
    if (fault !== undefined) return fault
    const sound = messages as ReadonlyArray<JSONRPCMessage>
    if (cancelled.length > 0) setImmediate(cancel)
    if (ids.length === 0) {
      this.#streams.tell(sound)
      return emptyAnswer(202)
    }
    this.#streams.ask(exchange, sound, ids, this.#revisionOf(exchange, sound))
    return undefined
  }

  #revisionOf(exchange: Exchange, [first]: ReadonlyArray<JSONRPCMessage>): string {
    const params = first !== undefined && "method" in first && first.method === "initialize" ? first.params : undefined
    const asked = params?.["protocolVersion"]
    return typeof asked === "string" ? asked : (exchange.header("mcp-protocol-version") ?? USUAL_REVISION)
  }

  #faultIn(exchange: Exchange, messages: ReadonlyArray<unknown>): Answer | undefined {
    const { sdk } = this.#options
    const fault = messageFault(sdk, exchange, messages)
    if (fault !== undefined) return fault
    if (!messages.some((message) => isObject(message) && message["method"] === "initialize")) {
      return this.#isOpen ? revisionFault(sdk, exchange) : notBegun()
    }
    if (!messages.some((message) => sdk.isInitializeRequest(message))) return this.#isOpen ? undefined : notBegun()
    if (this.#isOpen) return errorAnswer(400, INVALID_REQUEST, "Invalid Request: Server already initialized")
    if (messages.length > 1) {
      return errorAnswer(400, INVALID_REQUEST, "Invalid Request: Only one initialization request is allowed")
    }
    this.#isOpen = true
    return undefined
  }

  #listen(exchange: Exchange): Said {
    const given = exchange.header("last-event-id")
    const last = given === undefined ? undefined : (this.#returns.get(given) ?? given)
    const isKnown = last !== undefined && this.#streams.has(last)
    // On a stream that another node had.
    const lost = last !== undefined && !isKnown && this.#isRevived ? askedAt(last) : undefined
    if (last !== undefined && !isKnown && lost === undefined) {
      const message = "There is no such event, or what came after it is not kept any more"
      return errorAnswer(400, INVALID_REQUEST, message)
    }
    if (exchange.header("accept")?.includes(EVENTS) !== true) {
      return errorAnswer(406, NOT_NOW, "Not Acceptable: Client must accept text/event-stream")
    }
    const fault = revisionFault(this.#options.sdk, exchange)
    if (fault !== undefined) return fault
    if (lost !== undefined && lost.length > 0) return this.sayLost(exchange, lost, given)
    if (last !== undefined && isKnown) return Effect.as(this.#streams.resume(exchange, last), undefined)
    if (!this.#streams.listen(exchange)) {
      return errorAnswer(409, NOT_NOW, "Conflict: Only one SSE stream is allowed per session")
    }
    // Now it can be asked things that no request of its own is about.
    setImmediate(this.#server.look)
    // Nobody knows what it has missed.
    if (lost !== undefined) setImmediate(this.#server.tellAll)
    return undefined
  }

  /** How often it ran at other nodes. */
  runsBefore(id: RequestId): number {
    return this.#again.get(id) ?? 0
  }

  /**
   * What became of requests that were under way at the node that had the session before. One that may run again is run again, and answered
   * here; its client may come back with the event `last`.
   */
  sayLost(exchange: Exchange, asked: ReadonlyArray<Asked>, last?: string): Effect.Effect<undefined> {
    const { directory } = this.#options
    if (directory === undefined) return Effect.undefined
    const originOf = (request: RequestId) => ({ session: this.id, request })
    const request = repeatedBy(asked)
    const again =
      request === undefined || this.#streams.isAsked(request)
        ? Effect.undefined
        : directory.takeRepeat(originOf(request))
    return Effect.flatMap(again, (repeat) => {
      if (repeat !== undefined && request !== undefined) {
        this.#repeat(exchange, request, repeat, last)
        return Effect.undefined
      }
      return Effect.map(
        lostAnswers(directory, originOf, asked),
        (messages) => void this.#streams.say(exchange, messages as unknown as ReadonlyArray<JSONRPCMessage>)
      )
    })
  }

  #repeat(exchange: Exchange, id: RequestId, { params, runs }: Repeat, last: string | undefined): void {
    const message: JSONRPCMessage = { jsonrpc: "2.0", id, method: CALL, params: { ...params } }
    putNewest(this.#again, id, runs, LISTENER_EVENTS_MAX)
    const first = this.#streams.ask(exchange, [message], [id], this.#revisionOf(exchange, []))
    if (first !== undefined && last !== undefined) putNewest(this.#returns, last, first, LISTENER_EVENTS_MAX)
  }

  #close(exchange: Exchange): Answer {
    const fault = revisionFault(this.#options.sdk, exchange)
    if (fault !== undefined) return fault
    this.end()
    return emptyAnswer(200)
  }
}

const notBegun = () => errorAnswer(400, NOT_NOW, "Bad Request: Server not initialized")
