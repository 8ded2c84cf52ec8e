/**
 * The HTTP links: Streamable HTTP and the older HTTP+SSE, on the official SDK's transports over our own bounded fetch.
 * The SDK is loaded when the first HTTP server is: a gateway of stdio servers never pays for it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import { STDIN_GRACE_MS } from "../../schemas/Defaults.ts"
import { isObject } from "../../schemas/Json.ts"
import {
  AuthRequired,
  ConnectionLost,
  HttpFailed,
  MessageTooLarge,
  ProtocolError,
  type RequestError,
  type ServerExited
} from "../../schemas/McpError.ts"
import { BodyTooLarge, makeBoundedFetch, NoAnswer, type BoundedFetch } from "./boundedFetch.ts"
import { Peer, type Link, type PeerHooks } from "./Peer.ts"
import type { Session } from "./Session.ts"

export interface HttpSpec {
  readonly kind: "http" | "sse"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** What is quoted of a server's own words. */
const DETAIL_CHARS = 300

const statusOf = (error: unknown): number | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  if ("status" in error && typeof error.status === "number") return error.status
  // SseError carries the HTTP status as its code.
  return "code" in error && typeof error.code === "number" ? error.code : undefined
}

/** Node's network errors say more in their cause; undici's own say `fetch failed`. */
const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && "code" in cause ? String(cause.code) : ""
}

const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

const wasNeverSent = (error: unknown): boolean => NEVER_SENT.has(codeOf(error))

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "the request failed"
  const cause = error.cause
  const code = codeOf(error)
  if (code === "ECONNREFUSED") return "connection refused; is it running?"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host name cannot be resolved"
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "it does not accept connections"
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message
}

interface Dialled {
  readonly transport: Transport
  /** Tells the server that the session is over, where there is such a word. */
  readonly terminate: () => Promise<void>
  readonly bounded: BoundedFetch
}

const dial = (spec: HttpSpec, onListenEnd: () => void): Effect.Effect<Dialled> =>
  Effect.promise(async () => {
    const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
    const bounded = makeBoundedFetch({
      connectTimeoutMs: spec.timeoutMs,
      answersInResponse: spec.kind === "http",
      onListenEnd
    })
    const options = { fetch: bounded.fetch, requestInit: { headers: { ...spec.headers } } }
    if (spec.kind === "sse") {
      return { transport: new SSEClientTransport(spec.url, options), terminate: async () => {}, bounded }
    }
    const transport = new StreamableHTTPClientTransport(spec.url, options)
    return { transport, terminate: () => transport.terminateSession(), bounded }
  })

/** Ends the HTTP session as the protocol asks, without waiting long for a server that does not answer. */
const hangUp = ({ bounded, terminate, transport }: Dialled) =>
  Effect.tryPromise(terminate).pipe(
    Effect.timeoutOption(STDIN_GRACE_MS),
    Effect.ignore,
    Effect.andThen(Effect.tryPromise(() => transport.close()).pipe(Effect.ignore)),
    Effect.andThen(Effect.tryPromise(() => bounded.close()).pipe(Effect.ignore))
  )

/** Dials the server and attaches a peer. The Scope owns the HTTP session. */
export const openHttp = Effect.fnUntraced(function* (
  server: string,
  spec: HttpSpec,
  hooks: PeerHooks
): Effect.fn.Return<Session, RequestError, Scope.Scope> {
  const closed = yield* Deferred.make<never, ServerExited | ConnectionLost>()
  let peer: Peer | undefined
  let established = false
  const end = (detail: string) => {
    const reason = new ConnectionLost({ server, detail, maybeExecuted: true })
    peer?.close(reason)
    Deferred.doneUnsafe(closed, Effect.fail(reason))
  }

  const judge = (error: unknown): RequestError => {
    const status = statusOf(error)
    if (error instanceof BodyTooLarge) return new MessageTooLarge({ server, limitBytes: error.limitBytes })
    if (error instanceof NoAnswer) return new ProtocolError({ server, code: null, detail: error.message })
    if (status === 401 || status === 403) return new AuthRequired({ server, status })
    if (status === 404 && established) {
      return new ConnectionLost({ server, detail: "the server no longer knows our session", maybeExecuted: false })
    }
    if (status !== undefined) return new HttpFailed({ server, status, detail: hooks.tidy(bodyOf(error), DETAIL_CHARS) })
    if (error instanceof Error && "code" in error && error.code === "CLIENT_HTTP_UNEXPECTED_CONTENT") {
      return new ProtocolError({ server, code: null, detail: hooks.tidy(error.message, DETAIL_CHARS) })
    }
    const detail = hooks.tidy(reasonOf(error), DETAIL_CHARS)
    // Only before there was a connection is it certain that nothing was sent.
    return wasNeverSent(error) || !established
      ? new HttpFailed({ server, status: null, detail })
      : new ConnectionLost({ server, detail, maybeExecuted: true })
  }

  /** A server that is gone, or has forgotten us: the others in flight are told, and the next connection starts anew. */
  const endWith = (error: RequestError) => {
    if (!established) return
    if (error._tag === "ConnectionLost" && !error.maybeExecuted) end(error.detail)
    if (error._tag === "HttpFailed" && error.status === null) end(error.detail)
  }

  const dialled = yield* Effect.acquireRelease(
    dial(spec, () => {
      // The stream of an SSE session is the session; that of Streamable HTTP is only for notifications.
      if (spec.kind === "sse") end("the event stream ended")
    }),
    hangUp
  )
  const { transport } = dialled
  const link: Link = {
    streamPerRequest: spec.kind === "http",
    send: (message, sender) => {
      const { signal } = sender
      const onRequestStreamEnd = () =>
        sender.failed(
          new ConnectionLost({ server, detail: "the response ended without an answer", maybeExecuted: true })
        )
      const options = { onRequestStreamEnd, ...(signal === undefined ? {} : { requestSignal: signal }) }
      transport.send(message as JSONRPCMessage, options).catch((error: unknown) => {
        if (signal?.aborted === true) return
        const judged = judge(error)
        sender.failed(judged)
        endWith(judged)
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
    }
  }
})

function bodyOf(error: unknown): string {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined
  const text = isObject(data) ? data["text"] : undefined
  if (typeof text === "string" && text.trim() !== "") return text
  return error instanceof Error ? error.message : "no details"
}
