/**
 * The frames of an OpenClaw gateway (protocol 4). What is not valid is absent. A payload is decoded by whoever asked for it; here it is
 * only bounded.
 */
import * as Schema from "effect/Schema"
import {
  GATEWAY_FRAME_MAX_DEPTH,
  GATEWAY_RETRY_AFTER_MAX_MS,
  GATEWAY_TICK_MAX_MS,
  GATEWAY_TICK_MIN_MS,
  GATEWAY_TICK_MS
} from "../defaults/Gateway.ts"
import { JSON_MAX_NODES, JSON_MAX_PARTS } from "../defaults/Wire.ts"
import { eachValid, ifValid, reader } from "../data/Lenient.ts"
import { textWithinBounds, type TextBounds } from "../connection/JsonBounds.ts"

export const GATEWAY_PROTOCOL = 4

// ---- frames --------------------------------------------------------------------------------------------------------

export interface GatewayFailure {
  /** `INVALID_REQUEST`, `UNAVAILABLE`, …; the more specific one of its details if there is one: `AUTH_TOKEN_MISMATCH`. */
  readonly code: string
  /** Text of the gateway: sanitize it before you show it. */
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs: number
  /** `startup-sidecars`, `not-paired`, …; empty if there is none. */
  readonly reason: string
}

export type GatewayFrame =
  | { readonly type: "event"; readonly event: string; readonly payload: unknown }
  | { readonly type: "answer"; readonly id: string; readonly payload: unknown }
  | { readonly type: "failure"; readonly id: string; readonly failure: GatewayFailure }

const Code = Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]{0,63}$/))
const Word = Schema.String.check(Schema.isPattern(/^[A-Za-z][A-Za-z0-9-]{0,63}$/))
const Milliseconds = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const milliseconds = (given: number, max: number): number => Math.min(Math.ceil(given), max)

const Failure = Schema.Struct({
  code: ifValid(Code),
  message: ifValid(Schema.String),
  retryable: ifValid(Schema.Boolean),
  retryAfterMs: ifValid(Milliseconds),
  details: ifValid(Schema.Struct({ code: ifValid(Code), reason: ifValid(Word) }))
})

const failureOf = ({ code, details = {}, message, retryAfterMs, retryable }: typeof Failure.Type): GatewayFailure => ({
  code: details.code ?? code ?? "UNKNOWN",
  message: message ?? "",
  retryable: retryable ?? false,
  retryAfterMs: milliseconds(retryAfterMs ?? 0, GATEWAY_RETRY_AFTER_MAX_MS),
  reason: details.reason ?? ""
})

const readJson = reader(
  Schema.fromJsonString(
    Schema.Union([
      Schema.Struct({
        type: Schema.Literal("event"),
        event: Schema.String,
        payload: Schema.optionalKey(Schema.Unknown)
      }),
      Schema.Struct({
        type: Schema.Literal("res"),
        id: Schema.String,
        ok: ifValid(Schema.Boolean),
        payload: Schema.optionalKey(Schema.Unknown),
        error: ifValid(Failure)
      })
    ])
  )
)

const BOUNDS: TextBounds = { depth: GATEWAY_FRAME_MAX_DEPTH, nodes: JSON_MAX_NODES, parts: JSON_MAX_PARTS }

/** `undefined` for what is not a known frame, or is nested too deep. */
export const readFrame = (text: string): GatewayFrame | undefined => {
  const frame = textWithinBounds(text, BOUNDS) ? readJson(text) : undefined
  if (frame === undefined) return undefined
  const { payload } = frame
  if (frame.type === "event") return { type: "event", event: frame.event, payload }
  const { error = {}, id, ok } = frame
  return ok === true ? { type: "answer", id, payload } : { type: "failure", id, failure: failureOf(error) }
}

// ---- the handshake -------------------------------------------------------------------------------------------------

const Challenge = Schema.Struct({
  nonce: Schema.NonEmptyString,
  /** The time of the gateway, which is part of what is signed. */
  ts: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
})

export interface GatewayChallenge extends Schema.Schema.Type<typeof Challenge> {}

