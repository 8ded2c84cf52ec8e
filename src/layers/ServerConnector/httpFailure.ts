/**
 * What went wrong with an HTTP request: which of our errors a failure of the SDK's transport, of `fetch` or of the server
 * is, and whether it is an answer after all. Bodies are already bounded, but of any shape.
 */
import { isObject } from "../../schemas/Json.ts"
import {
  AuthRequired,
  ConnectionLost,
  HttpFailed,
  MessageTooLarge,
  ProtocolError,
  type RequestError
} from "../../schemas/McpError.ts"
import { BodyTooLarge, NoAnswer } from "./boundedFetch.ts"
import { UNSUPPORTED_VERSION } from "./answer.ts"
import type { OutgoingMessage } from "./Link.ts"
import { saidBy, type Tidy } from "./tidy.ts"

/** What is quoted of a server's own words. */
const DETAIL_CHARS = 300

/** HeaderMismatch (2026-07-28, Streamable HTTP › Server Validation). */
export const HEADER_MISMATCH = -32020
/** MissingRequiredClientCapability (2026-07-28). */
const MISSING_CAPABILITY = -32021
/** Errors that only a server of 2026-07-28 knows, also in answer to a request that is older. */
const MODERN_ERRORS: ReadonlySet<unknown> = new Set([HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION])
/** These speak for the server's door, whatever their body says. */
const DOOR: ReadonlySet<number> = new Set([401, 403, 429])

const statusOf = (error: unknown): number | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  if ("status" in error && typeof error.status === "number") return error.status
  // SseError carries the HTTP status as its code.
  return "code" in error && typeof error.code === "number" ? error.code : undefined
}

/** The text of an error's body, when there was one. */
const bodyOf = (error: unknown): string | undefined => {
  const data = typeof error === "object" && error !== null && "data" in error ? error.data : undefined
  const text = isObject(data) ? data["text"] : undefined
  return typeof text === "string" && text.trim() !== "" ? text : undefined
}

const parsedBodyOf = (error: unknown): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed: unknown = JSON.parse(bodyOf(error) ?? "")
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "no details")

/** Node's network errors say more in their cause; undici's own say `fetch failed`. */
const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && "code" in cause ? String(cause.code) : ""
}

const NEVER_SENT: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "the request failed"
  const cause = error.cause
  const code = codeOf(error)
  if (code === "ECONNREFUSED") return "connection refused; is it running?"
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host name cannot be resolved"
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "it does not accept connections"
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message
}

/**
 * The JSON-RPC answer in the body of an HTTP error: a server of 2026-07-28 says with the status what the error is, 404 for
 * a method that it does not have. Up to 2025-11-25 an error status is one of the transport.
 */
export const answerIn = (error: unknown, sent: OutgoingMessage, modern: boolean): unknown => {
  const status = statusOf(error)
  if (status === undefined || DOOR.has(status) || sent.id === undefined) return undefined
  const body = parsedBodyOf(error)
  if (body === undefined || body["id"] !== sent.id || !isObject(body["error"])) return undefined
  return modern || MODERN_ERRORS.has(body["error"]["code"]) ? body : undefined
}

/** 404 is how a server says that it has forgotten a session; some say 400, with an error that is nobody's answer. */
const isLostSession = (error: unknown, status: number | undefined): boolean => {
  if (status === 404) return true
  const body = status === 400 ? parsedBodyOf(error) : undefined
  const said = isObject(body?.["error"]) ? body["error"]["message"] : undefined
  return (body?.["id"] ?? null) === null && typeof said === "string" && /\bsession\b/i.test(said)
}

export const SESSION_LOST = "the server no longer knows our session"

/** Where a link stands when a request fails. */
export interface Standing {
  readonly server: string
  /** Whether the handshake is done: only before is it certain that nothing was sent. */
  readonly established: boolean
  /** Whether there is a session that the server could forget. */
  readonly inSession: boolean
  readonly tidy: Tidy
}

export const failureOf = (error: unknown, { established, inSession, server, tidy }: Standing): RequestError => {
  const status = statusOf(error)
  if (error instanceof BodyTooLarge) return new MessageTooLarge({ server, limitBytes: error.limitBytes })
  if (error instanceof NoAnswer) return new ProtocolError({ server, code: null, detail: error.message })
  if (status === 401 || status === 403) return new AuthRequired({ server, status })
  if (inSession && isLostSession(error, status)) {
    return new ConnectionLost({ server, detail: SESSION_LOST, maybeExecuted: false })
  }
  if (status !== undefined) {
    return new HttpFailed({ server, status, ...saidBy(tidy, bodyOf(error) ?? messageOf(error), DETAIL_CHARS) })
  }
  if (error instanceof Error && "code" in error && error.code === "CLIENT_HTTP_UNEXPECTED_CONTENT") {
    return new ProtocolError({ server, code: null, ...saidBy(tidy, error.message, DETAIL_CHARS) })
  }
  const detail = tidy(reasonOf(error), DETAIL_CHARS)
  return NEVER_SENT.has(codeOf(error)) || !established
    ? new HttpFailed({ server, status: null, detail })
    : new ConnectionLost({ server, detail, maybeExecuted: true })
}
