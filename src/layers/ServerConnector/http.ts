/**
 * The HTTP links: Streamable HTTP and the older HTTP+SSE, on the official SDK's transports over our own bounded fetch.
 * The SDK is loaded when the first HTTP server is: a gateway of stdio servers never pays for it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { decodeTool } from "../../schemas/Catalogue.ts"
import { ANSWERS_UNTAKEN_MAX, MESSAGE_TAKEN_MS, STDIN_GRACE_MS } from "../../schemas/Defaults.ts"
import { ConnectionLost, type RequestError, type ServerExited } from "../../schemas/McpError.ts"
import { makeBoundedFetch, type BoundedFetch } from "./boundedFetch.ts"
import { answerIn, failureOf, SESSION_LOST } from "./httpFailure.ts"
import { Mirror } from "./mirror.ts"
import type { Link, OutgoingMessage } from "./Link.ts"
import { Peer, type PeerHooks } from "./Peer.ts"
import { Reconnects } from "./reconnects.ts"
import type { Session } from "./Session.ts"

export interface HttpSpec {
  readonly kind: "http" | "sse"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion"

/** Whether a message speaks for itself, without a handshake or a session: a request of 2026-07-28 does. */
const isModern = ({ params }: OutgoingMessage): boolean => {
  const meta = params?.["_meta"]
  return typeof meta === "object" && meta !== null && VERSION_KEY in meta
}

interface Dialled {
  readonly transport: Transport
  /** Tells the server that the session is over, where there is such a word. */
  readonly terminate: () => Promise<void>
  readonly bounded: BoundedFetch
  readonly reconnects: Reconnects
}

/** What a link is told of streams that it asks for with a GET. */
interface Listening {
  readonly answered: (response: Response) => void
  readonly ended: () => void
}

const dial = (spec: HttpSpec, listening: Listening): Effect.Effect<Dialled> =>
  Effect.promise(async () => {
    const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
    const reconnects = new Reconnects()
    const bounded = makeBoundedFetch({
      connectTimeoutMs: spec.timeoutMs,
      answersInResponse: spec.kind === "http",
      takenMs: MESSAGE_TAKEN_MS,
      onListenEnd: listening.ended
    })
    const fetch = async (url: string | URL, init?: RequestInit) => {
      const response = await bounded.fetch(url, init)
      if (init?.method === "GET") listening.answered(response)
      return response
    }
    const requestInit = { headers: { ...spec.headers } }
    if (spec.kind === "sse") {
      const transport = new SSEClientTransport(spec.url, { fetch: bounded.fetch, requestInit })
      return { transport, terminate: async () => {}, bounded, reconnects }
    }
    const transport = new StreamableHTTPClientTransport(spec.url, {
      fetch,
      requestInit,
      reconnectionOptions: reconnects.options,
      reconnectionScheduler: reconnects.schedule
    })
    return { transport, terminate: () => transport.terminateSession(), bounded, reconnects }
  })

/** Ends the HTTP session as the protocol asks, without waiting long for a server that does not answer. */
const hangUp = ({ bounded, reconnects, terminate, transport }: Dialled) =>
  Effect.sync(() => reconnects.close()).pipe(
    Effect.andThen(Effect.tryPromise(terminate)),
    Effect.timeoutOption(STDIN_GRACE_MS),
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
  hooks: PeerHooks
): Effect.fn.Return<Session, RequestError, Scope.Scope> {
  const closed = yield* Deferred.make<never, ServerExited | ConnectionLost>()
  const mirror = new Mirror()
  let peer: Peer | undefined
  let established = false
  let listened = false
  const end = (detail: string) => {
    const reason = new ConnectionLost({ server, detail, maybeExecuted: true })
    peer?.close(reason)
    Deferred.doneUnsafe(closed, Effect.fail(reason))
  }

  const dialled = yield* Effect.acquireRelease(
    dial(spec, {
      // There was a stream in this session. Only a server that never had one may mean something else by 404.
      answered: ({ ok, status }) => {
        if (status === 404 && listened) end(SESSION_LOST)
        listened ||= ok
      },
      // The stream of an SSE session is the session; that of Streamable HTTP is only for notifications.
      ended: () => {
        if (spec.kind === "sse") end("the event stream ended")
      }
    }),
    hangUp
  )
  const { reconnects, transport } = dialled

  const judge = (error: unknown): RequestError =>
    failureOf(error, { server, established, inSession: transport.sessionId !== undefined, tidy: hooks.tidy })

  /** A server that is gone, or has forgotten us: the others in flight are told, and the next connection starts anew. */
  const endWith = (error: RequestError) => {
    if (!established) return
    if (error._tag === "ConnectionLost" && !error.maybeExecuted) end(error.detail)
    if (error._tag === "HttpFailed" && error.status === null) end(error.detail)
  }

  let untaken = 0
  const link: Link = {
    streamPerRequest: spec.kind === "http",
    send: (message, sender) => {
      const { signal } = sender
      const isAnswer = message.method === undefined
      if (isAnswer && untaken >= ANSWERS_UNTAKEN_MAX) {
        return hooks.onOddity("a request from a server that takes no answers")
      }
      const modern = isModern(message)
      const headers = modern && message.method === "tools/call" ? mirror.headersFor(message.params) : undefined
      const onRequestStreamEnd = () =>
        sender.failed(
          new ConnectionLost({ server, detail: "the response ended without an answer", maybeExecuted: true })
        )
      const options = {
        onRequestStreamEnd,
        ...(signal === undefined ? {} : { requestSignal: signal }),
        ...(headers === undefined ? {} : { headers })
      }
      if (isAnswer) untaken++
      transport
        .send(message as JSONRPCMessage, options)
        .catch((error: unknown) => {
          if (signal?.aborted === true) return
          const answer = answerIn(error, message, modern)
          if (answer !== undefined) return peer?.receiveParsed(answer)
          const judged = judge(error)
          sender.failed(judged)
          endWith(judged)
        })
        .finally(() => {
          if (isAnswer) untaken--
        })
    }
  }
  peer = new Peer(server, link, hooks)
  const attached = peer
  transport.onmessage = (message) => attached.receiveParsed(message)
  // Failures of requests reach their own `send`; what comes here besides is the listening stream's.
  transport.onerror = () => {}
  transport.onclose = () => end("closed")
  yield* Effect.tryPromise({ try: () => transport.start(), catch: judge })
  yield* Effect.addFinalizer(() => Effect.sync(() => end("closed by the gateway")))

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
    decodeTool: (raw, quote) => (attached.envelope === undefined ? decodeTool(raw, quote) : mirror.decode(raw, quote))
  }
})
