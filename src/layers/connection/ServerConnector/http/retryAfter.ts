/**
 * When a server may be asked again after it refused. The time that it asks for is bounded and remembered: until then nothing is sent to it,
 * and a request waits only for a reasonable time.
 */
import { RESEND_PAUSE_MS, RETRY_AFTER_MAX_MS, RETRY_AFTER_WAIT_MS } from "../../../../schemas/defaults/Wire.ts"
import { HttpFailed } from "../../../../schemas/connection/HttpError.ts"
import type { RequestError } from "../../../../schemas/connection/RequestError.ts"

/** Reads a number of seconds or a date (RFC 9110, Retry-After); `undefined` if it is neither. */
export const retryAfterMs = (header: string | null, now: number = Date.now()): number | undefined => {
  const text = header?.trim() ?? ""
  // The parser of dates would take other numbers for a year.
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : /^[A-Z][a-z]{2,8},? /.test(text)
      ? Date.parse(text) - now
      : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}

const TOO_MANY_REQUESTS = 429

/** Requests that change nothing, so that they can be repeated. */
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
/** Temporary failures of a server or of a proxy before it. */
const PASSING: ReadonlySet<number> = new Set([408, TOO_MANY_REQUESTS, 500, 502, 503, 504])

export const changesNothing = (method: string): boolean => READS.has(method)

/**
 * After how long a failed request is sent once more, if at all. 429 means that it was not taken. After any other failure a call may
 * have run, so only requests that change nothing are repeated.
 */
export const resendAfter = (error: RequestError, method: string | undefined): number | undefined => {
  if (method === undefined) return undefined
  // A connection that was idle for too long breaks at the next request.
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

  /** The milliseconds that are left. */
  leftMs(): number {
    return this.#until - performance.now()
  }

  /** The error of a request that would have to wait for too long. */
  refusal(server: string, mayWaitMs: number = RETRY_AFTER_WAIT_MS): HttpFailed | undefined {
    const left = this.leftMs()
    if (left <= mayWaitMs) return undefined
    const detail = "it asked to be left alone, so this was not sent"
    return new HttpFailed({ server, status: TOO_MANY_REQUESTS, detail, isOurs: true, retryAfterMs: left })
  }
}
