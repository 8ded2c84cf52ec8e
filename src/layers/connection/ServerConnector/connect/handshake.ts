/**
 * From an open link to an agreed protocol: finds out in one round trip whether the server is legacy or modern, then does the handshake.
 * Revisions 2024-11-05 to 2025-11-25 use `initialize`, 2026-07-28 uses `server/discover`.
 */
import * as Effect from "effect/Effect"
import { INSTRUCTIONS_MAX_CHARS } from "../../../../schemas/defaults/Definitions.ts"
import { isObject, type JsonObject } from "../../../../schemas/data/Json.ts"
import { HandshakeFailed, UnsupportedProtocol } from "../../../../schemas/connection/ConnectError.ts"
import type { ProtocolError, RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { ProtocolChoice } from "../../../../schemas/config/ServerKeys.ts"
import type { Era } from "../../../../schemas/connection/ServerState.ts"
import { aboutIn, type ServerAbout } from "../../../../schemas/connection/ServerAbout.ts"
import { inLine, keptFor } from "../../../../schemas/content/ServerText.ts"
import { CLIENT_INFO } from "../../../../schemas/data/Version.ts"
import { UNSUPPORTED_VERSION } from "../rpc/answer.ts"
import { request, type Session } from "../rpc/Session.ts"

export interface Agreement {
  readonly era: Era
  readonly protocolVersion: string
  readonly capabilities: Readonly<Record<string, unknown>>
  /** The server's own instructions for its use. */
  readonly instructions?: string | undefined
  readonly about?: ServerAbout | undefined
}

/** The instructions in the result of a handshake, cut to what is needed to show them. */
const instructionsIn = (result: unknown): string | undefined => {
  const instructions = isObject(result) ? result["instructions"] : undefined
  return typeof instructions === "string" && instructions.trim() !== ""
    ? keptFor(instructions, INSTRUCTIONS_MAX_CHARS)
    : undefined
}

const MODERN = "2026-07-28"
/** The revisions that `initialize` may agree on, newest first. The first one is offered. */
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]

/** The metadata of each request of revision 2026-07-28. */
const envelopeOf = (clientCapabilities: JsonObject) => ({
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
  "io.modelcontextprotocol/clientCapabilities": clientCapabilities
})

// ---- 2026-07-28 ----------------------------------------------------------------------------------------------------

/** What the response to `server/discover` says about the server. */
export type Verdict =
  | {
      readonly kind: "modern"
      readonly capabilities: Readonly<Record<string, unknown>>
      readonly instructions: string | undefined
      readonly about?: ServerAbout | undefined
    }
  | { readonly kind: "legacy" }
  /** It speaks only newer revisions. */
  | { readonly kind: "unsupported"; readonly versions: ReadonlyArray<string> }

const isModernVersion = (version: string) => version >= MODERN

const judgeVersions = (
  versions: ReadonlyArray<string>,
  capabilities: Readonly<Record<string, unknown>>,
  instructions: string | undefined
): Verdict => {
  if (versions.includes(MODERN)) return { kind: "modern", capabilities, instructions }
  return versions.length > 0 && versions.every(isModernVersion) ? { kind: "unsupported", versions } : { kind: "legacy" }
}

/** Only texts that look like a version: anything else has no meaning, and must not reach a message. */
const versionsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === "string" && /^\d{4}-\d{2}-\d{2}$/.test(entry)) : []

const judgeDiscovery = (result: unknown): Verdict => {
  if (!isObject(result)) return { kind: "legacy" }
  const capabilities = isObject(result["capabilities"]) ? result["capabilities"] : {}
  const verdict = judgeVersions(versionsOf(result["supportedVersions"]), capabilities, instructionsIn(result))
  return verdict.kind === "modern" ? { ...verdict, about: aboutIn(result) } : verdict
}

/** Any error that is not about versions means that the server does not know the request. */
const judgeRefusal = ({ code, data }: ProtocolError): Verdict =>
  code === UNSUPPORTED_VERSION && isObject(data)
    ? judgeVersions(versionsOf(data["supported"]), {}, undefined)
    : { kind: "legacy" }

/**
 * Asks which revisions the server speaks. Only a result or a protocol error is a verdict. Silence (`CallTimeout`), a refused
 * connection and the like mean different things on stdio and on HTTP, so the caller judges them.
 */
export const probe = (
  session: Session,
  clientCapabilities: JsonObject,
  probeMs: number
): Effect.Effect<Verdict, RequestError> =>
  request(
    session,
    "server/discover",
    { _meta: envelopeOf(clientCapabilities) },
    { idleMs: probeMs, totalMs: probeMs }
  ).pipe(
    Effect.map(judgeDiscovery),
    Effect.catchTag("ProtocolError", (error) => Effect.succeed(judgeRefusal(error)))
  )

/** A modern server needs no handshake: from now on, each request carries the envelope. */
export const adoptModern = (
  session: Session,
  clientCapabilities: JsonObject,
  { about, capabilities, instructions }: Extract<Verdict, { readonly kind: "modern" }>
): Agreement => {
  session.peer.envelope = envelopeOf(clientCapabilities)
  session.setProtocolVersion(MODERN)
  return { era: "modern", protocolVersion: MODERN, capabilities, instructions, about }
}

// ---- up to 2025-11-25 ----------------------------------------------------------------------------------------------

export const initialize = Effect.fnUntraced(function* (
  session: Session,
  choice: ProtocolChoice,
  clientCapabilities: JsonObject,
  timeoutMs: number
): Effect.fn.Return<Agreement, RequestError | HandshakeFailed | UnsupportedProtocol> {
  const { server } = session
  const acceptable = choice === "auto" ? LEGACY : [choice]
  const result = yield* request(
    session,
    "initialize",
    { protocolVersion: acceptable[0], capabilities: clientCapabilities, clientInfo: CLIENT_INFO },
    { idleMs: timeoutMs, totalMs: timeoutMs }
  )
  const version = isObject(result) ? result["protocolVersion"] : undefined
  if (typeof version !== "string") {
    const detail = "its answer to initialize names no protocol version"
    return yield* new HandshakeFailed({ server, detail, stderr: session.lastWords() })
  }
  if (!acceptable.includes(version)) {
    const theirs = inLine(version, session.tidy, 40)
    // It becomes part of a sentence of ours, so it must not read as words.
    const wanted = /^\d[\w.-]{0,19}$/.test(theirs) ? `protocol '${theirs}'` : "another protocol"
    return yield* new UnsupportedProtocol({
      server,
      detail: `it asks for ${wanted}, and mcp-live speaks ${acceptable.join(", ")}`
    })
  }
  session.setProtocolVersion(version)
  session.peer.notify("notifications/initialized")
  const capabilities = isObject(result) && isObject(result["capabilities"]) ? result["capabilities"] : {}
  return {
    era: "legacy",
    protocolVersion: version,
    capabilities,
    instructions: instructionsIn(result),
    about: aboutIn(result)
  }
})

export const unsupported = (server: string, versions: ReadonlyArray<string>): UnsupportedProtocol =>
  new UnsupportedProtocol({
    server,
    detail: `it speaks only ${versions.slice(0, 5).join(", ")}, and mcp-live speaks up to ${MODERN}`
  })
