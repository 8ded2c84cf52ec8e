/**
 * The streams of a session over Streamable HTTP, as the SDK's transport: one for the answers to each request over HTTP, and one for
 * news. A client whose connection breaks may come back with the name of the last event that it got, and gets what it missed: until
 * then, its request goes on for a while. A client that is gone has not cancelled.
 */
import * as Effect from "effect/Effect"
import { LISTENER_AWAY_MAX, LISTENER_RESUME_MS, LISTENER_RETRY_MS } from "../../../../schemas/defaults/Listener.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import { askedIn, labelOf } from "../requests/lost.ts"
import type { JSONRPCMessage, RequestId, Transport } from "../requests/sdk.ts"
import { waitFor, type Run } from "../requests/running.ts"
import { Events } from "./Events.ts"
import type { Exchange } from "./Exchange.ts"
import { untilRead, type EventStream, type EventStreams } from "./responses.ts"

interface Stream {
  readonly name: string
  /** What is answered on it; nothing for the stream of news. */
  readonly asked: Exchange | undefined
  readonly unanswered: Set<RequestId>
  /** Ends the names of its events. */
  readonly label: string
  /** Where it is listened to. */
  at: EventStream | undefined
  /** Whether what was missed is still to be sent there. */
  isCatchingUp: boolean
  /** Called when the client comes back. */
  returned: (() => void) | undefined
}

const NEWS = "news"

/** From this revision on, a stream begins with an event that says nothing: it is there for its name. */
const FIRST_WITH_NAMES = "2025-11-25"

/** Whether a client of this revision can come back to a stream on which nothing was said. */
export const hasNames = (revision: string): boolean => revision >= FIRST_WITH_NAMES

interface StreamsOptions {
  readonly id: string
  readonly run: Run
  readonly holder: ClientQuota
  readonly open: EventStreams
  /** All that a client may have. */
  readonly revisions: ReadonlyArray<string>
  /** Whether another node may have to know from an event what was asked. */
  readonly isLabelled?: boolean | undefined
}

export class SessionStreams implements Transport {
  onmessage?: Transport["onmessage"]
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #options: StreamsOptions
  readonly #events: Events
  /** By the requests that are not answered. */
  readonly #asked = new Map<RequestId, Stream>()
  /** Those that a client can come back to, by their names. */
  readonly #streams = new Map<string, Stream>()
  /** Our own requests, until they are answered. */
  readonly #replayed = new Map<RequestId, () => void>()
  readonly #news: Stream = this.#make(NEWS, undefined, [])
  #count = 0
  #isClosed = false

  constructor(options: StreamsOptions) {
    this.#options = options
    // News come as long as the session is there, also when nobody listens.
    this.#events = new Events(options.holder, (name) => name === NEWS || this.#streams.has(name))
  }

