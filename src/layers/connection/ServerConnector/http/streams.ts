/**
 * What arrives over HTTP, read to the peer: the response to a message, the stream of a GET, and streams that broke and are
 * opened again. Up to 2025-11-25 a stream whose events have ids goes on where it broke.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Response } from "undici"
import {
  STREAM_RECONNECT_BASE_MS,
  STREAM_RECONNECT_CAP_MS,
  STREAM_RECONNECT_GROWTH,
  STREAM_RECONNECT_MAX_MS,
  STREAM_RECONNECT_MIN_MS,
  STREAM_RECONNECT_TRIES,
  STREAM_REOPENED_MS
} from "../../../../schemas/defaults/Wire.ts"
import type { OutgoingMessage } from "../rpc/Link.ts"
import type { Peer } from "../rpc/Peer.ts"
import type { FeedTurns } from "../rpc/feed.ts"
import {
  beginningOf,
  BodyTooLarge,
  makeEventReader,
  makeMessageReader,
  paid,
  readBody,
  type Position
} from "./bodies.ts"
import { isModern } from "./customHeaders.ts"
import type { HoldOff } from "./retryAfter.ts"
import { EVENTS, JSON_TYPE, mediaTypeOf, Refused, type Wire } from "./wire.ts"

/** A response that does not answer its request, whatever it holds. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly message: string }> {}

/** A response of a type that no message has. */
export class UnexpectedContent extends Data.TaggedError("UnexpectedContent")<{ readonly type: string | null }> {
  override readonly message = `Unexpected content type: ${this.type ?? "none"}`
}

/** The stream of a response ended, or broke, before there was an answer in it. */
export class StreamEnded extends Data.TaggedError("StreamEnded") {
  override readonly message = "the response ended without an answer"
}

/** An `endpoint` event that would send our messages to another server. */
export class ForeignEndpoint extends Data.TaggedError("ForeignEndpoint") {
  override readonly message = "it sends our messages to another origin"
}

/** How long to wait before a stream is opened again: the time that the server asked for, within bounds, and longer with each failure. */
export const reconnectDelay = (failures: number, retryMs = STREAM_RECONNECT_BASE_MS): number => {
  const first = Math.min(Math.max(retryMs, STREAM_RECONNECT_MIN_MS), STREAM_RECONNECT_MAX_MS)
  return Math.min(first * STREAM_RECONNECT_GROWTH ** failures, Math.max(first, STREAM_RECONNECT_CAP_MS))
}

/** Statuses with which a server says that it has no stream for messages of its own (405), or none in this session. */
const NO_STREAM: ReadonlySet<number> = new Set([404, 405])

interface Options {
  readonly kind: "http" | "sse"
  readonly url: URL
  readonly wire: Wire
  readonly peer: Peer
  readonly turns: FeedTurns
  /** How much longer the server wants to be left alone. */
  readonly holdOff: Pick<HoldOff, "leftMs">
  /** The server refused a stream in a session in which it gave one before. */
  readonly onForgotten: () => void
  /** The stream for the server's own messages is open again, without those that it sent meanwhile. */
  readonly onMissed: () => void
}

export interface Streams {
  /** Where messages are sent to. */
  readonly target: () => URL
  /** Reads the response to a message. Fails unless a request is answered by then. */
  readonly read: (response: Response, message: OutgoingMessage) => Effect.Effect<void, unknown, Scope.Scope>
  /** The messages that the server sends outside of responses, as long as it offers a stream for them. */
  readonly listen: Effect.Effect<void>
  /** Completes when messages can be sent: SSE names the address for them in its stream. */
  readonly opened: Effect.Effect<void, unknown>
}