export const readChallenge: (payload: unknown) => GatewayChallenge | undefined = reader(Challenge)

export interface GatewayLimits {
  /** The maximum size of one frame. */
  readonly maxPayloadBytes: number
  /** The maximum size of one attachment, decoded. */
  readonly maxAttachmentBytes: number
  /** The maximum size of one image, decoded. */
  readonly maxImageBytes: number
}

export interface GatewayHello {
  /** Text of the gateway: sanitize it before you show it. */
  readonly serverVersion: string
  readonly protocol: number
  readonly limits: GatewayLimits
  /** How often it sends a tick. */
  readonly tickMs: number
  /** The agent for requests that name none; `undefined` if the gateway does not tell. */
  readonly defaultAgent?: string | undefined
  /** The permissions of this connection. */
  readonly scopes: ReadonlyArray<string>
}

const VERSION_MAX_CHARS = 64
const SCOPES_MAX = 64
/** The limits of a gateway that does not tell them. */
const MAX_PAYLOAD_BYTES = 25 * 1024 * 1024
const MAX_ATTACHMENT_BYTES = 5_000_000

/** As in the keys of sessions. */
export const AgentId = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/))

export const isAgentId: (given: unknown) => given is string = Schema.is(AgentId)

const Bytes = Schema.Finite.check(Schema.isGreaterThan(0))

const Hello = Schema.Struct({
  type: Schema.Literal("hello-ok"),
  protocol: Schema.Number,
  server: ifValid(Schema.Struct({ version: ifValid(Schema.String) })),
  policy: ifValid(
    Schema.Struct({
      maxPayload: ifValid(Bytes),
      tickIntervalMs: ifValid(Milliseconds),
      attachments: ifValid(Schema.Struct({ maxBytes: ifValid(Bytes), maxImageBytes: ifValid(Bytes) }))
    })
  ),
  auth: ifValid(Schema.Struct({ scopes: ifValid(Schema.Array(Schema.Unknown)) })),
  snapshot: ifValid(Schema.Struct({ sessionDefaults: ifValid(Schema.Struct({ defaultAgentId: ifValid(AgentId) })) }))
})

const read = reader(Hello)

/** `undefined` for what is not a hello. */
export const readHello = (payload: unknown): GatewayHello | undefined => {
  const hello = read(payload)
  if (hello === undefined) return undefined
  const { auth, policy = {}, protocol, server, snapshot } = hello
  const { attachments = {}, maxPayload = MAX_PAYLOAD_BYTES, tickIntervalMs = GATEWAY_TICK_MS } = policy
  const maxAttachmentBytes = Math.floor(attachments.maxBytes ?? MAX_ATTACHMENT_BYTES)
  return {
    serverVersion: server?.version?.slice(0, VERSION_MAX_CHARS) ?? "unknown",
    protocol,
    limits: {
      maxPayloadBytes: Math.floor(maxPayload),
      maxAttachmentBytes,
      maxImageBytes: Math.min(Math.floor(attachments.maxImageBytes ?? maxAttachmentBytes), maxAttachmentBytes)
    },
    tickMs: Math.max(milliseconds(tickIntervalMs, GATEWAY_TICK_MAX_MS), GATEWAY_TICK_MIN_MS),
    defaultAgent: snapshot?.sessionDefaults?.defaultAgentId,
    scopes: eachValid(auth?.scopes, (scope) => (typeof scope === "string" ? scope : undefined), SCOPES_MAX)
  }
}

// ---- pairing -------------------------------------------------------------------------------------------------------

const readPairing = reader(Schema.Struct({ pending: Schema.Array(Schema.Unknown) }))
const readRequest = reader(
  Schema.Struct({ requestId: Schema.String, deviceId: ifValid(Schema.String), nodeId: ifValid(Schema.String) })
)

/** The requests of one of our devices that wait to be approved. */
export const pendingOf = (payload: unknown, device: string, max: number): ReadonlyArray<string> =>
  eachValid(readPairing(payload)?.pending, readRequest, max).flatMap(({ deviceId, nodeId, requestId }) =>
    (deviceId ?? nodeId) === device ? [requestId] : []
  )
