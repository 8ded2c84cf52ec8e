/**
 * When a server that had enough may be asked again. What it asks for is bounded, and kept: until then nothing is sent to
 * it, and a request waits only as long as somebody may be expected to.
 */
import { RESEND_PAUSE_MS, RETRY_AFTER_MAX_MS, RETRY_AFTER_WAIT_MS } from "../../../../schemas/defaults/Wire.ts"
import { HttpFailed } from "../../../../schemas/connection/HttpError.ts"
import type { RequestError } from "../../../../schemas/connection/RequestError.ts"

/** A number of seconds, or a date (RFC 9110, Retry-After); `undefined` when it is neither. */
export const retryAfterMs = (header: string | null, now: number = Date.now()): number | undefined => {
  const text = header?.trim() ?? ""
  // A bare number that is no number of seconds would be a year to the parser of dates.
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : /^[A-Z][a-z]{2,8},? /.test(text)
      ? Date.parse(text) - now
      : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}

const TOO_MANY_REQUESTS = 429

/** Requests that change nothing, however often they are sent. */
const READS: ReadonlySet<string> = new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "ping"
])
/** Passing troubles of a server or of what stands before it. */
const PASSING: ReadonlySet<number> = new Set([408, TOO_MANY_REQUESTS, 500, 502, 503, 504])

export const changesNothing = (method: string): boolean => READS.has(method)

/**
 * After how long a failed request is sent once more, if at all. 429 says that it was not taken. Of any other failure a call
 * may have run, so only what changes nothing is repeated.
 */
export const resendAfter = (error: RequestError, method: string | undefined): number | undefined => {
  if (method === undefined) return undefined
  // A connection that was kept too long breaks at the first request on it.
  if (error._tag === "ConnectionLost" && error.maybeExecuted && READS.has(method)) return 0
  if (error._tag !== "HttpFailed" || error.status === null) return undefined
  const { retryAfterMs: asked, status } = error
  if (asked !== undefined && asked > RETRY_AFTER_WAIT_MS) return undefined
  if (status === TOO_MANY_REQUESTS && asked !== undefined) return asked
  return READS.has(method) && PASSING.has(status) ? (asked ?? RESEND_PAUSE_MS) : undefined
}

/** How long a server wants to be left alone. */
export class HoldOff {
  #until = Number.NEGATIVE_INFINITY

  note(error: RequestError): void {
    if (error._tag !== "HttpFailed" || error.status === null || !error.retryAfterMs) return
    this.#until = Math.max(this.#until, performance.now() + error.retryAfterMs)
  }

  /** Milliseconds that are left. */
  leftMs(): number {
    return this.#until - performance.now()
  }

  /** For a request that is not sent, because the wait would be too long. */
  refusal(server: string, mayWaitMs: number = RETRY_AFTER_WAIT_MS): HttpFailed | undefined {
    const left = this.leftMs()
    if (left <= mayWaitMs) return undefined
    const detail = "it asked to be left alone, so this was not sent"
    return new HttpFailed({ server, status: TOO_MANY_REQUESTS, detail, isOurs: true, retryAfterMs: left })
  }
}
