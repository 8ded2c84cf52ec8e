/**
 * The HTTP links: Streamable HTTP and the older HTTP+SSE, on the official SDK's transports over our own bounded fetch.
 * The SDK is loaded when the first HTTP server is: a gateway of stdio servers never pays for it.
 */
import { setTimeout as delay } from "node:timers/promises"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { decodeTool } from "../../../../schemas/connection/Catalogue.ts"
import { MESSAGE_TAKEN_MS } from "../../../../schemas/defaults/HostRequests.ts"
import { HANG_UP_MS } from "../../../../schemas/defaults/Wire.ts"
import type { ServerExited } from "../../../../schemas/connection/ConnectError.ts"
import { ConnectionLost, type RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { Authorization } from "../../../../services/login/Authorizer.ts"
import type { NetworkGuard } from "../../../../services/connection/NetworkGuard.ts"
import type { Allowance } from "../../../../system/allowance.ts"
import { BodyTooLarge, type Unusable } from "./boundedBody.ts"
import { makeBoundedFetch, type BoundedFetch } from "./boundedFetch.ts"
import { Marks, type MessageTaker } from "./eventFilter.ts"
import { answerIn, failureOf, isSessionLost, SESSION_LOST } from "./httpFailure.ts"
import { CustomHeaders } from "./customHeaders.ts"
import type { Link, OutgoingMessage, Sender } from "../rpc/Link.ts"
import { Peer, type PeerHooks } from "../rpc/Peer.ts"
import { Reconnects } from "./reconnects.ts"
import { HoldOff, resendAfter } from "./retryAfter.ts"
import type { Session } from "../rpc/Session.ts"
import { Outbox } from "./Outbox.ts"

export interface HttpSpec {
  readonly kind: "http" | "sse"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly allowPrivate: boolean
  readonly denyLoopback?: boolean | undefined
  /** Lets requests in, and says why one was not. */
  readonly authorization?: Authorization | undefined
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

/** Whether a message speaks for itself, without a handshake or a session: a request of 2026-07-28 does. */
const isModern = ({ params }: OutgoingMessage): boolean => {
  const meta = params?.["_meta"]
  return typeof meta === "object" && meta !== null && VERSION_KEY in meta
}

type Guard = NetworkGuard["Service"]

interface Dialled {
  readonly transport: Transport
  /** Tells the server that the session is over, where there is such a word. */
  readonly terminate: () => Promise<void>
  readonly bounded: BoundedFetch
  readonly reconnects: Reconnects
  /** Aborted when the link is hung up. */
  readonly over: AbortController
}

/** What a link is told of streams that it asks for with a GET. */
interface Listening {
  readonly answered: (response: Response) => void
  readonly failed: (error: unknown) => void
  readonly ended: () => void
  /** The answer to a request of ours is more than is read of one. */
  readonly unusable: (id: number, why: Unusable) => void
  readonly allowance: Allowance
  /** What the server sends of its own accord. */
  readonly received: MessageTaker["receive"]
  readonly rubbish: MessageTaker["rubbish"]
  readonly awaits: MessageTaker["awaits"]
  readonly marks: Marks
}

const dial = (server: string, spec: HttpSpec, guard: Guard, listening: Listening): Effect.Effect<Dialled> =>
  Effect.promise(async () => {
    const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
    const reconnects = new Reconnects()
    const over = new AbortController()
    const own = [{ url: spec.url, allowPrivate: spec.allowPrivate, denyLoopback: spec.denyLoopback }]
    const door = guard.open({ server, own, connectTimeoutMs: spec.timeoutMs })
    const bounded = makeBoundedFetch({
      door: { ...door, fetch: spec.authorization?.through(door.fetch) ?? door.fetch },
      answersInResponse: spec.kind === "http",
      takenMs: MESSAGE_TAKEN_MS,
      onListenEnd: listening.ended,
      onUnusable: listening.unusable,
      allowance: listening.allowance,
      taker: {
        awaits: listening.awaits,
        receive: listening.received,
        rubbish: listening.rubbish,
        keepsIds: spec.kind === "http",
        marks: listening.marks
      }
    })
    const fetch = async (url: string | URL, init?: RequestInit) => {
      if ((init?.method ?? "GET") !== "GET") return bounded.fetch(url, init)
      try {
        const response = await bounded.fetch(url, init)
        listening.answered(response)
        return response
      } catch (error) {
        listening.failed(error)
        throw error
      }
    }
    const requestInit = { headers: { ...spec.headers } }
    if (spec.kind === "sse") {
      const transport = new SSEClientTransport(spec.url, { fetch, requestInit })
      return { transport, terminate: async () => {}, bounded, reconnects, over }
    }
    const transport = new StreamableHTTPClientTransport(spec.url, {
      fetch,
      requestInit,
      reconnectionOptions: reconnects.options,
      reconnectionScheduler: reconnects.schedule
    })
    return { transport, terminate: () => transport.terminateSession(), bounded, reconnects, over }
  })

/** Ends the HTTP session as the protocol asks, without waiting long for a server that does not answer. */
const hangUp = ({ bounded, over, reconnects, terminate, transport }: Dialled) =>
  Effect.sync(() => {
    over.abort()
    reconnects.close()
  }).pipe(
    Effect.andThen(Effect.tryPromise(terminate)),
    Effect.timeoutOption(HANG_UP_MS),
    Effect.ignore,
    Effect.andThen(Effect.tryPromise(() => transport.close()).pipe(Effect.ignore)),
    Effect.andThen(Effect.tryPromise(() => bounded.close()).pipe(Effect.ignore)),
    // A stream that broke in the meantime.
    Effect.andThen(Effect.sync(() => reconnects.close()))
  )

/** Dials the server and attaches a peer. The Scope owns the HTTP session. */
export const openHttp = Effect.fnUntraced(function* (
  server: string,
  spec: HttpSpec,
  hooks: PeerHooks,
  guard: Guard
): Effect.fn.Return<Session, RequestError, Scope.Scope> {
  const closed = yield* Deferred.make<never, ServerExited | ConnectionLost>()
  const customHeaders = new CustomHeaders()
  const allowance = hooks.loop.allowance()
  const marks = new Marks()
  let peer: Peer | undefined
  let established = false
  let listened = false
  let lost = false
  let listenFailure: unknown
  const end = (detail: string) => {
    // Calls that were in flight have errors of their own: this is about the connection alone.
    const reason = new ConnectionLost({ server, detail, maybeExecuted: false })
    peer?.close(reason)
    Deferred.doneUnsafe(closed, Effect.fail(reason))
  }
  /** The server has forgotten us. What is in flight has answers of its own: the same one, or those of calls that still run. */
  const forgotten = (surely: boolean) => {
    lost ||= surely
    const reason = new ConnectionLost({ server, detail: SESSION_LOST, maybeExecuted: false })
    Deferred.doneUnsafe(closed, Effect.fail(reason))
  }

  const dialled = yield* Effect.acquireRelease(
    dial(server, spec, guard, {
      allowance,
      marks,
      awaits: (id) => peer?.awaits(id) ?? false,
      received: (message, length) => peer?.receiveParsed(message, length),
      rubbish: (text) => peer?.receiveRubbish(text),
      // There was a stream in this session. Only a server that never had one may mean something else by 404.
      answered: ({ ok, status }) => {
        if (status === 404 && listened) forgotten(true)
        listened ||= ok
      },
      failed: (error) => (listenFailure = error),
      // The stream of an SSE session is the session; that of Streamable HTTP is only for notifications.
      ended: () => {
        if (spec.kind === "sse") end("the event stream ended")
      },
      // Before the stream fails, of which nobody would learn why.
      unusable: (id, why) => (why instanceof BodyTooLarge ? peer?.receiveOversizeTo(id) : peer?.receiveTooDeepTo(id))
    }),
    // Who has forgotten a session need not be told that it is over.
    (opened) => hangUp(lost ? { ...opened, terminate: async () => {} } : opened)
  )
  const { over, reconnects, transport } = dialled

  /** Since 2026-07-28 there are none. That of SSE is its stream. */
  const inSession = () =>
    peer?.envelope === undefined && (spec.kind === "sse" ? established : transport.sessionId !== undefined)

  const judge = (error: unknown, sent?: OutgoingMessage): RequestError =>
    failureOf(error, {
      server,
      established,
      inSession: inSession(),
      sent,
      tidy: hooks.tidy,
      neverSent: guard.neverSent,
      unauthorized: spec.authorization?.refusal
    })

  /** A server that is gone, or has forgotten us: the next connection starts anew. */
  const endWith = (error: RequestError) => {
    if (!established) return
    if (isSessionLost(error)) return forgotten(!error.maybeExecuted)
    if (error._tag === "AddressBlocked") return end(error.told)
    if (error._tag === "HttpFailed" && error.status === null) end(error.detail)
  }

  const holdOff = new HoldOff()
  /** Sends when the server may be asked again, unless nobody waits for it any more. */
  const sendAfter = async (ms: number, { signal }: Sender, send: () => Promise<void>): Promise<void> => {
    const signals = [over.signal, ...(signal === undefined ? [] : [signal])]
    try {
      await delay(ms, undefined, { signal: AbortSignal.any(signals) })
    } catch {
      return
    }
    return send()
  }

  const outbox = new Outbox()
  const link: Link = {
    streamPerRequest: spec.kind === "http",
    send: (message, sender) => {
      const { signal } = sender
      const isAnswer = message.method === undefined
      const modern = isModern(message)
      const headers = modern && message.method === "tools/call" ? customHeaders.headersFor(message.params) : undefined
      const onRequestStreamEnd = () =>
        sender.failed(
          new ConnectionLost({ server, detail: "the response ended without an answer", maybeExecuted: true })
        )
      const options = {
        onRequestStreamEnd,
        ...(signal === undefined ? {} : { requestSignal: signal }),
        ...(headers === undefined ? {} : { headers })
      }
      // Of a call without a signal nobody could tell that it was taken back while it waited.
      const mayWait = signal !== undefined || message.method !== "tools/call"
      const attempt = (again: boolean): Promise<void> =>
        transport.send(message as JSONRPCMessage, options).catch((error: unknown) => {
          if (signal?.aborted === true) return
          const answer = answerIn(error, message, modern)
          if (answer !== undefined) return peer?.receiveParsed(answer)
          const judged = judge(error, message)
          holdOff.note(judged)
          const afterMs = again && mayWait && !isSessionLost(judged) ? resendAfter(judged, message.method) : undefined
          if (afterMs !== undefined) return sendAfter(afterMs, sender, () => attempt(false))
          sender.failed(judged)
          endWith(judged)
        })
      if (isAnswer) {
        if (!outbox.send(() => attempt(true))) hooks.onViolation("a request from a server that takes no answers")
        return
      }
      const isRequest = message.id !== undefined
      const waitMs = isRequest ? holdOff.leftMs() : 0
      const refusal = waitMs > 0 ? holdOff.refusal(server, mayWait ? undefined : 0) : undefined
      if (refusal !== undefined) return sender.failed(refusal)
      void (waitMs > 0 ? sendAfter(waitMs, sender, () => attempt(true)) : attempt(true))
    }
  }
  peer = new Peer(server, link, { ...hooks, onAnswered: allowance.answered })
  const attached = peer
  transport.onmessage = (message) => {
    if (!marks.hear(message)) attached.receiveParsed(message)
  }
  // Failures of requests reach their own `send`; what comes here besides is the listening stream's.
  transport.onerror = () => {}
  transport.onclose = () => end("closed")
  yield* Effect.tryPromise({ try: () => transport.start(), catch: (error) => judge(listenFailure ?? error) })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      outbox.close()
      end("closed by the gateway")
    })
  )

  return {
    server,
    transport: spec.kind,
    pid: undefined,
    peer,
    closed: Deferred.await(closed),
    lastWords: () => "",
    tidy: hooks.tidy,
    setProtocolVersion: (version) => {
      established = true
      transport.setProtocolVersion?.(version)
      if (attached.envelope !== undefined) reconnects.forbid()
    },
    decodeTool: (raw, quote) =>
      attached.envelope === undefined ? decodeTool(raw, quote) : customHeaders.decode(raw, quote)
  }
})
