/**
 * What was said on the streams of one session, for a client whose connection broke and that comes back for the rest. Number and
 * size are bounded: the oldest events are forgotten first, and the oldest streams that are not in use. An event is found by a name that only its session knows.
 */
import { randomBytes } from "node:crypto"
import { LISTENER_EVENTS_EACH_MAX_CHARS, LISTENER_EVENTS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { charsIn, isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import type { Share } from "../../../../system/sharedRoom.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"

interface Stream {
  readonly id: string
  /** Ends the names of its events: what another node has to know about the stream when this one is dead. */
  readonly label: string
  /** The last event that was forgotten although the client needs it. */
  lost: number
}

interface Event {
  readonly stream: Stream
  /** None in an event that is only there for its name. */
  readonly message: JsonObject | undefined
  readonly chars: number
}

interface Place {
  readonly stream: Stream
  readonly count: number
}

/** A client can do without news, but not without an answer or a question. */
const isNeeded = (message: JsonObject): boolean => message["id"] !== undefined

/** What an event takes besides its strings. */
const EVENT_CHARS = 256

export class Events {
  /** The share of the holder of the token, for all of its sessions. */
  readonly #stored: Share
  readonly #secret = randomBytes(8).toString("hex")
  readonly #events = new Map<number, Event>()
  /** By their names, and by the numbers that stand in the names of events. */
  readonly #streams = new Map<string, { readonly stream: Stream; readonly index: number }>()
  readonly #byIndex = new Map<number, Stream>()
  /** Whether more may be said on the stream of this name. */
  readonly #isInUse: (id: string) => boolean
  #chars = 0
  #count = 0
  #index = 0

  constructor({ shares }: ClientQuota, isInUse: (id: string) => boolean = () => false) {
    this.#stored = shares.events
    this.#isInUse = isInUse
  }

  /** Gives the name of the event. The `label` of a stream is that of its first event. */
  add(streamId: string, message: unknown, label = ""): string {
    const { index, stream } = this.#streams.get(streamId) ?? this.#begin(streamId, label)
    const count = ++this.#count
    const said = isObject(message) && Object.keys(message).length > 0 ? (message as JsonObject) : undefined
    const chars = said === undefined ? 0 : EVENT_CHARS + charsIn(said)
    this.#events.set(count, { stream, message: said, chars })
    this.#chars += chars
    this.#stored.take(chars)
    for (const oldest of this.#events.keys()) {
      if (!this.#isFull) break
      this.#forget(oldest)
    }
    return this.#nameOf(index, count, stream)
  }

  #nameOf(index: number | string, count: number, { label }: Stream): string {
    return `${this.#secret}-${index}-${count}${label}`
  }

  get #isFull(): boolean {
    return (
      this.#events.size > LISTENER_EVENTS_MAX || this.#chars > LISTENER_EVENTS_EACH_MAX_CHARS || this.#stored.isOver()
    )
  }

  #begin(id: string, label: string) {
    const known = { stream: { id, label, lost: 0 }, index: ++this.#index }
    this.#streams.set(id, known)
    this.#byIndex.set(known.index, known.stream)
    if (this.#streams.size > LISTENER_EVENTS_MAX) {
      const oldest = this.#oldest()
      this.#byIndex.delete(this.#streams.get(oldest)!.index)
      this.#streams.delete(oldest)
    }
    return known
  }

  /** The oldest stream that is not in use, or the oldest of all. */
  #oldest(): string {
    for (const id of this.#streams.keys()) if (!this.#isInUse(id)) return id
    return this.#streams.keys().next().value!
  }

  #forget(count: number): void {
    const { chars, message, stream } = this.#events.get(count)!
    this.#events.delete(count)
    this.#chars -= chars
    this.#stored.take(-chars)
    if (message !== undefined && isNeeded(message)) stream.lost = count
  }

  #placeOf(event: string): Place | undefined {
    const [secret, index, count] = event.split("-")
    const stream = this.#byIndex.get(Number(index))
    return secret === this.#secret && stream !== undefined ? { stream, count: Number(count) } : undefined
  }

  /** The stream of an event, if everything that the client needs and that came after it is still there. */
  streamOf(event: string): string | undefined {
    const place = this.#placeOf(event)
    return place === undefined || !(place.stream.lost <= place.count) ? undefined : place.stream.id
  }

  /** What came after an event on its stream. */
  after(event: string): ReadonlyArray<readonly [name: string, message: JsonObject]> {
    const place = this.#placeOf(event)
    const index = event.split("-")[1]!
    return [...this.#events].flatMap(([count, { message, stream }]) =>
      place !== undefined && stream === place.stream && count > place.count && message !== undefined
        ? [[this.#nameOf(index, count, stream), message] as const]
        : []
    )
  }

  clear(): void {
    for (const count of this.#events.keys()) this.#forget(count)
    this.#streams.clear()
    this.#byIndex.clear()
  }
}
