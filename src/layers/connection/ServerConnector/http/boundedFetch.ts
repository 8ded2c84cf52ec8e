/**
 * The `fetch` of HTTP links: through a guarded door, with what a hostile or broken server can do kept in bounds. Bodies
 * have limits (boundedBody.ts), what cannot hold a reply a small one, and a request that gets no answer fails at once instead
 * of being left to wait. What expects no reply has a time to be taken.
 */
import type { Response as UndiciResponse } from "undici"
import { HTTP_ERROR_BODY_MAX_BYTES, SESSION_ID_MAX_CHARS } from "../../../../schemas/defaults/Wire.ts"
import type { GuardedFetch } from "../../../../services/connection/NetworkGuard.ts"
import type { Allowance } from "../../../../system/allowance.ts"
import { eventsOf, firstOf, jsonOf, type Unusable } from "./boundedBody.ts"
import type { MessageTaker } from "./eventFilter.ts"
import { isList } from "../rpc/lists.ts"
import { retryAfterMs } from "./retryAfter.ts"
import { ANSWERED, LISTED, type TextBounds } from "../../../../schemas/connection/JsonBounds.ts"

/** A request that was accepted (202) without an answer. */
export class NoAnswer extends Error {
  constructor() {
    super("the server accepted the request (202) but will not answer it")
  }
}

/** A session id that no header may hold, or that is absurdly long. */
export class BadSessionId extends Error {
  constructor() {
    super("the server names a session id that is none")
  }
}

/** An error status, with what the SDK's own errors leave out. */
export class Refused extends Error {
  readonly status: number
  readonly data: { readonly text: string }
  readonly retryAfterMs: number | undefined
  constructor(status: number, text: string, after: number | undefined) {
    super(`the server answered HTTP ${status}`)
    this.status = status
    this.data = { text }
    this.retryAfterMs = after
  }
}

export interface BoundedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** Ends every connection and stream. */
  readonly close: () => Promise<void>
}

const EVENTS = "text/event-stream"
const JSON_TYPE = "application/json"
const NULL_BODY = new Set([101, 204, 205, 304])
const REQUEST_BODY = /^\{"jsonrpc":"2\.0","id":([^,]+),"method":"([^"]*)"/

/** Without its parameters, of which nothing is needed. */
const mediaType = (header: string | null): string => (header ?? "").split(";", 1)[0]!.trim().toLowerCase()

/** Visible ASCII and no more (Streamable HTTP › Session Management). */
const isSessionId = (id: string): boolean => id.length <= SESSION_ID_MAX_CHARS && /^[\x21-\x7e]+$/.test(id)

export interface BoundedOptions {
  readonly door: GuardedFetch
  /** Whether a request is answered in the response to it; else answers come on the stream of a GET. */
  readonly answersInResponse: boolean
  /** Time for a message that is no request: nobody waits for it, so nobody else would end it. */
  readonly takenMs: number
  /** Called when the body of a GET (a stream that should never end) has ended. */
  readonly onListenEnd: () => void
  /** Called when the stream that answers the request of this id fails because one of its events cannot be used. */
  readonly onUnusable?: ((id: number, why: Unusable) => void) | undefined
  /** Of the server, for all of its bodies. */
  readonly allowance: Allowance
  /** Gets what the server sends of its own accord. */
  readonly taker?: MessageTaker | undefined
}

export const makeBoundedFetch = ({
  allowance,
  answersInResponse,
  door,
  onListenEnd,
  onUnusable,
  takenMs,
  taker
}: BoundedOptions): BoundedFetch => {
  /** `id` is that of a request whose answer may be in the body, and `within` what that is held to. */
  const bound = (response: UndiciResponse, listens: boolean, id: number | undefined, within: TextBounds): Response => {
    const { body, headers, ok, status, statusText } = response
    const head = { status, statusText, headers: [...headers.entries()] }
    if (body === null || NULL_BODY.has(status)) return new Response(null, head)
    const type = mediaType(headers.get("content-type"))
    // Whatever the body of a GET calls itself, it is read as events.
    if (ok && listens)
      return new Response(
        watchEnd(
          eventsOf(body, allowance, () => {}, taker),
          onListenEnd
        ),
        head
      )
    if (!ok || id === undefined || !(type === EVENTS || type === JSON_TYPE)) {
      return new Response(firstOf(body, HTTP_ERROR_BODY_MAX_BYTES), head)
    }
    // Bounded as what it is read as: under a name that leaves no doubt.
    const named = new Response(
      type === EVENTS
        ? eventsOf(body, allowance, (why) => onUnusable?.(id, why), taker, within)
        : jsonOf(body, allowance, within),
      head
    )
    named.headers.set("content-type", type)
    return named
  }

  /** The SDK's transports know how to go on after 401 and 403; of other refusals they would lose what we need to know. */
  const isOurs = (status: number): boolean => {
    if (status < 400) return false
    return answersInResponse ? status === 429 || status === 503 : true
  }

  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { body, headers, method = "GET", signal } = init
    const [, id, called] = (typeof body === "string" ? REQUEST_BODY.exec(body) : null) ?? []
    const isRequest = id !== undefined
    const posts = method === "POST"
    const ended = posts && !isRequest ? endingAfter(takenMs, signal) : signal
    const response = await door.fetch(url, {
      method,
      ...(headers === undefined ? {} : { headers }),
      ...(typeof body === "string" ? { body } : {}),
      ...(ended ? { signal: ended } : {})
    })
    if (answersInResponse && posts && isRequest && response.status === 202) {
      await response.body?.cancel()
      throw new NoAnswer()
    }
    const session = response.headers.get("mcp-session-id")
    if (session !== null && !isSessionId(session)) {
      await response.body?.cancel()
      throw new BadSessionId()
    }
    const bounded = bound(
      response,
      method === "GET",
      answersInResponse && isRequest ? Number(id) : undefined,
      isList(called) ? LISTED : ANSWERED
    )
    if (!posts || !isOurs(response.status)) return bounded
    throw new Refused(response.status, await bounded.text(), retryAfterMs(response.headers.get("retry-after")))
  }
  return { fetch, close: door.close }
}

const endingAfter = (ms: number, signal: AbortSignal | null | undefined): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(ms), ...(signal ? [signal] : [])])

/** Tells when a stream is over, however it ended. */
const watchEnd = (body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> => {
  const reader = body.getReader()
  return new ReadableStream({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      ended()
    },
    cancel: (reason) => reader.cancel(reason)
  })
}
