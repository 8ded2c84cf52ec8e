/**
 * The `fetch` of HTTP links: through a guarded door, with what a hostile or broken server can do kept in bounds. Decoded
 * bodies have a limit, error bodies a small one, a stream of events has a limit per event, and an answer that cannot hold a
 * reply fails at once instead of leaving its request to wait. What expects no reply has a time to be taken.
 */
import type { Response as UndiciResponse } from "undici"
import {
  HTTP_BODY_MAX_BYTES,
  HTTP_ERROR_BODY_MAX_BYTES,
  MESSAGE_MAX_BYTES,
  SESSION_ID_MAX_CHARS
} from "../../schemas/Defaults.ts"
import type { Door } from "../../services/NetworkGuard.ts"
import { retryAfterMs } from "./retryAfter.ts"
import { makeByteBounds } from "./textBounds.ts"

/** A body that went over its limit. */
export class BodyTooLarge extends Error {
  readonly limitBytes: number
  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`)
    this.limitBytes = limitBytes
  }
}

/** A body that is not worth parsing: nested too deep, or of too many values. */
export class BodyTooDeep extends Error {
  constructor() {
    super("the answer is nested too deep or holds too much")
  }
}

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

const LF = 10
const CR = 13
const NULL_BODY = new Set([101, 204, 205, 304])
const REQUEST_BODY = /^\{"jsonrpc":"2\.0","id":([^,]+),"method":/

/** Of an error body, which is only quoted: what is over the limit is left out. */
const limitBytes = (limit: number) => {
  let seen = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      seen += chunk.byteLength
      if (seen <= limit) return controller.enqueue(chunk)
      controller.enqueue(chunk.subarray(0, chunk.byteLength - (seen - limit)))
      controller.terminate()
    }
  })
}

/**
 * Lines end with LF, CR or both; from here on with LF alone, and at once: the parser behind would wait for what follows a
 * CR, also at the end of a stream.
 */
const lineFeeds = () => {
  let afterReturn = false
  return (chunk: Uint8Array): Uint8Array => {
    const first = afterReturn && chunk[0] === LF ? 1 : 0
    if (chunk.byteLength > 0) afterReturn = chunk.at(-1) === CR
    let carriage = chunk.indexOf(CR)
    if (carriage === -1) return chunk.subarray(first)
    const plain = new Uint8Array(chunk.byteLength)
    let [from, length] = [first, 0]
    for (; carriage !== -1; carriage = chunk.indexOf(CR, from)) {
      plain.set(chunk.subarray(from, carriage), length)
      length += carriage - from
      plain[length++] = LF
      from = carriage + (chunk[carriage + 1] === LF ? 2 : 1)
    }
    plain.set(chunk.subarray(from), length)
    return plain.subarray(0, length + chunk.byteLength - from)
  }
}

/** A whole body of JSON: a parser would build all of it before anybody could look at it. */
const limitJson = (limit: number) => {
  const bounds = makeByteBounds(false)
  let seen = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      seen += chunk.byteLength
      if (seen > limit) return controller.error(new BodyTooLarge(limit))
      if (!bounds.pass(chunk)) return controller.error(new BodyTooDeep())
      controller.enqueue(chunk)
    }
  })
}

type Unusable = BodyTooLarge | BodyTooDeep

/**
 * Server-sent events go on for ever, but a single one may not: counts the bytes, and what is JSON in them, since the last
 * empty line.
 */
const limitEvents = (limit: number, onUnusable: (why: Unusable) => void) => {
  const toLineFeeds = lineFeeds()
  const bounds = makeByteBounds(true)
  let sinceBreak = 0
  let lineEmpty = true
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (received, controller) => {
      const chunk = toLineFeeds(received)
      let [from, deep] = [0, false]
      for (let newline = chunk.indexOf(LF); newline !== -1; newline = chunk.indexOf(LF, from)) {
        const isBreak = newline === from && lineEmpty
        sinceBreak = isBreak ? 0 : sinceBreak + (newline + 1 - from)
        if (isBreak) bounds.next()
        else deep ||= !bounds.pass(chunk.subarray(from, newline + 1))
        lineEmpty = true
        from = newline + 1
      }
      deep ||= !bounds.pass(chunk.subarray(from))
      sinceBreak += chunk.byteLength - from
      if (from < chunk.byteLength) lineEmpty = false
      if (!deep && sinceBreak <= limit) return controller.enqueue(chunk)
      const why = deep ? new BodyTooDeep() : new BodyTooLarge(limit)
      onUnusable(why)
      controller.error(why)
    }
  })
}

/** Visible ASCII and no more (Streamable HTTP › Session Management). */
const isSessionId = (id: string): boolean => id.length <= SESSION_ID_MAX_CHARS && /^[\x21-\x7e]+$/.test(id)

export interface BoundedOptions {
  readonly door: Door
  /** Whether a request is answered in the response to it; else answers come on the stream of a GET. */
  readonly answersInResponse: boolean
  /** Time for a message that is no request: nobody waits for it, so nobody else would end it. */
  readonly takenMs: number
  /** Called when the body of a GET (a stream that should never end) has ended. */
  readonly onListenEnd: () => void
  /** Called when the stream that answers the request of this id fails because one of its events cannot be used. */
  readonly onUnusable?: ((id: number, why: BodyTooLarge | BodyTooDeep) => void) | undefined
}

export const makeBoundedFetch = ({
  answersInResponse,
  door,
  onListenEnd,
  onUnusable,
  takenMs
}: BoundedOptions): BoundedFetch => {
  const bound = (response: UndiciResponse, listens: boolean, id: number | undefined): Response => {
    const head = { status: response.status, statusText: response.statusText, headers: [...response.headers.entries()] }
    if (response.body === null || NULL_BODY.has(response.status)) return new Response(null, head)
    const events = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    const limit = !response.ok
      ? limitBytes(HTTP_ERROR_BODY_MAX_BYTES)
      : events
        ? limitEvents(MESSAGE_MAX_BYTES, (why) => void (id !== undefined && onUnusable?.(id, why)))
        : limitJson(HTTP_BODY_MAX_BYTES)
    const bounded: ReadableStream<Uint8Array> = response.body.pipeThrough(limit)
    return new Response(listens && events ? watchEnd(bounded, onListenEnd) : bounded, head)
  }

  /** The SDK's transports know how to go on after 401 and 403; of other refusals they would lose what we need to know. */
  const isOurs = (status: number): boolean => {
    if (status < 400) return false
    return answersInResponse ? status === 429 || status === 503 : true
  }

  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { body, headers, method = "GET", signal } = init
    const id = typeof body === "string" ? REQUEST_BODY.exec(body)?.[1] : undefined
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
    const bounded = bound(response, method === "GET", isRequest ? Number(id) : undefined)
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