export const makeStreams = ({ holdOff, kind, onForgotten, onMissed, peer, turns, url, wire }: Options): Streams => {
  const endpoint = Deferred.makeUnsafe<void, unknown>()
  let target = url
  let hasListened = false

  /** Only the first address counts: a later one would divert what is sent. */
  const takeEndpoint = (data: string) => {
    if (Deferred.isDoneUnsafe(endpoint)) return
    const named = URL.parse(data, url.href)
    const isOwn = named?.origin === url.origin
    // First this: whoever waits sends at once.
    if (isOwn) target = named
    Deferred.doneUnsafe(endpoint, isOwn ? Effect.void : Effect.fail(new ForeignEndpoint()))
  }

  const eventReader = (position: Position, id?: number) =>
    makeEventReader(position, (type, data) => {
      if (type === "message") peer.receiveText(data, id)
      else if (type === "endpoint" && kind === "sse") takeEndpoint(data)
    })

  /** One stream, from its request to its end, however that comes. Fails when it is not opened. */
  const stream = Effect.fnUntraced(function* (position: Position, id?: number, onOpened?: () => void) {
    const { lastEventId } = position
    const headers = lastEventId === undefined ? undefined : { "last-event-id": lastEventId }
    const response = yield* wire.exchange("GET", { url, accept: EVENTS, headers }).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          // A server that never gave a stream may mean something else by 404.
          if (hasListened && error instanceof Refused && error.status === 404) onForgotten()
        })
      )
    )
    hasListened = true
    const isEvents = mediaTypeOf(response) === EVENTS
    if (kind === "sse" && !isEvents) return yield* new UnexpectedContent({ type: response.headers.get("content-type") })
    // What is no event stream, such as a web page, has no messages that could have been missed.
    if (isEvents) onOpened?.()
    yield* Effect.ignore(readBody(response.body, eventReader(position, id), turns))
  }, Effect.scoped)

  const pause = Effect.fnUntraced(function* (pauseMs: number) {
    yield* Effect.sleep(pauseMs)
    turns.allowance.spend(STREAM_REOPENED_MS, performance.now())
    if (turns.allowance.isSpent()) yield* paid(turns.allowance)
  })

  /** Opens a stream that ended again and again, as long as somebody waits for it and the server lets us. */
  const follow = Effect.fnUntraced(function* (position: Position, isWanted: () => boolean, id?: number) {
    let failures = 0
    while (failures < STREAM_RECONNECT_TRIES && isWanted()) {
      yield* pause(reconnectDelay(failures, position.retryMs))
      const opened = yield* Effect.result(stream(position, id))
      if (Result.isSuccess(opened)) failures = 0
      else if (opened.failure instanceof Refused && opened.failure.status === 405) return
      else failures++
    }
  })

  /**
   * Listens to what the server says by itself, through any outage, unless it has no stream for that. A stream that did not outlast the pause
   * before it counts as a failure, because a server that ends each one at once would be asked as often.
   */
  const keepListening = Effect.gen(function* () {
    const position: Position = {}
    let [failures, pauseMs] = [0, 0]
    for (let isFirst = true; ; isFirst = false) {
      const from = yield* Clock.currentTimeMillis
      const isGap = !isFirst && position.lastEventId === undefined
      const opened = yield* Effect.result(stream(position, undefined, isGap ? onMissed : undefined))
      const refused = Result.isFailure(opened) && opened.failure instanceof Refused ? opened.failure : undefined
      if (refused !== undefined && NO_STREAM.has(refused.status)) return
      const lasted = position.lastEventId !== undefined || (yield* Clock.currentTimeMillis) - from >= pauseMs
      failures = Result.isSuccess(opened) && lasted ? 0 : failures + 1
      const askedMs = Math.max(refused?.retryAfterMs ?? 0, holdOff.leftMs())
      pauseMs = Math.max(reconnectDelay(failures, position.retryMs), askedMs)
      yield* pause(pauseMs)
    }
  })

  const readEvents = Effect.fnUntraced(function* (response: Response, id: number, canResume: boolean) {
    const position: Position = {}
    const read = yield* Effect.result(readBody(response.body, eventReader(position, id), turns))
    if (!peer.awaits(id)) return
    if (Result.isFailure(read) && read.failure instanceof BodyTooLarge) return yield* read.failure
    if (canResume && position.lastEventId !== undefined) yield* follow(position, () => peer.awaits(id), id)
    if (peer.awaits(id)) return yield* new StreamEnded()
  })

  const readMessage = Effect.fnUntraced(function* (response: Response, id: number) {
    yield* readBody(
      response.body,
      makeMessageReader((text) => peer.receiveText(text, id)),
      turns
    )
    if (peer.awaits(id)) return yield* new NoAnswer({ message: "the response holds no answer to the request" })
  })

  return {
    target: () => target,
    read: (response, message) => {
      const { id, method } = message
      if (kind === "sse" || method === undefined || typeof id !== "number") {
        return Effect.ignore(Effect.tryPromise(() => beginningOf(response.body)))
      }
      if (response.status === 202) {
        return Effect.fail(new NoAnswer({ message: "the server accepted the request (202) but will not answer it" }))
      }
      switch (mediaTypeOf(response)) {
        case EVENTS:
          return readEvents(response, id, !isModern(message))
        case JSON_TYPE:
          return readMessage(response, id)
        default:
          return Effect.fail(new UnexpectedContent({ type: response.headers.get("content-type") }))
      }
    },
    listen:
      kind === "http"
        ? keepListening
        : Effect.map(Effect.result(stream({})), (opened) => {
            const reason = Result.isFailure(opened) ? opened.failure : new Error("the event stream ended")
            Deferred.doneUnsafe(endpoint, Effect.fail(reason))
          }),
    opened: Deferred.await(endpoint)
  }
}
