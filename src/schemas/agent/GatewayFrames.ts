/**
 * Decodes the frames of an OpenClaw gateway (protocol 4). Invalid parts are ignored. Whoever requested a payload checks its
 * content; here it is only made sure that walking it ends.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  GATEWAY_FRAME_MAX_DEPTH,
  GATEWAY_RETRY_AFTER_MAX_MS,
  GATEWAY_TICK_MAX_MS,
  GATEWAY_TICK_MIN_MS,
  GATEWAY_TICK_MS
} from "../defaults/Gateway.ts"
import { JSON_MAX_NODES, JSON_MAX_PARTS } from "../defaults/Wire.ts"
import { isObject } from "../data/Json.ts"
import { textWithinBounds, type TextBounds } from "../connection/JsonBounds.ts"

export const GATEWAY_PROTOCOL = 4

// ---- frames --------------------------------------------------------------------------------------------------------

export interface GatewayFailure {
  /** `INVALID_REQUEST`, `UNAVAILABLE`, …; or the more precise code in its details: `AUTH_TOKEN_MISMATCH`. */
  readonly code: string
  /** The gateway's own words: clean them before anybody sees them. */
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs: number
  /** `startup-sidecars`, `not-paired`, …; empty when there is none. */
  readonly reason: string
}

export type GatewayFrame =
  | { readonly type: "event"; readonly event: string; readonly payload: unknown }
  | { readonly type: "answer"; readonly id: string; readonly payload: unknown }
  | { readonly type: "failure"; readonly id: string; readonly failure: GatewayFailure }

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/
const WORD = /^[A-Za-z][A-Za-z0-9-]{0,63}$/

const codeOf = (given: unknown): string | undefined =>
  typeof given === "string" && CODE.test(given) ? given : undefined

const milliseconds = (given: unknown, max: number): number | undefined =>
  typeof given === "number" && Number.isFinite(given) && given >= 0 ? Math.min(Math.ceil(given), max) : undefined

export const readFailure = (given: unknown): GatewayFailure => {
  const error = isObject(given) ? given : {}
  const details = isObject(error["details"]) ? error["details"] : {}
  const { reason } = details
  return {
    code: codeOf(details["code"]) ?? codeOf(error["code"]) ?? "UNKNOWN",
    message: typeof error["message"] === "string" ? error["message"] : "",
    retryable: error["retryable"] === true,
    retryAfterMs: milliseconds(error["retryAfterMs"], GATEWAY_RETRY_AFTER_MAX_MS) ?? 0,
    reason: typeof reason === "string" && WORD.test(reason) ? reason : ""
  }
}

const BOUNDS: TextBounds = { depth: GATEWAY_FRAME_MAX_DEPTH, nodes: JSON_MAX_NODES, parts: JSON_MAX_PARTS }

/** `undefined` for unknown frames, and for those nested too deep. */
export const readFrame = (text: string): GatewayFrame | undefined => {
  if (!textWithinBounds(text, BOUNDS)) return undefined
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(given)) return undefined
  const { event, id, ok, payload, type } = given
  if (type === "event") return typeof event === "string" ? { type, event, payload } : undefined
  if (type !== "res" || typeof id !== "string") return undefined
  return ok === true ? { type: "answer", id, payload } : { type: "failure", id, failure: readFailure(given["error"]) }
}

// ---- the handshake -------------------------------------------------------------------------------------------------

const Challenge = Schema.Struct({
  nonce: Schema.NonEmptyString,
  /** The gateway's clock: signatures contain this time. */
  ts: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})

export interface GatewayChallenge extends Schema.Schema.Type<typeof Challenge> {}

const decodeChallenge = Schema.decodeUnknownOption(Challenge)

export const readChallenge = (payload: unknown): GatewayChallenge | undefined =>
  Option.getOrUndefined(decodeChallenge(payload))

export interface GatewayLimits {
  /** The maximum size of one frame. */
  readonly maxPayloadBytes: number
  /** The maximum size of one attachment, decoded. */
  readonly maxAttachmentBytes: number
  /** The maximum size of one image, decoded. */
  readonly maxImageBytes: number
}

export interface GatewayHello {
  /** For messages and logs; the gateway's own text, so clean it before it is shown. */
  readonly serverVersion: string
  readonly protocol: number
  readonly limits: GatewayLimits
  /** How often it sends a sign of life. */
  readonly tickMs: number
  /** The agent that answers if none is named; `undefined` when the gateway does not say. */
  readonly defaultAgent?: string | undefined
  /** The permissions of this connection. */
  readonly scopes: ReadonlyArray<string>
}

const VERSION_MAX_CHARS = 64
const SCOPES_MAX = 64
/** The limits of gateways of this protocol that state none. */
const MAX_PAYLOAD_BYTES = 25 * 1024 * 1024
const MAX_ATTACHMENT_BYTES = 5_000_000

const bytes = (given: unknown, otherwise: number): number =>
  typeof given === "number" && Number.isFinite(given) && given > 0 ? Math.floor(given) : otherwise

/** An agent id as in session keys. */
const AGENT = /^[a-z0-9][a-z0-9_-]{0,63}$/

export const isAgentId = (given: unknown): given is string => typeof given === "string" && AGENT.test(given)

const members = (given: unknown): Record<string, unknown> => (isObject(given) ? given : {})

/** `undefined` when it is not a hello. */
export const readHello = (payload: unknown): GatewayHello | undefined => {
  if (!isObject(payload) || payload["type"] !== "hello-ok" || typeof payload["protocol"] !== "number") return undefined
  const policy = members(payload["policy"])
  const attachments = members(policy["attachments"])
  const { version } = members(payload["server"])
  const { scopes } = members(payload["auth"])
  const { defaultAgentId } = members(members(payload["snapshot"])["sessionDefaults"])
  const maxAttachmentBytes = bytes(attachments["maxBytes"], MAX_ATTACHMENT_BYTES)
  const tick = milliseconds(policy["tickIntervalMs"], GATEWAY_TICK_MAX_MS) ?? GATEWAY_TICK_MS
  return {
    serverVersion: typeof version === "string" ? version.slice(0, VERSION_MAX_CHARS) : "unknown",
    protocol: payload["protocol"],
    limits: {
      maxPayloadBytes: bytes(policy["maxPayload"], MAX_PAYLOAD_BYTES),
      maxAttachmentBytes,
      maxImageBytes: Math.min(bytes(attachments["maxImageBytes"], maxAttachmentBytes), maxAttachmentBytes)
    },
    tickMs: Math.max(tick, GATEWAY_TICK_MIN_MS),
    defaultAgent: isAgentId(defaultAgentId) ? defaultAgentId : undefined,
    scopes: (Array.isArray(scopes) ? scopes : []).slice(0, SCOPES_MAX).filter((scope) => typeof scope === "string")
  }
}

// ---- pairing -------------------------------------------------------------------------------------------------------

/** The waiting pairing requests of one of our devices. */
export const pendingOf = (payload: unknown, device: string, max: number): ReadonlyArray<string> => {
  const { pending } = members(payload)
  return (Array.isArray(pending) ? pending : []).slice(0, max).flatMap((request: unknown) => {
    const { deviceId, nodeId, requestId } = members(request)
    return typeof requestId === "string" && (deviceId ?? nodeId) === device ? [requestId] : []
  })
}
