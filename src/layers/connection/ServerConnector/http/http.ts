/**
 * The HTTP links: Streamable HTTP, and the older HTTP+SSE. A connection is one scoped resource: its requests and streams are
 * fibers of its Scope, which ends the session. All that arrives goes to the peer as text, as the lines of stdio do, so that
 * messages of one stream keep their order and the same bounds hold.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { decodeTool } from "../../../../schemas/connection/Catalogue.ts"
import { MESSAGE_TAKEN_MS } from "../../../../schemas/defaults/HostRequests.ts"
import { HANG_UP_MS, STREAMS_LINGERING_MAX } from "../../../../schemas/defaults/Wire.ts"
import type { ServerExited } from "../../../../schemas/connection/ConnectError.ts"
import { ConnectionLost, type RequestError } from "../../../../schemas/connection/RequestError.ts"
import { traceHeaders } from "../../../../schemas/telemetry/TraceContext.ts"
import type { Authorization } from "../../../../services/login/Authorizer.ts"
import type { NetworkGuard } from "../../../../services/connection/NetworkGuard.ts"
import { CustomHeaders, isModern, standardHeaders } from "./customHeaders.ts"
import { failureOf, isAnswer, isSessionLost, SESSION_LOST } from "./httpFailure.ts"
import { notSendable, textOf, type Link, type OutgoingMessage, type Sender } from "../rpc/Link.ts"
import type { FeedTurns } from "../rpc/feed.ts"
import { makeOutbox } from "./Outbox.ts"
import { Peer, type PeerHooks } from "../rpc/Peer.ts"
import { HoldOff, resendAfter } from "./retryAfter.ts"
import type { Session } from "../rpc/Session.ts"
import { makeStreams } from "./streams.ts"
import { Refused, Wire, type WireRequest } from "./wire.ts"

export interface HttpSpec {
  readonly kind: "http" | "sse"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly allowPrivate: boolean
  readonly denyLoopback?: boolean | undefined
  /** Adds tokens to requests, and says why one was refused. */
  readonly authorization?: Authorization | undefined
}

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

