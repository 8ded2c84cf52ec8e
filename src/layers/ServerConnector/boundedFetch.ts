/**
 * The `fetch` of HTTP links: undici's, with what a hostile or broken server can do kept in bounds. Decoded bodies have a
 * limit, error bodies a small one, a stream of events has a limit per event, and an answer that cannot hold a reply fails
 * at once instead of leaving its request to wait. What expects no reply has a time to be taken.
 */
import { Agent, fetch as undiciFetch } from "undici"
import { HTTP_BODY_MAX_BYTES, HTTP_ERROR_BODY_MAX_BYTES, MESSAGE_MAX_BYTES } from "../../schemas/Defaults.ts"

/** A body that went over its limit. */
export class BodyTooLarge extends Error {
  readonly limitBytes: number
  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`)
    this.limitBytes = limitBytes
  }
}

/** A request that was accepted (202) without an answer. */
export class NoAnswer extends Error {
  constructor() {
    super("the server accepted the request (202) but will not answer it")
  }
}

export interface BoundedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** Ends every connection and stream. */
  readonly close: () => Promise<void>
}

const NULL_BODY = new Set([101, 204, 205, 304])
const REQUEST_BODY = /^\{"jsonrpc":"2\.0","id":[^,]+,"method":/

/** Counts what passes; over the limit the stream fails, or (for error bodies, which are only quoted) just ends. */
const limitBytes = (limit: number, over: "fail" | "end") => {
  let seen = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      seen += chunk.byteLength
      if (seen <= limit) return controller.enqueue(chunk)
      if (over === "fail") return controller.error(new BodyTooLarge(limit))
      controller.enqueue(chunk.subarray(0, chunk.byteLength - (seen - limit)))
      controller.terminate()
    }
  })
}

/** Server-sent events go on for ever, but a single one may not: counts the bytes since the last empty line. */
const limitEvents = (limit: number) => {
  let sinceBreak = 0
  let lineEmpty = true
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      let from = 0
      for (let newline = chunk.indexOf(10); newline !== -1; newline = chunk.indexOf(10, from)) {
        const blank = newline === from || (newline === from + 1 && chunk[from] === 13)
        sinceBreak = blank && lineEmpty ? 0 : sinceBreak + (newline + 1 - from)
        lineEmpty = true
        from = newline + 1
      }
      sinceBreak += chunk.byteLength - from
      if (from < chunk.byteLength) lineEmpty = false
      if (sinceBreak > limit) controller.error(new BodyTooLarge(limit))
      else controller.enqueue(chunk)
    }
  })
}

export const makeBoundedFetch = (options: {
  readonly connectTimeoutMs: number
  /** Whether a request is answered in the response to it; else answers come on the stream of a GET. */
  readonly answersInResponse: boolean
  /** Time for a message that is no request: nobody waits for it, so nobody else would end it. */
  readonly takenMs: number
  /** Called when the body of a GET (a stream that should never end) has ended. */
  readonly onListenEnd: () => void
}): BoundedFetch => {
  const dispatcher = new Agent({
    connect: { timeout: options.connectTimeoutMs },
    // Deadlines are the peer's, per request; a stream of events may be silent for as long as it likes.
    headersTimeout: 0,
    bodyTimeout: 0
  })

  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { body, headers, method = "GET", redirect, signal } = init
    const isRequest = typeof body === "string" && REQUEST_BODY.test(body)
    const ended = method === "POST" && !isRequest ? endingAfter(options.takenMs, signal) : signal
    const response = await undiciFetch(url, {
      method,
      headers: [...new Headers(headers).entries()],
      ...(typeof body === "string" ? { body } : {}),
      ...(redirect === undefined ? {} : { redirect }),
      ...(ended ? { signal: ended } : {}),
      dispatcher
    })
    const accepted = options.answersInResponse && method === "POST" && response.status === 202
    if (accepted && isRequest) {
      await response.body?.cancel()
      throw new NoAnswer()
    }
    const head = { status: response.status, statusText: response.statusText, headers: [...response.headers.entries()] }
    if (response.body === null || NULL_BODY.has(response.status)) return new Response(null, head)
    const events = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    const limit = !response.ok
      ? limitBytes(HTTP_ERROR_BODY_MAX_BYTES, "end")
      : events
        ? limitEvents(MESSAGE_MAX_BYTES)
        : limitBytes(HTTP_BODY_MAX_BYTES, "fail")
    const bounded: ReadableStream<Uint8Array> = response.body.pipeThrough(limit)
    return new Response(method === "GET" && events ? watchEnd(bounded, options.onListenEnd) : bounded, head)
  }
  return { fetch, close: () => dispatcher.destroy() }
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