  // ---- the SDK's ---------------------------------------------------------------------------------------------------

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage, options?: { readonly relatedRequestId?: RequestId }): Promise<void> {
    const id = "method" in message ? options?.relatedRequestId : message.id
    if (id !== undefined && this.#replayed.has(id)) return this.#replayed.get(id)?.()
    const stream = id === undefined ? this.#news : this.#asked.get(id)
    if (stream === undefined || this.#isClosed) throw new Error("the client has left")
    const event = this.#events.add(stream.name, message, stream.label)
    const at = stream.isCatchingUp ? undefined : stream.at
    if (!("method" in message) && id !== undefined) {
      this.#asked.delete(id)
      stream.unanswered.delete(id)
      if (stream.unanswered.size === 0) return at?.last(message, event)
    }
    at?.message(message, event)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const stream of [...this.#asked.values(), ...this.#streams.values(), this.#news]) {
      stream.at?.end()
      this.#drop(stream)
    }
    this.#events.clear()
    this.onclose?.()
  }

  // ---- who is there ------------------------------------------------------------------------------------------------

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether a request is not answered. */
  get isAnswering(): boolean {
    return this.#asked.size > 0
  }

  isAsked(id: RequestId): boolean {
    return this.#asked.has(id)
  }

  /** Hands on what is not answered. */
  tell(messages: ReadonlyArray<JSONRPCMessage>): void {
    for (const message of messages) this.onmessage?.(message)
  }

  /** Hands on what the client said to another node. It does not hear the answers again. */
  async replay(messages: ReadonlyArray<JSONRPCMessage>): Promise<void> {
    for (const message of messages) {
      const id = "method" in message && "id" in message ? message.id : undefined
      const answered = Promise.withResolvers<void>()
      if (id === undefined) answered.resolve()
      else this.#replayed.set(id, answered.resolve)
      this.onmessage?.(message)
      await answered.promise
      if (id !== undefined) this.#replayed.delete(id)
    }
  }

  /** Answers a client that came back for an answer with this. */
  say(exchange: Exchange, messages: ReadonlyArray<JSONRPCMessage>): void {
    const at = this.#options.open.open(exchange, "answer", this.#headers)
    at.begin()
    for (const message of messages) at.message(message)
    at.end()
  }

  /**
   * Hands on requests that came together, and whatever came with them. They are answered on one stream. Gives the name of its first event, if it
   * has one.
   */
  ask(
    exchange: Exchange,
    messages: ReadonlyArray<JSONRPCMessage>,
    ids: ReadonlyArray<RequestId>,
    revision: string
  ): string | undefined {
    const label = this.#options.isLabelled === true ? labelOf(askedIn(messages)) : ""
    const stream = this.#make(String(++this.#count), exchange, ids, label)
    for (const id of ids) this.#asked.set(id, stream)
    const at = this.#options.open.open(exchange, "answer", this.#headers)
    stream.at = at
    exchange.read = () => untilRead(stream.at?.response)
    const first = this.#first(stream, revision)
    // It may have left already: then nothing of it is kept.
    exchange.instead(() => this.#left(stream, at))
    this.#options.open.beginSoon(at, first === undefined ? "" : `id: ${first}\nretry: ${LISTENER_RETRY_MS}\ndata: \n\n`)
    // The SDK passes it on to the handlers as it is.
    const extra = { request: exchange as unknown as Request }
    for (const message of messages) this.onmessage?.(message, extra)
    return first
  }

  /** Opens the stream of news; false if it is open already. */
  listen(exchange: Exchange): boolean {
    if (this.#news.at !== undefined) return false
    this.#attach(this.#news, exchange, "news").begin()
    return true
  }

  /** Whether there is this event, and everything that came after it and matters. */
  has(event: string): boolean {
    return this.#events.streamOf(event) !== undefined
  }

  /** The client has come back to the stream of this event. */
  resume(exchange: Exchange, event: string): Effect.Effect<void> {
    // It has left again, and may come back once more.
    if (exchange.response.destroyed) return Effect.void
    const name = this.#events.streamOf(event) ?? ""
    const isNamed = this.#streams.has(name)
    const stream = name === NEWS ? this.#news : (this.#streams.get(name) ?? this.#make(name, undefined, []))
    stream.returned?.()
    stream.returned = undefined
    stream.at?.end()
    // Who comes back for an answer gets it in one piece.
    const at = this.#attach(stream, exchange, stream.asked === undefined ? "missed" : "answer")
    stream.isCatchingUp = true
    // Should this one break before anything comes, its client still knows where it was.
    at.begin(isNamed ? `id: ${event}\ndata: \n\n` : "")
    // It may be much, and whoever comes back often must not hold up others.
    const turn = Effect.promise(() => this.#options.holder.pace.large())
    return Effect.andThen(
      turn,
      Effect.sync(() => {
        if (stream.at !== at) return
        stream.isCatchingUp = false
        for (const [name, missed] of this.#events.after(event)) at.message(missed as unknown as JSONRPCMessage, name)
        if (stream !== this.#news && stream.unanswered.size === 0) at.end()
      })
    )
  }

  #make(name: string, asked: Exchange | undefined, ids: ReadonlyArray<RequestId>, label = ""): Stream {
    return { name, asked, label, unanswered: new Set(ids), at: undefined, isCatchingUp: false, returned: undefined }
  }

  get #headers(): Readonly<Record<string, string>> {
    return { "mcp-session-id": this.#options.id }
  }

  #first(stream: Stream, revision: string): string | undefined {
    if (!hasNames(revision) || !this.#options.revisions.includes(revision)) return undefined
    this.#streams.set(stream.name, stream)
    return this.#events.add(stream.name, {}, stream.label)
  }

  #attach(stream: Stream, exchange: Exchange, held: "answer" | "missed" | "news"): EventStream {
    const at = this.#options.open.open(exchange, held, this.#headers)
    stream.at = at
    exchange.instead(() => {
      exchange.end()
      this.#left(stream, at)
    })
    return at
  }

  #left(stream: Stream, at: EventStream): void {
    if (stream.at !== at) return
    stream.at = undefined
    stream.isCatchingUp = false
    const { holder, run } = this.#options
    // Without the name of an event it cannot come back.
    const canReturn = at.hasBegun && this.#streams.has(stream.name) && holder.away < LISTENER_AWAY_MAX
    if (stream.unanswered.size === 0 || !canReturn) return this.#drop(stream)
    holder.away++
    const returned = waitFor(run, LISTENER_RESUME_MS, () => this.#drop(stream))
    stream.returned = () => {
      holder.away--
      returned()
    }
  }

  #drop(stream: Stream): void {
    stream.returned?.()
    stream.returned = undefined
    this.#streams.delete(stream.name)
    stream.asked?.end()
  }
}