/** Opens a connection and attaches a peer. The Scope owns the HTTP session. */
export const openHttp = Effect.fnUntraced(function* (
  server: string,
  { allowPrivate, authorization, denyLoopback, headers, kind, timeoutMs, url }: HttpSpec,
  hooks: PeerHooks,
  guard: NetworkGuard["Service"]
): Effect.fn.Return<Session, RequestError, Scope.Scope> {
  const door = yield* Effect.acquireRelease(
    Effect.sync(() => guard.open({ server, own: [{ url, allowPrivate, denyLoopback }], connectTimeoutMs: timeoutMs })),
    ({ close }) => Effect.ignore(Effect.tryPromise(close))
  )
  const wire = new Wire(authorization?.through(door.fetch) ?? door.fetch, headers)
  const closed = yield* Deferred.make<never, ServerExited | ConnectionLost>()
  const turns: FeedTurns = {
    large: hooks.loop.large,
    allowance: hooks.loop.allowance(),
    longPlaces: yield* hooks.loop.longPlaces
  }
  const customHeaders = new CustomHeaders()
  const holdOff = new HoldOff()
  /** The server surely knows our session no more, so it need not be told that it is over. */
  let isForgotten = false

  // ---- the end -----------------------------------------------------------------------------------------------------

  const lost = (detail: string) => new ConnectionLost({ server, detail, maybeExecuted: false })
  const end = (detail: string) => {
    peer.close(lost(detail))
    Deferred.doneUnsafe(closed, Effect.fail(lost(detail)))
  }
  /** Calls in flight are not ended with the session: the server may still answer them. */
  const forgotten = (surely: boolean) => {
    isForgotten ||= surely
    Deferred.doneUnsafe(closed, Effect.fail(lost(SESSION_LOST)))
  }
  yield* Effect.addFinalizer(() =>
    isForgotten || wire.sessionId === undefined
      ? Effect.void
      : wire.exchange("DELETE", { url }).pipe(Effect.scoped, Effect.timeoutOption(HANG_UP_MS), Effect.ignore)
  )
  // The peer is not written in Effect: each message that it sends starts a fiber of the connection.
  const fork = yield* FiberSet.makeRuntime<never>()

  // ---- what was refused --------------------------------------------------------------------------------------------

  const judge = (error: unknown, sent?: OutgoingMessage): RequestError => {
    const established = wire.protocolVersion !== undefined
    // Since 2026-07-28 there are no sessions. The session of SSE is its stream.
    const hasSession = kind === "sse" ? established : wire.sessionId !== undefined
    return failureOf(error, {
      server,
      established,
      inSession: peer.envelope === undefined && hasSession,
      sent,
      tidy: hooks.tidy,
      neverSent: guard.neverSent,
      unauthorized: authorization?.refusal
    })
  }

  /** The server is gone or has forgotten us: the next connection starts anew. */
  const endWith = (error: RequestError) => {
    if (wire.protocolVersion === undefined) return
    if (isSessionLost(error)) return forgotten(!error.maybeExecuted)
    if (error._tag === "AddressBlocked") return end(error.told)
    if (error._tag === "HttpFailed" && error.status === null) end(error.detail)
  }

  // ---- what is sent ------------------------------------------------------------------------------------------------

  /** Sends one message and reads the response to its end. */
  const post = Effect.fnUntraced(function* (message: OutgoingMessage, body: string) {
    const own =
      isModern(message) && message.method === "tools/call" ? customHeaders.headersFor(message.params) : undefined
    const request: WireRequest = {
      url: streams.target(),
      headers: { ...traceHeaders(message.params), ...standardHeaders(message), ...own },
      body,
      ...(kind === "http" ? { accept: "application/json, text/event-stream" } : undefined)
    }
    const response = yield* wire.exchange("POST", request)
    if (kind === "http" && message.method === "initialize") wire.open(response)
    yield* streams.read(response, message)
    // From now on the server may send messages of its own (Streamable HTTP › Listening for Messages).
    if (kind === "http" && message.method === "notifications/initialized" && response.status === 202) {
      fork(streams.listen)
    }
  }, Effect.scoped)

  const attempt = (message: OutgoingMessage, body: string, sender: Sender, again = true): Effect.Effect<void> => {
    const failed = (error: unknown): Effect.Effect<void> => {
      if (error instanceof Refused && isAnswer(error, message)) {
        return Effect.sync(() => peer.receiveText(error.text))
      }
      const judged = judge(error, message)
      holdOff.note(judged)
      const mayRepeat = again && mayWait(message) && !isSessionLost(judged)
      const afterMs = mayRepeat ? resendAfter(judged, message.method) : undefined
      if (afterMs !== undefined) return Effect.delay(attempt(message, body, sender, false), afterMs)
      return Effect.sync(() => {
        sender.failed(judged)
        endWith(judged)
      })
    }
    return post(message, body).pipe(Effect.catch(failed))
  }

  /** Exchanges whose requests have ended. A server that does not end them leaves only so many of them open. */
  const lingering: Array<() => void> = []

  /** A call over SSE cannot be taken back without a word to the server, so it does not wait for anything. */
  const mayWait = ({ method }: OutgoingMessage) => kind === "http" || method !== "tools/call"

  const outbox = makeOutbox(fork)
  const link: Link = {
    send: (message, sender) => {
      const body = textOf(message)
      if (body === undefined) return void sender.failed(notSendable(server))
      const sending = attempt(message, body, sender)
      if (message.method === undefined || message.id === undefined) {
        // Nobody waits for it, so nobody else would end it.
        const bounded = Effect.timeoutOption(sending, MESSAGE_TAKEN_MS)
        if (message.method !== undefined) fork(bounded)
        else if (!outbox(bounded)) hooks.onViolation("a request from a server that takes no answers")
        return undefined
      }
      const waitMs = holdOff.leftMs()
      const refusal = waitMs > 0 ? holdOff.refusal(server, mayWait(message) ? undefined : 0) : undefined
      if (refusal !== undefined) return void sender.failed(refusal)
      const fiber = fork(waitMs > 0 ? Effect.delay(sending, waitMs) : sending)
      return () => fiber.interruptUnsafe()
    },
    ended: (stop) => {
      if (lingering.push(stop) > STREAMS_LINGERING_MAX) lingering.shift()!()
    }
  }
  const peer: Peer = new Peer(server, link, {
    ...hooks,
    remote: { transport: kind, server, address: { host: url.hostname, port: portOf(url) } },
    longPlaces: turns.longPlaces,
    onAnswered: turns.allowance.answered
  })
  const missed: Array<() => void> = []
  const streams = makeStreams({
    kind,
    url,
    wire,
    peer,
    turns,
    holdOff,
    onForgotten: () => forgotten(true),
    onMissed: () => missed.forEach((tell) => tell())
  })

  // The stream of an SSE session is the session.
  if (kind === "sse") {
    fork(
      Effect.ensuring(
        streams.listen,
        Effect.sync(() => end("the event stream ended"))
      )
    )
    yield* Effect.mapError(streams.opened, (error) => judge(error))
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => end("closed by the gateway")))

  return {
    server,
    transport: kind,
    pid: undefined,
    peer,
    closed: Deferred.await(closed),
    lastWords: () => "",
    tidy: hooks.tidy,
    setProtocolVersion: (version) => {
      wire.protocolVersion = version
    },
    onMissed: (tell) => void missed.push(tell),
    decodeTool: (raw, quote) =>
      peer.envelope === undefined ? decodeTool(raw, quote) : customHeaders.decode(raw, quote)
  }
})
