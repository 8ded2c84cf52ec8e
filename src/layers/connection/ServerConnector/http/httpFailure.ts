/**
 * Which of our errors the failure of an HTTP request is: a refusal of the server, of the network or of its guard; or whether it is
 * the answer to the request after all. Bodies are already bounded, but of any shape.
 */
import { MESSAGE_MAX_BYTES, SESSION_ID_MAX_CHARS } from "../../../../schemas/defaults/Wire.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { networkReason } from "../../../../schemas/connection/NetworkReason.ts"
import { AddressBlocked, AuthRequired, HttpFailed, RedirectBlocked } from "../../../../schemas/connection/HttpError.ts"
import {
  ConnectionLost,
  MessageTooLarge,
  ProtocolError,
  type RequestError
} from "../../../../schemas/connection/RequestError.ts"
import type { Authorization } from "../../../../services/login/Authorizer.ts"
import { UNSUPPORTED_VERSION } from "../rpc/answer.ts"
import type { OutgoingMessage } from "../rpc/Link.ts"
import { saidBy, type Tidy } from "../rpc/tidy.ts"
import { BodyTooLarge } from "./bodies.ts"
import { isModern } from "./customHeaders.ts"
import { ForeignEndpoint, NoAnswer, StreamEnded, UnexpectedContent } from "./streams.ts"
import { BadSessionId, Refused } from "./wire.ts"

/** The longest quote of a server's own words. */
const DETAIL_CHARS = 300

/** HeaderMismatch (2026-07-28, Streamable HTTP › Server Validation). */
export const HEADER_MISMATCH = -32020
/** MissingRequiredClientCapability (2026-07-28). */
const MISSING_CAPABILITY = -32021
/** Errors that only a server of 2026-07-28 knows, even if the request is older. */
const MODERN_ERRORS: ReadonlySet<unknown> = new Set([HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION])
/** These statuses are refusals of access, whatever the body says. */
const DOOR: ReadonlySet<number> = new Set([401, 403, 429])

const parsedBodyOf = ({ text }: Refused): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether the body of an HTTP error is the JSON-RPC answer to the request: a server of 2026-07-28 sends errors with a status, 404
 * for a method that it does not have. Up to 2025-11-25 an error status is an error of the transport.
 */
export const isAnswer = (refused: Refused, sent: OutgoingMessage): boolean => {
  if (DOOR.has(refused.status) || sent.id === undefined) return false
  const body = parsedBodyOf(refused)
  if (body === undefined || body["id"] !== sent.id || !isObject(body["error"])) return false
  return isModern(sent) || MODERN_ERRORS.has(body["error"]["code"])
}

/** What servers say about a session that they do not know, and nothing else. */
const SESSION_GONE =
  /^(?:(?:bad request|not found|error): ?)?(?:(?:no valid|no such|invalid|unknown|missing|expired|invalid or (?:expired|missing)) (?:mcp[- ])?session(?:[- ]?id)?(?: provided)?|(?:mcp[- ])?session(?:[- ]?id)?(?: [\w.-]+)?(?: was| is| has| has been)? (?:not found|unknown|expired|terminated|closed)(?: or (?:has )?expired)?(?:: [\w.-]+)?)[.!]?$/i
const SESSION_GONE_CHARS = SESSION_ID_MAX_CHARS + 100

const speaksOfSession = (words: string): boolean =>
  words.length <= SESSION_GONE_CHARS && SESSION_GONE.test(words.trim())

/**
 * Whether the server has forgotten our session. Servers say so with 404, some with 400 and an error that answers no request.
 * `surely` when it can mean nothing else, so that the request was not taken. A 404 with other words, or one that answers this very
 * request, may come from behind a call that has run.
 */
const lossOf = (refused: Refused, sent: OutgoingMessage | undefined) => {
  const { status, text } = refused
  if (status !== 404 && status !== 400) return undefined
  const body = parsedBodyOf(refused)
  const said = isObject(body?.["error"]) ? body["error"]["message"] : body === undefined ? text : body["message"]
  const fits = typeof said === "string" && speaksOfSession(said)
  const id = body?.["id"] ?? null
  if (sent?.id !== undefined && id === sent.id) return fits && status === 404 ? "perhaps" : undefined
  if (status === 404) return fits || text.trim() === "" ? "surely" : "perhaps"
  return fits && id === null && isObject(body?.["error"]) ? "surely" : undefined
}

export const SESSION_LOST = "the server no longer knows our session"

/** The server has forgotten the session. Unless `maybeExecuted`, it did not take the request, which can be sent again. */
export const isSessionLost = (error: { readonly _tag: string }): error is ConnectionLost =>
  error instanceof ConnectionLost && error.detail === SESSION_LOST

/** The refusal of the network guard. undici wraps errors of connecting. */
const refusalIn = (error: unknown): AddressBlocked | RedirectBlocked | undefined =>
  [error, error instanceof Error ? error.cause : undefined].find(
    (each) => each instanceof AddressBlocked || each instanceof RedirectBlocked
  )

/** The state of a link when a request fails. */
export interface FailureContext {
  readonly server: string
  /** Whether the handshake is done. Before it, there was no call that may have run. */
  readonly established: boolean
  /** Whether there is a session that the server can forget. */
  readonly inSession: boolean
  /** The message of the request, if it had one. */
  readonly sent?: OutgoingMessage | undefined
  readonly tidy: Tidy
  /** Whether the request failed before there was a connection. */
  readonly neverSent: (error: unknown) => boolean
  /** Why there was no better token after a refusal. */
  readonly unauthorized?: Authorization["refusal"] | undefined
}

const refusalOf = (refused: Refused, { inSession, sent, server, tidy, unauthorized }: FailureContext): RequestError => {
  const { retryAfterMs, status, text } = refused
  if (status === 401 || status === 403) return new AuthRequired({ server, status, ...unauthorized?.(status) })
  const loss = inSession ? lossOf(refused, sent) : undefined
  if (loss !== undefined) {
    return new ConnectionLost({ server, detail: SESSION_LOST, maybeExecuted: loss === "perhaps" })
  }
  const after = retryAfterMs === undefined ? undefined : { retryAfterMs }
  return new HttpFailed({ server, status, ...saidBy(tidy, text, DETAIL_CHARS), ...after })
}

export const failureOf = (error: unknown, context: FailureContext): RequestError => {
  const { established, neverSent, server, tidy } = context
  const guarded = refusalIn(error)
  if (guarded !== undefined) return guarded
  if (error instanceof Refused) return refusalOf(error, context)
  if (error instanceof BodyTooLarge) return new MessageTooLarge({ server, limitBytes: MESSAGE_MAX_BYTES })
  if (error instanceof StreamEnded) return new ConnectionLost({ server, detail: error.message, maybeExecuted: true })
  if (error instanceof NoAnswer || error instanceof BadSessionId) {
    return new ProtocolError({ server, code: null, detail: error.message, isOurs: true, maybeExecuted: true })
  }
  if (error instanceof ForeignEndpoint)
    return new ProtocolError({ server, code: null, detail: error.message, isOurs: true })
  if (error instanceof UnexpectedContent) {
    return new ProtocolError({ server, code: null, ...saidBy(tidy, error.message, DETAIL_CHARS), maybeExecuted: true })
  }
  const detail = tidy(networkReason(error), DETAIL_CHARS)
  return neverSent(error) || !established
    ? new HttpFailed({ server, status: null, detail })
    : new ConnectionLost({ server, detail, maybeExecuted: true })
}
